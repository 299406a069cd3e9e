// Implements TableParser: pass one counts the rows of each chunk, pass two writes them straight to their place.
#include "formats/table.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>

#include "formats/chunks.hpp"

namespace subiso::formats {
namespace {
constexpr int line_skipped = -1, line_unknown = -2, line_boundary = -3;
constexpr std::size_t shown = 160;  // characters of a bad line that an error repeats

std::string_view trim(std::string_view s) {
  while (!s.empty() && is_blank(s.front())) s.remove_prefix(1);
  while (!s.empty() && is_blank(s.back())) s.remove_suffix(1);
  return s;
}

// Takes the next field off `rest`; false when there is none. A delimiter at the end means one more, empty field.
bool next_field(std::string_view& rest, char delimiter, bool& more, std::string_view& field) {
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
}  // namespace

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

  std::uint64_t lines = 0;
  std::vector<std::uint64_t> rows;  // per schema
  ParseError error;
  std::vector<Boundary> boundaries;  // rows relative to this chunk
  std::vector<std::vector<unsigned>> seen;
  struct Dictionary {
    std::vector<std::string_view> names;
    std::unordered_map<std::string_view, std::uint32_t> codes;
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
    for (; column < schema.kinds.size(); ++column) {
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
    if (field.empty() && kind != 's') return Fault::empty_field;
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
      const auto [place, fresh] = dictionary.codes.try_emplace(field, dictionary.names.size());
      if (fresh) {
        if (!is_clean_text(field)) return Fault::bad_text;
        dictionary.names.push_back(field);
      }
      dictionary.last = field;
      dictionary.last_code = place->second;
    }
    cell = dictionary.last_code;
    return Fault::none;
  }

  // A column of numbers starts as integers; the first real turns what the chunk has so far into doubles.
  Fault store_number(std::size_t t, std::size_t column, std::size_t row, std::string_view field, Fault as_integer) {
    unsigned& flags = seen[t][column];
    std::int64_t* cells = places_[t][column];
    if (as_integer == Fault::none) {
      flags |= seen_int;
      if (flags & seen_real) cells[row] = std::bit_cast<std::int64_t>(static_cast<double>(cells[row]));
      return Fault::none;
    }
    const int truth = parse_bool(field);
    if (truth >= 0) {
      flags |= seen_bool;
      cells[row] = flags & seen_real ? std::bit_cast<std::int64_t>(static_cast<double>(truth)) : truth;
      return Fault::none;
    }
    double value = 0;
    const Fault fault = parse_double(field.data(), field.data() + field.size(), value);
    if (fault != Fault::none) return fault;
    if (!(flags & seen_real))
      for (std::size_t i = 0; i < row; ++i) cells[i] = std::bit_cast<std::int64_t>(static_cast<double>(cells[i]));
    flags |= seen_real;
    cells[row] = std::bit_cast<std::int64_t>(value);
    return Fault::none;
  }

  const TableParser& owner_;
  std::string_view chunk_;
  std::uint64_t skip_ = 0;
  Places places_;
  std::vector<std::uint64_t> done_;
};

TableParser::TableParser(std::vector<Schema> schemas, Dialect dialect) : dialect_(std::move(dialect)) {
  for (auto& schema : schemas) {
    Table table;
    table.columns.resize(schema.kinds.size());
    for (std::size_t c = 0; c < schema.kinds.size(); ++c) {
      if (std::string_view("inst-").find(schema.kinds[c]) == std::string_view::npos)
        throw std::invalid_argument("unknown kind of column");
      table.columns[c].kind = schema.kinds[c];
    }
    table.schema = std::move(schema);
    tables_.push_back(std::move(table));
  }
}

// Which schema a line belongs to; in a tagged file `line` loses its tag.
int TableParser::schema_of(std::string_view& line) const {
  std::size_t i = 0;
  while (i < line.size() && is_blank(line[i])) ++i;
  if (i == line.size()) {  // a line of tabs is blank too, unless tabs are what delimits
    const bool fields = dialect_.delimiter && line.find(dialect_.delimiter) != std::string_view::npos;
    return fields ? 0 : line_skipped;
  }
  if (dialect_.comments.find(line[i]) != std::string::npos) return line_skipped;
  if (tables_[0].schema.tag == 0) return 0;
  if (i + 1 < line.size() && !is_blank(line[i + 1])) return line_unknown;
  if (dialect_.boundary && line[i] == dialect_.boundary) return line_boundary;
  for (std::size_t t = 0; t < tables_.size(); ++t)
    if (tables_[t].schema.tag == line[i]) {
      line.remove_prefix(i + 1);
      return static_cast<int>(t);
    }
  return line_unknown;
}

void TableParser::merge_names(std::size_t t, std::size_t c, std::vector<ChunkParser>& chunks) {
  Column& column = tables_[t].columns[c];
  std::size_t segment = column.segments.size() - chunks.size();
  std::vector<std::vector<std::uint32_t>> maps(chunks.size());
  for (std::size_t k = 0; k < chunks.size(); ++k)
    for (const std::string_view name : chunks[k].dictionaries[t][c].names) {
      auto found = column.codes.find(name);
      if (found == column.codes.end()) {
        if (column.names.size() >= no_code) throw std::runtime_error("more than 2**32 - 2 different texts");
        column.names.emplace_back(name);
        found = column.codes.emplace(column.names.back(), static_cast<std::uint32_t>(column.names.size() - 1)).first;
      }
      maps[k].push_back(found->second);
    }
  run_parallel(chunks.size(), [&](std::size_t k) {
    const Segment& part = column.segments[segment + k];
    for (std::size_t i = 0; i < part.rows; ++i)
      if (part.cells[i] != std::int64_t{no_code}) part.cells[i] = maps[k][static_cast<std::size_t>(part.cells[i])];
  });
}

// Pass one: lines and rows per chunk. Lines to skip lie at the very top and are taken off as they pass.
void TableParser::count(std::vector<ChunkParser>& chunks) {
  if (dialect_.skip == 0) {
    run_parallel(chunks.size(), [&](std::size_t k) { chunks[k].count(0); });
    return;
  }
  for (auto& chunk : chunks) {
    chunk.count(dialect_.skip);
    dialect_.skip -= std::min(dialect_.skip, chunk.lines);
  }
}

// Makes room for the rows just counted and tells each chunk where its cells go: [table][column].
std::vector<Places> TableParser::make_room(const std::vector<ChunkParser>& chunks) {
  std::vector<Places> places(chunks.size(), Places(tables_.size()));
  for (std::size_t t = 0; t < tables_.size(); ++t) {
    std::size_t rows = 0;
    for (const auto& chunk : chunks) rows += chunk.rows[t];
    for (auto& column : tables_[t].columns) {
      std::int64_t* cells = nullptr;
      if (column.kind != '-') {
        column.blocks.emplace_back(new std::int64_t[rows]);
        cells = column.blocks.back().get();
      }
      for (std::size_t k = 0; k < chunks.size(); ++k) {
        places[k][t].push_back(cells);
        if (!cells) continue;
        column.segments.push_back({cells, chunks[k].rows[t], 0});
        cells += chunks[k].rows[t];
      }
    }
  }
  return places;
}

// After pass two: what the chunks learnt becomes the tables'.
void TableParser::collect(std::vector<ChunkParser>& chunks) {
  for (auto& chunk : chunks) {
    for (auto& boundary : chunk.boundaries) {
      for (std::size_t t = 0; t < tables_.size(); ++t) boundary.rows[t] += tables_[t].rows;
      boundaries_.push_back(std::move(boundary));
    }
    for (std::size_t t = 0; t < tables_.size(); ++t) tables_[t].rows += chunk.rows[t];
  }
  for (std::size_t t = 0; t < tables_.size(); ++t)
    for (std::size_t c = 0; c < tables_[t].columns.size(); ++c) {
      Column& column = tables_[t].columns[c];
      if (column.kind == '-') continue;
      const std::size_t base = column.segments.size() - chunks.size();
      for (std::size_t k = 0; k < chunks.size(); ++k) {
        column.segments[base + k].seen = chunks[k].seen[t][c];
        column.seen |= chunks[k].seen[t][c];
        const auto& gap = chunks[k].missing[t][c];
        if (gap.rows && column.missing == 0) column.first_missing_line = gap.first_line;
        column.missing += gap.rows;
      }
      if (is_text(column.kind)) merge_names(t, c, chunks);
    }
}

bool TableParser::feed(std::string_view block) {
  if (error_.fault != Fault::none) return false;
  std::vector<ChunkParser> chunks;
  for (const auto chunk : split_lines(block, dialect_.threads, dialect_.least_chunk)) chunks.emplace_back(*this, chunk);
  count(chunks);
  auto places = make_room(chunks);
  std::vector<std::uint64_t> first_line(chunks.size());
  for (std::size_t k = 0; k < chunks.size(); ++k) {
    first_line[k] = lines_ + 1;
    lines_ += chunks[k].lines;
  }
  run_parallel(chunks.size(), [&](std::size_t k) { chunks[k].parse(first_line[k], std::move(places[k])); });
  for (const auto& chunk : chunks)
    if (chunk.error.fault != Fault::none) {
      error_ = chunk.error;
      return false;
    }
  collect(chunks);
  return true;
}

}  // namespace subiso::formats
