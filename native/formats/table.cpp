// Implements TableParser: pass one counts the rows of each chunk, pass two writes them straight to their place.
#include "formats/table.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>

#include "formats/chunk_parser.hpp"

namespace subiso::formats {
TableParser::TableParser(std::vector<Schema> schemas, Dialect dialect) : dialect_(std::move(dialect)) {
  for (auto& schema : schemas) {
    Table table;
    table.columns.resize(schema.kinds.size());
    for (std::size_t c = 0; c < schema.kinds.size(); ++c) {
      if (std::string_view("inmst-").find(schema.kinds[c]) == std::string_view::npos)
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

// Chunk codes become the column's: names that are new get the next numbers.
void TableParser::merge_names(std::size_t t, std::size_t c, std::vector<ChunkParser>& chunks) {
  Column& column = tables_[t].columns[c];
  std::vector<std::vector<std::uint32_t>> maps(chunks.size());
  for (std::size_t k = 0; k < chunks.size(); ++k) {
    const TextIndex& own = chunks[k].dictionaries[t][c].texts;
    maps[k].reserve(own.names().size());
    for (const std::string_view name : own.names()) {
      const auto [code, fresh] = column.texts.add(name, own.hash_of(static_cast<std::uint32_t>(maps[k].size())));
      if (fresh) column.texts.own_last();
      maps[k].push_back(code);
    }
  }
  run_parallel(chunks.size(), [&](std::size_t k) {
    std::int64_t* cells = chunks[k].cells(t, c);
    for (std::size_t i = 0; i < chunks[k].rows[t]; ++i)
      if (cells[i] != std::int64_t{no_code}) cells[i] = maps[k][static_cast<std::size_t>(cells[i])];
  });
}

// A block has one type: chunks without a real follow those that have one.
void TableParser::widen_reals(std::size_t t, std::size_t c, std::vector<ChunkParser>& chunks) {
  for (auto& chunk : chunks) {
    if (chunk.seen[t][c] & held_as_real) continue;
    std::int64_t* cells = chunk.cells(t, c);
    for (std::size_t i = 0; i < chunk.rows[t]; ++i)
      cells[i] = std::bit_cast<std::int64_t>(static_cast<double>(cells[i]));
  }
}

// Moves the block from the scratch to its own memory, 32 bits a cell where that is enough.
void TableParser::store_block(std::size_t t, std::size_t c, std::vector<ChunkParser>& chunks) {
  Column& column = tables_[t].columns[c];
  Block block;
  unsigned seen = 0;
  for (const auto& chunk : chunks) {
    block.rows += chunk.rows[t];
    seen |= chunk.seen[t][c];
  }
  block.real = seen & held_as_real;
  if (block.real) {
    widen_reals(t, c, chunks);
  } else {
    block.narrow.reset(new std::uint32_t[block.rows]);
    std::vector<std::uint64_t> bits(chunks.size(), 0);
    run_parallel(chunks.size(), [&](std::size_t k) {
      const std::int64_t* cells = chunks[k].cells(t, c);
      std::uint32_t* out = block.narrow.get() + (cells - column.scratch.get());
      std::uint64_t all = 0;
      for (std::size_t i = 0; i < chunks[k].rows[t]; ++i) {
        all |= static_cast<std::uint64_t>(cells[i]);
        out[i] = static_cast<std::uint32_t>(cells[i]);
      }
      bits[k] = all;
    });
    for (const std::uint64_t all : bits)
      if (all >> 32) block.narrow.reset();
  }
  if (!block.narrow) {
    block.wide.reset(new std::int64_t[block.rows]);
    std::copy_n(column.scratch.get(), block.rows, block.wide.get());
  }
  column.seen |= seen;
  column.blocks.push_back(std::move(block));
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
      if (column.kind != '-' && (rows > column.room || !column.scratch)) {
        column.scratch.reset();
        column.scratch.reset(new std::int64_t[rows]);
        column.room = rows;
      }
      std::int64_t* cells = column.scratch.get();
      for (std::size_t k = 0; k < chunks.size(); ++k) {
        places[k][t].push_back(cells);
        if (cells) cells += chunks[k].rows[t];
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
  std::vector<std::pair<std::size_t, std::size_t>> texts;
  for (std::size_t t = 0; t < tables_.size(); ++t)
    for (std::size_t c = 0; c < tables_[t].columns.size(); ++c) {
      Column& column = tables_[t].columns[c];
      if (column.kind == '-') continue;
      for (const auto& chunk : chunks) {
        const auto& gap = chunk.missing[t][c];
        if (gap.rows && column.missing == 0) column.first_missing_line = gap.first_line;
        column.missing += gap.rows;
      }
      if (is_text(column.kind)) texts.emplace_back(t, c);
    }
  run_parallel(texts.size(), [&](std::size_t i) { merge_names(texts[i].first, texts[i].second, chunks); });
  for (std::size_t t = 0; t < tables_.size(); ++t)
    for (std::size_t c = 0; c < tables_[t].columns.size(); ++c)
      if (tables_[t].columns[c].kind != '-') store_block(t, c, chunks);
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
