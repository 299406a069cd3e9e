// Parses lines of fields into columns: edge lists, CSV, Matrix Market bodies, t/v/e files. Fed block by block.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "formats/scan.hpp"
#include "formats/text_index.hpp"

namespace subiso::formats {

// The columns of one kind of line. kinds: 'i' integer, 'n' number (integer, real or true/false), 'm' number that may be
// missing (empty or nan: the column becomes real, with NaN), 's' text that may be empty (no code), 't' text that may
// not, '-' skipped.
struct Schema {
  char tag = 0;              // first field of such lines in a tagged file
  std::string kinds;
  std::size_t required = 0;  // fields that must be there; the columns after them may be missing in some lines
};

inline bool is_text(char kind) { return kind == 's' || kind == 't'; }

struct Dialect {
  char delimiter = 0;       // 0: runs of spaces and tabs
  std::string comments;     // a line whose first non-blank character is one of these is skipped
  char boundary = 0;        // tagged files: a line with this tag starts a new graph and is recorded, not parsed
  std::uint64_t skip = 0;   // lines at the top that somebody else has read
  std::size_t threads = 1;
  std::size_t least_chunk = 1 << 18;  // bytes per thread below which splitting does not pay; tests make it tiny
};

struct ParseError {
  Fault fault = Fault::none;
  std::uint64_t line = 0;  // 1-based
  std::size_t field = 0;   // 1-based; 0 = the whole line
  std::string token;       // the field's text
  std::string text;        // the line's text, cut to a readable length
};

struct Boundary {
  std::uint64_t line;
  std::vector<std::uint64_t> rows;  // rows seen before it, per schema
  std::string text;
};

enum Seen : unsigned { seen_bool = 1, seen_int = 2, seen_real = 4, seen_missing = 8, seen_inexact = 16 };
inline constexpr unsigned held_as_real = seen_real | seen_missing;
inline constexpr std::int64_t exact_real = std::int64_t{1} << 53;  // integers beyond it a double may not hold

// The cells of one column from one fed block: 32 bits each where all values fit (most ids do: half the memory and half
// the page faults), else 64 bits: int64, or the bits of a double where `real`.
struct Block {
  std::unique_ptr<std::uint32_t[]> narrow;
  std::unique_ptr<std::int64_t[]> wide;
  std::size_t rows = 0;
  bool real = false;
};

struct Column {
  Column() = default;
  Column(Column&&) = default;
  Column& operator=(Column&&) = default;
  char kind = '-';
  unsigned seen = 0;
  std::unique_ptr<std::int64_t[]> scratch;  // where the chunks of the block at hand write; kept from block to block
  std::size_t room = 0;                     // rows that fit into it
  std::vector<Block> blocks;
  TextIndex texts;
  std::uint64_t missing = 0;             // rows without this (optional) column
  std::uint64_t first_missing_line = 0;  // of the first such row
};

struct Table {
  Table() = default;
  Table(Table&&) = default;
  Schema schema;
  std::vector<Column> columns;
  std::uint64_t rows = 0;
};

class ChunkParser;
using Places = std::vector<std::vector<std::int64_t*>>;  // [table][column] -> the first cell

class TableParser {
 public:
  TableParser(std::vector<Schema> schemas, Dialect dialect);
  TableParser(const TableParser&) = delete;
  // Takes the next block: whole lines, except that the last block may end without a newline. False after an error.
  bool feed(std::string_view block);
  const ParseError& error() const { return error_; }
  const std::vector<Boundary>& boundaries() const { return boundaries_; }
  std::uint64_t lines() const { return lines_; }
  std::vector<Table>& tables() { return tables_; }

 private:
  friend class ChunkParser;
  int schema_of(std::string_view& line) const;
  void count(std::vector<ChunkParser>& chunks);
  std::vector<Places> make_room(const std::vector<ChunkParser>& chunks);
  void collect(std::vector<ChunkParser>& chunks);
  void merge_names(std::size_t table, std::size_t column, std::vector<ChunkParser>& chunks);
  void widen_reals(std::size_t table, std::size_t column, std::vector<ChunkParser>& chunks);
  void store_block(std::size_t table, std::size_t column, std::vector<ChunkParser>& chunks);

  Dialect dialect_;
  std::vector<Table> tables_;
  std::vector<Boundary> boundaries_;
  std::uint64_t lines_ = 0;
  ParseError error_;
};

}  // namespace subiso::formats
