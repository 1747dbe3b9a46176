#pragma once

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "symbolizer/annotate/annotation.h"
#include "symbolizer/resolve/code_file.h"

/// File: from the lines of a function to the text of its sources.

namespace csink::annotate {

/// What is known of one file before it is read.
struct LinesOfFile {
  std::map<std::uint32_t, std::vector<EventCount>> sampled;
  std::set<std::uint32_t> beside_code;  ///< Lines of instructions that are shown
  std::uint32_t first = 0;              ///< The function's own lines; 0: it is not its file
  std::uint32_t last = 0;
};
using LinesByFile = std::map<std::string, LinesOfFile>;

/// Reads the files and chooses what is shown of them. Warns of a source that may not be what was
/// compiled: by the MD5, the size or the modification time that the line table has of it, else when
/// it is newer than the module's file; when it has fewer lines than the code; and when its path is
/// relative, so that it may be another program's.
std::vector<Source> ListSources(const report::Report& report,
                                const std::vector<EventCount>& function, const LinesByFile& files,
                                const symbolizer::CodeFile& module, const SourcePlaces& places,
                                const Settings& settings);

}  // namespace csink::annotate
