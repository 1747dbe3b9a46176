#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "symbolizer/report/formats/parts/sink.h"

/// File: one row of a table for databases, as CSV or as JSON. Rows that begin with the same fields
/// share the text of those fields, so that a long command is encoded once, not once a row.

namespace csink::report {

/// How rows are written.
enum class RowForm {
  kCsv,     ///< RFC 4180: a line of names first, lines end in CR LF
  kNdjson,  ///< A JSON object a line, lines end in LF
};

/// A row that is put together field by field, in the order of the columns. An unknown value is an
/// empty field in CSV and null in JSON. Threads: one at a time.
class TableRow {
 public:
  /// `columns`: the names, in plain ASCII without quotes; must outlive the row.
  TableRow(RowForm form, std::span<const char* const> columns);

  /// Writes what stands before the first row: the names in CSV, nothing in JSON.
  void WriteHead(Sink& sink) const;

  /// Appends a name or another text. Cleaned as by CleanField; empty: unknown.
  TableRow& Text(std::string_view text);
  TableRow& Count(std::uint64_t count);
  /// The shortest text that reads back as the same number, independent of the locale. Infinite or
  /// not a number: unknown.
  TableRow& Number(double number);
  TableRow& Unknown();

  /// How far a row has got.
  struct Position {
    std::size_t bytes = 0;
    std::size_t column = 0;
  };
  Position Here() const { return {row_.size(), column_}; }
  /// Takes back the fields behind a position of this row. Position{} takes back all.
  void BackTo(Position position);

  /// Writes the row, which must have a field for each column, and its end. The fields remain.
  void Write(Sink& sink) const;

 private:
  /// Appends what stands before the next field.
  void Begin();

  RowForm form_;
  std::span<const char* const> columns_;
  std::string row_;
  std::size_t column_ = 0;
};

}  // namespace csink::report
