#pragma once

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "symbolizer/names/resolve/code_file.h"
#include "symbolizer/report/annotate/annotation.h"

/// File: finds the source text for the lines of a function, and judges whether it is the text that
/// was compiled.

namespace csink::annotate {

/// What the samples and the code say about one file. Line numbers are counted from 1.
struct LinesOfFile {
  /// Samples by line; one element for each event.
  std::map<std::uint32_t, std::vector<EventCount>> sampled;
  /// Lines of the instructions that are shown.
  std::set<std::uint32_t> beside_code;
  /// First and last line of the function itself. Both are 0 if the function is in another file.
  std::uint32_t first = 0;
  std::uint32_t last = 0;
};
/// By the path that the line table has.
using LinesByFile = std::map<std::string, LinesOfFile>;

/// Reads the files and chooses the lines to show: the whole function if it is short, else the
/// sampled lines with Settings::context lines around them. A file that cannot be read is listed
/// with its problem and without text. Sorted: the function's own file first, then by weight.
///
/// Warns if a file may not be what was compiled. If the line table has an MD5, only the MD5
/// decides. Otherwise: if size or modification time differ from those in the line table, or without
/// a recorded time if the file is newer than the module. Also: if the file has fewer lines than the
/// code refers to, and if the recorded path is relative, so that the file may belong to another
/// program. A matching MD5 removes all other warnings.
///
/// `function` is the function's sum, to which the cells' shares refer; `module` is the file that
/// was mapped.
std::vector<Source> ListSources(const report::Report& report,
                                const std::vector<EventCount>& function, const LinesByFile& files,
                                const symbolizer::CodeFile& module, const SourcePlaces& places,
                                const Settings& settings);

}  // namespace csink::annotate
