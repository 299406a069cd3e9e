// Implements RaggedParser: each chunk fills its own vectors, which are then joined in order.
#include "formats/ragged.hpp"

#include <algorithm>

#include "formats/chunks.hpp"

namespace subiso::formats {
namespace {
struct Part {
  std::uint64_t lines = 0;
  std::vector<std::int64_t> values, counts, numbers;  // numbers relative to the chunk
  ParseError error;

  bool take(std::string_view line, const std::string& comments) {
    const std::uint64_t number = lines++;
    std::size_t i = 0, found = 0;
    while (i < line.size() && is_blank(line[i])) ++i;
    if (i < line.size() && comments.find(line[i]) != std::string::npos) return true;
    while (i < line.size()) {
      std::size_t j = i;
      while (j < line.size() && !is_blank(line[j])) ++j;
      std::int64_t value = 0;
      const Fault fault = parse_integer(line.data() + i, line.data() + j, value);
      if (fault != Fault::none) {
        error = {fault, number, found + 1, std::string(line.substr(i, std::min<std::size_t>(j - i, 160))),
                 std::string(line.substr(0, 160))};
        return false;
      }
      values.push_back(value);
      ++found;
      for (i = j; i < line.size() && is_blank(line[i]);) ++i;
    }
    counts.push_back(static_cast<std::int64_t>(found));
    numbers.push_back(static_cast<std::int64_t>(number));
    return true;
  }
};
}  // namespace

bool RaggedParser::feed(std::string_view block) {
  if (error_.fault != Fault::none) return false;
  while (dialect_.skip > 0 && !block.empty()) {
    const std::size_t newline = block.find('\n');
    block.remove_prefix(newline == std::string_view::npos ? block.size() : newline + 1);
    --dialect_.skip;
    ++lines_;
  }
  const auto chunks = split_lines(block, dialect_.threads, dialect_.least_chunk);
  std::vector<Part> parts(chunks.size());
  run_parallel(chunks.size(), [&](std::size_t k) {
    each_line(chunks[k], [&](std::string_view line) { return parts[k].take(line, dialect_.comments); });
  });
  for (auto& part : parts) {
    if (part.error.fault != Fault::none) {
      error_ = std::move(part.error);
      error_.line += lines_ + 1;
      return false;
    }
    values.insert(values.end(), part.values.begin(), part.values.end());
    counts.insert(counts.end(), part.counts.begin(), part.counts.end());
    for (const std::int64_t number : part.numbers)
      numbers.push_back(number + static_cast<std::int64_t>(lines_) + 1);
    lines_ += part.lines;
    part = Part{};
  }
  return true;
}

}  // namespace subiso::formats
