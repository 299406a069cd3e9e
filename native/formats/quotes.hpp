// Checks the quotes of a CSV file (RFC 4180): closed, and followed by a delimiter or a line's end. Fed block by block.
#pragma once
#include <cstdint>
#include <string_view>

namespace subiso::formats {

class QuoteChecker {
 public:
  explicit QuoteChecker(char delimiter) : delimiter_(delimiter) {}

  // False once something stands right behind a closing quote; `line` then says where.
  bool feed(std::string_view block) {
    for (const char c : block) {
      const bool ends = c == delimiter_ || c == '\n' || c == '\r';
      switch (state_) {
        case State::start:
          if (c == '"') opened_ = line_;
          state_ = c == '"' ? State::quoted : ends ? State::start : State::plain;
          break;
        case State::plain:
          if (ends) state_ = State::start;
          break;
        case State::quoted:
          if (c == '"') state_ = State::closed;
          break;
        case State::closed:  // or the first of two quotes that stand for one
          if (c != '"' && !ends) return false;
          state_ = ends ? State::start : State::quoted;
          break;
      }
      line_ += c == '\n';
    }
    return true;
  }

  std::uint64_t line() const { return line_; }
  // The line in which a quote was opened that never closes; 0 when all do. Ask after the last block.
  std::uint64_t open_line() const { return state_ == State::quoted ? opened_ : 0; }

 private:
  enum class State { start, plain, quoted, closed };
  char delimiter_;
  State state_ = State::start;
  std::uint64_t line_ = 1, opened_ = 0;
};

}  // namespace subiso::formats
