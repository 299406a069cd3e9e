// Tables over variables, as elimination makes them: rows of values and how often each row can be completed.
#pragma once
#include <bit>
#include <cstdint>
#include <vector>

namespace subiso {

using Times = unsigned __int128;

// Rows by key; keys are packed rows.
class RowMap {
 public:
  explicit RowMap(std::size_t expected) {
    std::size_t slots = 16;
    while (slots < 2 * expected && slots < (std::size_t{1} << 20)) slots *= 2;
    keys_.assign(slots, kFree);
    values_.resize(slots);
  }

  // The value of a key, which is added with 0 if it is not there.
  Times& operator[](std::uint64_t key) {
    if (2 * (size_ + 1) > keys_.size()) grow();
    const std::size_t at = slot(key);
    if (keys_[at] == kFree) {
      keys_[at] = key;
      values_[at] = 0;
      ++size_;
    }
    return values_[at];
  }
  const Times* find(std::uint64_t key) const {
    const std::size_t at = slot(key);
    return keys_[at] == kFree ? nullptr : &values_[at];
  }
  std::size_t size() const { return size_; }

  template <class Visit>
  void each(Visit visit) const {
    for (std::size_t i = 0; i < keys_.size(); ++i)
      if (keys_[i] != kFree) visit(keys_[i], values_[i]);
  }

 private:
  static constexpr std::uint64_t kFree = ~std::uint64_t{0};  // no key: rows take at most 63 bits

  std::size_t slot(std::uint64_t key) const {
    const std::size_t mask = keys_.size() - 1;
    std::size_t at = static_cast<std::size_t>((key * 0x9E3779B97F4A7C15u) >> 20) & mask;
    while (keys_[at] != kFree && keys_[at] != key) at = (at + 1) & mask;
    return at;
  }
  void grow() {
    std::vector<std::uint64_t> keys(keys_.size() * 2, kFree);
    std::vector<Times> values(keys.size());
    keys.swap(keys_);
    values.swap(values_);
    for (std::size_t i = 0; i < keys.size(); ++i)
      if (keys[i] != kFree) {
        const std::size_t at = slot(keys[i]);
        keys_[at] = keys[i];
        values_[at] = values[i];
      }
  }

  std::vector<std::uint64_t> keys_;
  std::vector<Times> values_;
  std::size_t size_ = 0;
};

struct Factor {
  std::vector<int> variables;
  std::vector<std::uint32_t> rows;  // one value per variable, row after row
  std::vector<Times> times;         // per row; empty: all 1

  std::size_t arity() const { return variables.size(); }
  std::size_t num_rows() const { return rows.size() / arity(); }
  const std::uint32_t* row(std::size_t i) const { return rows.data() + i * arity(); }
  Times times_of(std::size_t i) const { return times.empty() ? 1 : times[i]; }
  int column(int variable) const {
    for (std::size_t c = 0; c < variables.size(); ++c)
      if (variables[c] == variable) return static_cast<int>(c);
    return -1;
  }
};

}  // namespace subiso
