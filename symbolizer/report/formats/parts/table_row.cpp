#include "symbolizer/report/formats/parts/table_row.h"

#include <charconv>
#include <cmath>

#include "core/util/json_writer.h"
#include "symbolizer/report/formats/parts/clean.h"
#include "symbolizer/report/formats/parts/csv_field.h"

namespace csink::report {

TableRow::TableRow(RowForm form, std::span<const char* const> columns)
    : form_(form), columns_(columns) {}

void TableRow::WriteHead(Sink& sink) const {
  if (form_ != RowForm::kCsv) return;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (i != 0) sink << ',';
    sink << columns_[i];
  }
  sink << "\r\n";
}

// What stands before a field: its separator, and in JSON its name.
void TableRow::Begin() {
  if (form_ == RowForm::kNdjson) {
    row_ += column_ == 0 ? "{\"" : ",\"";
    row_ += columns_[column_];
    row_ += "\":";
  } else if (column_ != 0) {
    row_ += ',';
  }
  ++column_;
}

// An empty text counts as unknown, because an empty field of CSV may mean both.
TableRow& TableRow::Text(std::string_view text) {
  if (text.empty()) return Unknown();
  Begin();
  const std::string clean = CleanField(text);
  if (form_ == RowForm::kCsv) {
    row_ += CsvField(clean);
  } else {
    JsonStrings::Write(row_, clean);
  }
  return *this;
}

TableRow& TableRow::Count(std::uint64_t count) {
  Begin();
  row_ += std::to_string(count);
  return *this;
}

// The shortest text that reads back as the same number, with a point in every locale.
TableRow& TableRow::Number(double number) {
  if (!std::isfinite(number)) return Unknown();
  Begin();
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, number);
  row_.append(text, end.ptr);
  return *this;
}

TableRow& TableRow::Unknown() {
  Begin();
  if (form_ == RowForm::kNdjson) row_ += "null";
  return *this;
}

// The fields that rows share are written once and kept (docs/design/report.md).
void TableRow::BackTo(Position position) {
  row_.resize(position.bytes);
  column_ = position.column;
}

void TableRow::Write(Sink& sink) const {
  sink << row_ << (form_ == RowForm::kCsv ? "\r\n" : "}\n");
}

}  // namespace csink::report
