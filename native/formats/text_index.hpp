// Numbers texts in the order of their first appearance: open addressing, made for millions of short ids.
#pragma once
#include <bit>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

namespace subiso::formats {

inline constexpr std::uint32_t no_code = 0xFFFFFFFF;

class TextIndex {
 public:
  static std::uint64_t hash(std::string_view text) { return std::hash<std::string_view>{}(text); }

  // The code of a text, and whether it is new. The text is not copied: it must outlive the index (see `own`).
  std::pair<std::uint32_t, bool> add(std::string_view text, std::uint64_t hash) {
    if (names_.size() * 2 >= slots_.size()) grow();
    const std::size_t mask = slots_.size() - 1;
    const Key key(text, hash);
    for (std::size_t i = hash & mask;; i = (i + 1) & mask) {
      Slot& slot = slots_[i];
      if (slot.code == no_code) {
        if (names_.size() >= no_code) throw std::runtime_error("more than 2**32 - 2 different texts");
        slot = {key, static_cast<std::uint32_t>(names_.size())};
        names_.push_back(text);
        hashes_.push_back(hash);
        return {slot.code, true};
      }
      if (slot.key == key && (text.size() <= Key::short_text || names_[slot.code] == text)) return {slot.code, false};
    }
  }

  // Copies the text added last, so that it may go away.
  void own_last() {
    std::string_view& text = names_.back();
    if (text.size() > room_) {
      room_ = text.size() > page ? text.size() : page;
      pages_.emplace_back(new char[room_]);
      next_ = pages_.back().get();
    }
    std::memcpy(next_, text.data(), text.size());
    text = {next_, text.size()};
    next_ += text.size();
    room_ -= text.size();
  }

  const std::vector<std::string_view>& names() const { return names_; }
  std::uint64_t hash_of(std::uint32_t code) const { return hashes_[code]; }

 private:
  // A short text itself, or the hash of a long one: the slot alone settles most comparisons, in one cache miss.
  struct Key {
    static constexpr std::size_t short_text = 11;
    Key() = default;
    Key(std::string_view text, std::uint64_t hash) {
      bytes[0] = static_cast<char>(text.size() <= short_text ? text.size() : 255);
      if (text.size() <= short_text)
        std::memcpy(bytes + 1, text.data(), text.size());
      else
        std::memcpy(bytes + 1, &hash, sizeof hash);
    }
    bool operator==(const Key& other) const { return std::memcmp(bytes, other.bytes, sizeof bytes) == 0; }
    char bytes[short_text + 1] = {};
  };
  struct Slot {
    Key key;
    std::uint32_t code = no_code;
  };
  static constexpr std::size_t page = 1 << 20;

  void grow() {
    slots_.assign(slots_.empty() ? 64 : slots_.size() * 2, Slot{});
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t code = 0; code < names_.size(); ++code) {
      std::size_t i = hashes_[code] & mask;
      while (slots_[i].code != no_code) i = (i + 1) & mask;
      slots_[i] = {Key(names_[code], hashes_[code]), static_cast<std::uint32_t>(code)};
    }
  }

  std::vector<Slot> slots_;  // a power of two, at most half full
  std::vector<std::string_view> names_;
  std::vector<std::uint64_t> hashes_;
  std::vector<std::unique_ptr<char[]>> pages_;
  char* next_ = nullptr;
  std::size_t room_ = 0;
};

}  // namespace subiso::formats
