// Implements render_rows and render_lists.
#include "formats/render.hpp"

#include <charconv>
#include <cmath>
#include <stdexcept>

#include "formats/table.hpp"

namespace subiso::formats {
namespace {
void append_field(std::string& out, const TextColumn& column, std::size_t row) {
  char buffer[32];
  if (column.integers) {
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, column.integers[row]).ptr;
    out.append(buffer, end);
  } else if (column.reals) {
    if (std::isnan(column.reals[row])) return;  // not known: an empty field, where the caller lets it come to this
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, column.reals[row]).ptr;
    const std::string_view text(buffer, static_cast<std::size_t>(end - buffer));
    out.append(text);
    if (text.find_first_of(".e") == std::string_view::npos) out.append(".0");  // so that it reads back as a real
  } else if (column.codes[row] != no_code) {
    if (column.codes[row] >= column.texts.size()) throw std::invalid_argument("a code without text");
    out.append(column.texts[column.codes[row]]);
  }
}
}  // namespace

std::string render_rows(const std::vector<TextColumn>& columns, std::string_view prefix, char delimiter,
                        std::size_t begin, std::size_t end) {
  std::string out;
  out.reserve((end - begin) * (prefix.size() + columns.size() * 8));
  for (std::size_t row = begin; row < end; ++row) {
    out.append(prefix);
    for (std::size_t c = 0; c < columns.size(); ++c) {
      if (c) out.push_back(delimiter);
      append_field(out, columns[c], row);
    }
    out.push_back('\n');
  }
  return out;
}

std::string render_lists(const std::vector<const std::int64_t*>& fronts, const std::int64_t* offsets,
                         const std::vector<const std::int64_t*>& entries, std::size_t begin, std::size_t end) {
  std::string out;
  char buffer[24];
  auto append = [&](std::int64_t value, bool first) {
    if (!first) out.push_back(' ');
    out.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr);
  };
  for (std::size_t v = begin; v < end; ++v) {
    bool first = true;
    for (const auto* values : fronts) {
      append(values[v], first);
      first = false;
    }
    for (std::int64_t i = offsets[v]; i < offsets[v + 1]; ++i)
      for (const auto* values : entries) {
        append(values[i], first);
        first = false;
      }
    out.push_back('\n');
  }
  return out;
}

}  // namespace subiso::formats
