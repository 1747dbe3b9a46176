#pragma once

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "symbolizer/annotate/annotation.h"
#include "symbolizer/resolve/code_file.h"

/// File: finds the source text for the lines of a function.

namespace csink::annotate {

/// What the samples say about one file.
struct LinesOfFile {
  std::map<std::uint32_t, std::vector<EventCount>> sampled;
  std::set<std::uint32_t> beside_code;  ///< Lines of the instructions that are shown
  /// First line of the function itself; 0: the function is in another file
  std::uint32_t first = 0;
  std::uint32_t last = 0;
};
using LinesByFile = std::map<std::string, LinesOfFile>;

/// Reads the files and chooses the lines to show. Warns if a file may not be what was compiled: if
/// MD5, size or modification time differ from those in the line table, or without these if the file
/// is newer than the module; if the file has fewer lines than the code refers to; and if the
/// recorded path is relative, so that the file may belong to another program.
std::vector<Source> ListSources(const report::Report& report,
                                const std::vector<EventCount>& function, const LinesByFile& files,
                                const symbolizer::CodeFile& module, const SourcePlaces& places,
                                const Settings& settings);

}  // namespace csink::annotate
