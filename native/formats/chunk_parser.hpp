// One chunk's share of TableParser's two passes: cuts lines into fields and stores the cells. Only table.cpp includes it.
#pragma once
#include <bit>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "formats/chunks.hpp"
#include "formats/table.hpp"

namespace subiso::formats {
inline constexpr int line_skipped = -1, line_unknown = -2, line_boundary = -3;
inline constexpr std::size_t shown = 160;  // characters of a bad line that an error repeats

inline std::string_view trim(std::string_view s) {
  while (!s.empty() && is_blank(s.front())) s.remove_prefix(1);
  while (!s.empty() && is_blank(s.back())) s.remove_suffix(1);
  return s;
}

// The common case in one pass: blanks, up to 18 digits, a blank or the end. False, and nothing taken, for all else.
inline bool next_integer(std::string_view& rest, std::int64_t& value) {
  const char* p = rest.data();
  const char* const end = p + rest.size();
  while (p != end && is_blank(*p)) ++p;
  const char* const first = p;
  std::uint64_t sum = 0;
  for (unsigned digit; p != end && (digit = static_cast<unsigned char>(*p) - '0') <= 9; ++p) sum = sum * 10 + digit;
  if (p == first || p - first > 18 || (p != end && !is_blank(*p))) return false;
  value = static_cast<std::int64_t>(sum);
  rest.remove_prefix(static_cast<std::size_t>(p - rest.data()));
  return true;
}

// Takes the next field off `rest`; false when there is none. A delimiter at the end means one more, empty field.
inline bool next_field(std::string_view& rest, char delimiter, bool& more, std::string_view& field) {
  if (delimiter == 0) {
    std::size_t i = 0;
    while (i < rest.size() && is_blank(rest[i])) ++i;
    std::size_t j = i;
    while (j < rest.size() && !is_blank(rest[j])) ++j;
    field = rest.substr(i, j - i);
    rest.remove_prefix(j);
    return i != j;
  }
  if (!more) return false;
  const std::size_t at = rest.find(delimiter);
  more = at != std::string_view::npos;
  field = trim(rest.substr(0, at));
  rest.remove_prefix(more ? at + 1 : rest.size());
  return true;
}
// One chunk's pass: knows where its rows go, keeps its own dictionary of texts and its own first error.
class ChunkParser {
 public:
  ChunkParser(const TableParser& owner, std::string_view chunk) : owner_(owner), chunk_(chunk) {
    rows.assign(owner.tables_.size(), 0);
  }

  void count(std::uint64_t skip) {
    skip_ = skip;
    each_line(chunk_, [&](std::string_view line) {
      if (lines++ < skip_) return true;
      const int schema = owner_.schema_of(line);
      if (schema >= 0) ++rows[static_cast<std::size_t>(schema)];
      return true;
    });
  }

  void parse(std::uint64_t first_line, Places places) {
    places_ = std::move(places);
    seen.resize(places_.size());
    dictionaries.resize(places_.size());
    missing.resize(places_.size());
    for (std::size_t t = 0; t < places_.size(); ++t) {
      seen[t].assign(places_[t].size(), 0);
      dictionaries[t].resize(places_[t].size());
      missing[t].assign(places_[t].size(), {0, 0});
    }
    done_.assign(rows.size(), 0);
    std::uint64_t line_number = first_line;
    const std::uint64_t start = first_line + skip_;
    each_line(chunk_, [&](std::string_view line) {
      const std::uint64_t number = line_number++;
      return number < start || take(line, number);
    });
  }

  std::int64_t* cells(std::size_t table, std::size_t column) const { return places_[table][column]; }

  std::uint64_t lines = 0;
  std::vector<std::uint64_t> rows;  // per schema
  ParseError error;
  std::vector<Boundary> boundaries;  // rows relative to this chunk
  std::vector<std::vector<unsigned>> seen;
  struct Dictionary {
    TextIndex texts;
    std::string_view last;  // neighbouring rows often repeat the source
    std::uint32_t last_code = no_code;
  };
  std::vector<std::vector<Dictionary>> dictionaries;
  struct Missing {
    std::uint64_t rows, first_line;
  };
  std::vector<std::vector<Missing>> missing;

 private:
  bool fail(Fault fault, std::uint64_t number, std::size_t field, std::string_view token, std::string_view line) {
    error = {fault, number, field, std::string(token.substr(0, shown)), std::string(line.substr(0, shown))};
    return false;
  }

  bool take(std::string_view line, std::uint64_t number) {
    std::string_view rest = line;
    const int schema = owner_.schema_of(rest);
    if (schema == line_skipped) return true;
    if (schema == line_unknown) return fail(Fault::unknown_tag, number, 1, trim(line), line);
    if (schema == line_boundary) {
      boundaries.push_back({number, done_, std::string(line.substr(0, shown))});
      return true;
    }
    return take_row(static_cast<std::size_t>(schema), rest, line, number);
  }

  bool take_row(std::size_t t, std::string_view rest, std::string_view line, std::uint64_t number) {
    const Schema& schema = owner_.tables_[t].schema;
    const std::size_t row = done_[t]++;
    const std::size_t first = schema.tag ? 2 : 1;  // number of the first field, as a person counts
    std::size_t column = 0;
    bool more = true;
    std::string_view field;
    const bool blanks = owner_.dialect_.delimiter == 0;
    for (; column < schema.kinds.size(); ++column) {
      if (blanks && schema.kinds[column] == 'i' && next_integer(rest, places_[t][column][row])) continue;
      if (!next_field(rest, owner_.dialect_.delimiter, more, field)) break;
      const Fault fault = store(t, column, row, field);
      if (fault != Fault::none) return fail(fault, number, column + first, field, line);
    }
    if (column < schema.required) return fail(Fault::too_few, number, column + first - 1, {}, line);
    if (column == schema.kinds.size() && next_field(rest, owner_.dialect_.delimiter, more, field))
      return fail(Fault::too_many, number, column + first, field, line);
    for (; column < schema.kinds.size(); ++column) {
      places_[t][column][row] = is_text(schema.kinds[column]) ? std::int64_t{no_code} : 0;
      Missing& gap = missing[t][column];
      if (gap.rows++ == 0) gap.first_line = number;
    }
    return true;
  }

  Fault store(std::size_t t, std::size_t column, std::size_t row, std::string_view field) {
    const char kind = owner_.tables_[t].schema.kinds[column];
    if (owner_.dialect_.delimiter && !field.empty() && field.front() == '"') return Fault::quoted;
    if (kind == '-') return Fault::none;
    std::int64_t& cell = places_[t][column][row];
    if (field.empty() && kind != 's' && kind != 'm') return Fault::empty_field;
    if (is_text(kind)) return store_text(dictionaries[t][column], field, cell);
    const char* end = field.data() + field.size();
    const Fault fault = parse_integer(field.data(), end, cell);
    if (kind == 'i') return fault;
    return store_number(t, column, row, field, fault);
  }

  Fault store_text(Dictionary& dictionary, std::string_view field, std::int64_t& cell) {
    if (field.empty()) {
      cell = no_code;
      return Fault::none;
    }
    if (field != dictionary.last) {
      const auto [code, fresh] = dictionary.texts.add(field, TextIndex::hash(field));
      if (fresh && !is_clean_text(field)) return Fault::bad_text;
      dictionary.last = field;
      dictionary.last_code = code;
    }
    cell = dictionary.last_code;
    return Fault::none;
  }

  Fault store_number(std::size_t t, std::size_t column, std::size_t row, std::string_view field, Fault as_integer) {
    unsigned& flags = seen[t][column];
    std::int64_t& cell = places_[t][column][row];
    if (as_integer == Fault::none) {
      flags |= seen_int;
      if (cell > exact_real || cell < -exact_real) flags |= seen_inexact;
      if (flags & held_as_real) cell = std::bit_cast<std::int64_t>(static_cast<double>(cell));
      return Fault::none;
    }
    const int truth = parse_bool(field);
    if (truth >= 0) {
      flags |= seen_bool;
      cell = flags & held_as_real ? std::bit_cast<std::int64_t>(static_cast<double>(truth)) : truth;
      return Fault::none;
    }
    double value = std::numeric_limits<double>::quiet_NaN();
    const bool missing = owner_.tables_[t].schema.kinds[column] == 'm' && is_missing(field);
    const Fault fault = missing ? Fault::none : parse_double(field.data(), field.data() + field.size(), value);
    if (fault == Fault::none) store_real(t, column, row, value, missing ? seen_missing : seen_real);
    return fault;
  }

  // A column of numbers starts as integers; the first real turns what the chunk has so far into doubles.
  void store_real(std::size_t t, std::size_t column, std::size_t row, double value, unsigned flag) {
    unsigned& flags = seen[t][column];
    std::int64_t* cells = places_[t][column];
    if (!(flags & held_as_real))
      for (std::size_t i = 0; i < row; ++i) cells[i] = std::bit_cast<std::int64_t>(static_cast<double>(cells[i]));
    flags |= flag;
    cells[row] = std::bit_cast<std::int64_t>(value);
  }

  const TableParser& owner_;
  std::string_view chunk_;
  std::uint64_t skip_ = 0;
  Places places_;
  std::vector<std::uint64_t> done_;
};

}  // namespace subiso::formats
