#pragma once

#include <string>
#include <string_view>

/// File: fields of comma-separated values, after RFC 4180.

namespace csink::report {

/// A text as a field: in double quotes, and with its quotes doubled, if it has a comma, a quote or
/// a line end (RFC 4180, section 2, rules 5 to 7); else unchanged.
inline std::string CsvField(std::string_view text) {
  if (text.find_first_of("\",\r\n") == text.npos) return std::string(text);
  std::string field = "\"";
  for (const char c : text) {
    if (c == '"') field += '"';
    field += c;
  }
  return field + '"';
}

}  // namespace csink::report
