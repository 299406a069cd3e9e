// Binds native/formats: the text parsers, the row writer and the CSR checks. Python words the errors.
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <bit>
#include <memory>
#include <stdexcept>
#include <tuple>

#include "bind/bind.hpp"
#include "formats/quotes.hpp"
#include "formats/ragged.hpp"
#include "formats/render.hpp"
#include "formats/symmetry.hpp"
#include "formats/table.hpp"

namespace subiso {
namespace {
using namespace formats;
using SchemaArgs = std::tuple<std::string, std::string, std::size_t>;

char one_char(const std::string& text) {
  if (text.size() > 1) throw std::invalid_argument("expected one character");
  return text.empty() ? '\0' : text[0];
}

std::string_view view_of(const In<std::uint8_t>& block) {
  return {reinterpret_cast<const char*>(block.data()), block.size()};
}

template <class Parser>
bool feed(Parser& parser, const In<std::uint8_t>& block) {
  nb::gil_scoped_release release;
  return parser.feed(view_of(block));
}

nb::object error_of(const ParseError& error) {
  if (error.fault == Fault::none) return nb::none();
  return nb::make_tuple(static_cast<int>(error.fault), error.line, error.field,
                        nb::bytes(error.token.data(), error.token.size()),
                        nb::bytes(error.text.data(), error.text.size()));
}

template <class T>
struct Fresh {  // an array that is filled without the interpreter and then handed over
  explicit Fresh(std::size_t count) : size(count), data(new T[count]) {}
  nb::object to_python() {
    T* raw = data.release();
    nb::capsule owner(raw, [](void* p) noexcept { delete[] static_cast<T*>(p); });
    return nb::cast(Out<T>(raw, {size}, owner));
  }
  std::size_t size;
  std::unique_ptr<T[]> data;
};

// Joins a column's blocks into one array of T and frees them on the way.
template <class T, class Convert>
nb::object join(Column& column, std::size_t rows, Convert convert) {
  Fresh<T> out(rows);
  {
    nb::gil_scoped_release release;
    T* place = out.data.get();
    for (Block& block : column.blocks) {
      if (block.narrow)
        for (std::size_t i = 0; i < block.rows; ++i) *place++ = convert(std::int64_t{block.narrow[i]}, false);
      else
        for (std::size_t i = 0; i < block.rows; ++i) *place++ = convert(block.wide[i], block.real);
      block = Block{};
    }
    column.blocks.clear();
    column.scratch.reset();
    column.room = 0;
  }
  return out.to_python();
}

bool all_narrow(const Column& column) {
  for (const Block& block : column.blocks)
    if (!block.narrow) return false;
  return true;
}

// (kind, values, names, rows without it, line of the first of them). `narrow`: integers come as uint32 where they fit.
nb::object column_to_python(Column& column, std::size_t rows, bool narrow) {
  if (column.kind == '-') return nb::none();
  nb::object values;
  nb::list names;
  char kind = column.seen == seen_bool ? 'b' : 'i';
  if (column.seen & held_as_real) {
    kind = 'f';
    values = join<double>(column, rows, [](std::int64_t cell, bool real) {
      return real ? std::bit_cast<double>(cell) : static_cast<double>(cell);
    });
  } else if (is_text(column.kind) || (narrow && column.kind == 'i' && all_narrow(column))) {
    values = join<std::uint32_t>(column, rows, [](std::int64_t cell, bool) { return static_cast<std::uint32_t>(cell); });
  } else {
    values = join<std::int64_t>(column, rows, [](std::int64_t cell, bool) { return cell; });
  }
  if (is_text(column.kind)) {
    kind = 's';
    for (const auto name : column.texts.names()) names.append(nb::str(name.data(), name.size()));
  }
  if ((column.seen & seen_bool) && (column.seen & (seen_int | seen_real))) kind = '!';  // true/false and numbers mixed
  if ((column.seen & seen_missing) && (column.seen & seen_inexact) && !(column.seen & seen_real)) kind = '~';
  return nb::make_tuple(std::string(1, kind), values, names, column.missing, column.first_missing_line);
}

nb::list finish_tables(TableParser& parser, bool narrow) {
  nb::list tables;
  for (auto& table : parser.tables()) {
    nb::list columns;
    for (auto& column : table.columns) columns.append(column_to_python(column, table.rows, narrow));
    tables.append(nb::make_tuple(table.rows, columns));
    table.rows = 0;
  }
  return tables;
}

nb::list boundaries_of(const TableParser& parser) {
  nb::list out;
  for (const auto& boundary : parser.boundaries())
    out.append(nb::make_tuple(boundary.line, boundary.rows, nb::bytes(boundary.text.data(), boundary.text.size())));
  return out;
}

// A column comes as an int64 array, a float64 array, or (uint32 codes, list of bytes).
TextColumn text_column(nb::handle source) {
  TextColumn column;
  if (nb::isinstance<nb::tuple>(source)) {
    const auto pair = nb::cast<nb::tuple>(source);
    const auto codes = nb::cast<In<std::uint32_t>>(pair[0]);
    column.codes = codes.data();
    column.size = codes.size();
    for (nb::handle text : nb::cast<nb::list>(pair[1])) {
      const auto bytes = nb::cast<nb::bytes>(text);
      column.texts.emplace_back(bytes.c_str(), bytes.size());
    }
    return column;
  }
  In<std::int64_t> integers;
  if (nb::try_cast<In<std::int64_t>>(source, integers, false)) {
    column.integers = integers.data();
    column.size = integers.size();
    return column;
  }
  const auto reals = nb::cast<In<double>>(source);
  column.reals = reals.data();
  column.size = reals.size();
  return column;
}

nb::bytes render(nb::list sources, std::string_view prefix, const std::string& delimiter, std::size_t begin,
                 std::size_t end) {
  std::vector<TextColumn> columns;
  for (nb::handle source : sources) columns.push_back(text_column(source));
  for (const auto& column : columns)
    if (begin > end || column.size < end) throw std::invalid_argument("rows outside the columns");
  std::string text;
  {
    nb::gil_scoped_release release;
    text = render_rows(columns, prefix, one_char(delimiter), begin, end);
  }
  return nb::bytes(text.data(), text.size());
}

nb::bytes render_adjacency(const std::vector<In<std::int64_t>>& fronts, In<std::int64_t> offsets,
                           const std::vector<In<std::int64_t>>& entries, std::size_t begin, std::size_t end) {
  const CsrFault fault = check_offsets({offsets.data(), offsets.size()}, entries.at(0).size());
  std::vector<const std::int64_t*> before, inside;
  for (const auto& values : fronts) before.push_back(values.data());
  for (const auto& values : entries) inside.push_back(values.data());
  bool fits = fault.what == CsrFault::none && begin <= end && end < offsets.size();
  for (const auto& values : fronts) fits = fits && values.size() + 1 == offsets.size();
  for (const auto& values : entries) fits = fits && values.size() == entries[0].size();
  if (!fits) throw std::invalid_argument("columns and offsets do not fit together");
  std::string text;
  {
    nb::gil_scoped_release release;
    text = render_lists(before, offsets.data(), inside, begin, end);
  }
  return nb::bytes(text.data(), text.size());
}

nb::tuple fault_tuple(const CsrFault& fault) {
  return nb::make_tuple(static_cast<int>(fault.what), fault.vertex, fault.value);
}

// (fault, vertex, value, mirrors or None): see symmetry.hpp.
nb::tuple check_lists(In<std::int64_t> offsets, In<std::int64_t> neighbors, bool mirrored) {
  if (offsets.size() == 0) throw std::invalid_argument("offsets must have one entry more than there are vertices");
  const std::span<const std::int64_t> starts(offsets.data(), offsets.size());
  const std::span<const std::int64_t> entries(neighbors.data(), neighbors.size());
  Fresh<std::int64_t> mirrors(mirrored ? entries.size() : 0);
  CsrFault fault;
  {
    nb::gil_scoped_release release;
    fault = check_csr(starts, entries);
    if (fault.what == CsrFault::none && mirrored) fault = pair_mirrors(starts, entries, {mirrors.data.get(), mirrors.size});
  }
  nb::object pairs = fault.what == CsrFault::none && mirrored ? mirrors.to_python() : nb::none();
  return nb::make_tuple(fault_tuple(fault), pairs);
}
}  // namespace

void bind_formats(nb::module_& m) {
  nb::class_<TableParser>(m, "TableParser", "Parses lines of fields into columns; fed block by block.")
      .def("__init__",
           [](TableParser* self, const std::vector<SchemaArgs>& schemas, const std::string& delimiter,
              const std::string& comments, const std::string& boundary, std::uint64_t skip, std::size_t threads,
              std::size_t least_chunk) {
             if (schemas.empty()) throw std::invalid_argument("at least one schema");
             std::vector<Schema> made;
             for (const auto& [tag, kinds, required] : schemas) made.push_back({one_char(tag), kinds, required});
             new (self) TableParser(std::move(made), {one_char(delimiter), comments, one_char(boundary), skip,
                                                      std::max<std::size_t>(1, threads), least_chunk});
           },
           nb::arg("schemas"), nb::arg("delimiter"), nb::arg("comments"), nb::arg("boundary"), nb::arg("skip"),
           nb::arg("threads"), nb::arg("least_chunk"))
      .def("feed", &feed<TableParser>)
      .def("error", [](const TableParser& self) { return error_of(self.error()); })
      .def("lines", &TableParser::lines)
      .def("boundaries", &boundaries_of)
      .def("finish", &finish_tables, nb::arg("narrow") = false);

  nb::class_<RaggedParser>(m, "RaggedParser", "Parses lines with any number of integers; fed block by block.")
      .def("__init__",
           [](RaggedParser* self, const std::string& comments, std::uint64_t skip, std::size_t threads,
              std::size_t least_chunk) {
             new (self) RaggedParser({'\0', comments, '\0', skip, std::max<std::size_t>(1, threads), least_chunk});
           },
           nb::arg("comments"), nb::arg("skip"), nb::arg("threads"), nb::arg("least_chunk"))
      .def("feed", &feed<RaggedParser>)
      .def("error", [](const RaggedParser& self) { return error_of(self.error()); })
      .def("finish", [](RaggedParser& self) {
        return nb::make_tuple(to_numpy(std::move(self.values)), to_numpy(std::move(self.counts)),
                              to_numpy(std::move(self.numbers)));
      });

  nb::class_<QuoteChecker>(m, "QuoteChecker", "Checks the quotes of a CSV file; fed block by block.")
      .def("__init__", [](QuoteChecker* self, const std::string& delimiter) { new (self) QuoteChecker(one_char(delimiter)); })
      .def("feed", &feed<QuoteChecker>)
      .def("line", &QuoteChecker::line)
      .def("open_line", &QuoteChecker::open_line);

  m.def("render_rows", &render, nb::arg("columns"), nb::arg("prefix"), nb::arg("delimiter"), nb::arg("begin"),
        nb::arg("end"));
  m.def("render_lists", &render_adjacency, nb::arg("fronts"), nb::arg("offsets"), nb::arg("entries"), nb::arg("begin"),
        nb::arg("end"));
  m.def("check_lists", &check_lists, nb::arg("offsets"), nb::arg("neighbors"), nb::arg("mirrored"));
}
}  // namespace subiso
