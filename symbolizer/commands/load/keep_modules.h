#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// File: what a tree's report needs of files that only a living process has
/// (symbolizer/names/locate/kept_module.h, docs/design/symbolizer.md).

namespace csink::tool {

/// Copies the sampled files of a spool's process beside the spool, where the path will not lead to
/// them when the tree is reported: deleted files and memfds, and files of another mount namespace
/// or root folder than that of `csink run` (SayWhereFilesAre). The process must still run. What
/// cannot be copied is left out.
void KeepModulesOf(const std::string& spool_path);

/// Writes into a tree's folder in which mount namespace and below which root folder its report will
/// look for files. The agents of the tree compare theirs.
void SayWhereFilesAre(const std::string& folder);

/// Removes that again, at the end of a tree whose spools are kept: nobody compares it any more, and
/// the copies beside the spools are not those of a killed csink.
void ForgetWhereFilesAre(const std::string& folder);

/// Paths of all that these functions left in a tree's folder.
std::vector<std::string> KeptIn(const std::string& folder);

/// Removes them from the folder of a tree whose csink has ended: it was killed.
void RemoveLeftKept(const std::string& folder);

}  // namespace csink::tool
