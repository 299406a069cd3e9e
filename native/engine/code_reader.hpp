// Reads flat integer code front to back; every number is checked where it is read, so that wrong code is an exception.
#pragma once
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace subiso {

class CodeReader {
 public:
  CodeReader(const std::int64_t* code, std::size_t length) : at_(code), end_(code + length) {}

  [[noreturn]] static void fail(const char* what) {
    throw std::invalid_argument(std::string("malformed program: ") + what);
  }
  std::int64_t word() {
    if (at_ == end_) fail("too short");
    return *at_++;
  }
  int number(std::int64_t least, std::int64_t limit) {
    const std::int64_t value = word();
    if (value < least || value >= limit) fail("index out of range");
    return static_cast<int>(value);
  }
  std::vector<int> numbers(int limit) {
    std::vector<int> values(static_cast<std::size_t>(number(0, 1 << 16)));
    for (int& v : values) v = number(0, limit);
    return values;
  }
  void finish() const {
    if (at_ != end_) fail("trailing words");
  }

 private:
  const std::int64_t* at_;
  const std::int64_t* end_;
};

}  // namespace subiso
