#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "symbolizer/report/tables/report.h"

namespace csink::report {

/// File and number of the line of a function to look at: the program's own before that of a
/// library's header. Empty and 0 if no line is known. Threads: any.
inline std::pair<std::string, std::uint32_t> HottestLineOf(const FunctionRow& row) {
  return row.own_line != 0 ? std::pair(row.own_file, row.own_line) : std::pair(row.file, row.line);
}

}  // namespace csink::report
