// Parses lines with any number of integers, blank lines included: the body of a METIS file. Fed block by block.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "formats/table.hpp"

namespace subiso::formats {

class RaggedParser {
 public:
  explicit RaggedParser(Dialect dialect) : dialect_(std::move(dialect)) {}
  bool feed(std::string_view block);
  const ParseError& error() const { return error_; }

  std::vector<std::int64_t> values;  // all lines, one after the other
  std::vector<std::int64_t> counts;  // integers in each line; comment lines have no entry
  std::vector<std::int64_t> numbers; // the line's number in the file

 private:
  Dialect dialect_;
  std::uint64_t lines_ = 0;
  ParseError error_;
};

}  // namespace subiso::formats
