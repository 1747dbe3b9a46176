#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "symbolizer/names/resolve/resolver.h"

/// File: tells the program's own source files from those of libraries, by their folders, and finds
/// the program's own line for code of a library's header.

namespace csink::report {

/// Whether a file is a header or a source of an installed library or of a language's runtime.
inline bool IsLibraryCode(const std::string& file) {
  for (const char* begin : {"/usr/include/", "/usr/lib/", "/usr/local/include/", "/rustc/"}) {
    if (file.starts_with(begin)) return true;
  }
  // A compiler in a folder of its own.
  return file.find("/include/c++/") != std::string::npos;
}

/// A file and a line in it; 0: none.
using Position = std::pair<std::string, std::uint32_t>;

/// The innermost position of an address that is not in library code: its line, or a line that it
/// was inlined at. Empty and 0 if there is none.
inline Position OwnPosition(const symbolizer::Location& location) {
  if (!IsLibraryCode(location.file)) return {location.file, location.line};
  for (const symbolizer::InlineFrame& frame : location.inlined) {
    const bool is_known = !frame.call_file.empty() && frame.call_line != 0;
    if (is_known && !IsLibraryCode(frame.call_file)) return {frame.call_file, frame.call_line};
  }
  return {};
}

/// The position with the largest weight. Of equal ones the first in the map's order, so that the
/// same profile gives the same line. Empty and 0 if all weights are 0.
inline Position Heaviest(const std::map<Position, std::uint64_t>& weights) {
  Position heaviest;
  std::uint64_t most = 0;
  for (const auto& [where, weight] : weights) {
    if (weight <= most) continue;
    most = weight;
    heaviest = where;
  }
  return heaviest;
}

}  // namespace csink::report
