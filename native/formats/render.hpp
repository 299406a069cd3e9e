// Writes rows of columns as text: the inverse of TableParser, for the writers.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace subiso::formats {

// A column to write: integers, reals (shortest text that reads back the same), or codes into texts.
struct TextColumn {
  const std::int64_t* integers = nullptr;
  const double* reals = nullptr;
  const std::uint32_t* codes = nullptr;  // no_code writes nothing
  std::vector<std::string_view> texts;
  std::size_t size = 0;
};

// Rows [begin, end) as "prefix field delimiter field ... newline". Throws std::invalid_argument on a code without text.
std::string render_rows(const std::vector<TextColumn>& columns, std::string_view prefix, char delimiter,
                        std::size_t begin, std::size_t end);

// Lines [begin, end) of a METIS body: the vertex's own numbers, then those of each entry of its list.
std::string render_lists(const std::vector<const std::int64_t*>& fronts, const std::int64_t* offsets,
                         const std::vector<const std::int64_t*>& entries, std::size_t begin, std::size_t end);

}  // namespace subiso::formats
