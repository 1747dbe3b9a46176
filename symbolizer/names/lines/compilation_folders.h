#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>

#include "symbolizer/names/lines/hint.h"

namespace csink::symbolizer {

class DebugFiles;

/// Folders of compilations (DW_AT_comp_dir). The key is the offset of the unit's line table in
/// .debug_line.
using FoldersByLines = std::map<std::uint64_t, std::string>;

/// Finds the folders for the line tables at the offsets in `wanted`. Relative paths in DWARF 2 to 4
/// need them: those line tables do not contain the folder (DWARF 5 tables do).
///
/// The units in `hinted` are read first. The root DIEs of the other units are read only while a
/// folder is missing. `files` opens the supplementary file that dwz wrote; null: strings in that
/// file stay unknown. A line table whose folder is not found is not in the answer. The work is
/// limited (dwarf::kMaxRootCost); further units are not read.
/// Threads: any; `files` is used by one thread at a time.
FoldersByLines CompilationFolders(const ElfFile& file, DebugFiles* files,
                                  std::span<const HintedUnit> hinted,
                                  std::set<std::uint64_t> wanted);

}  // namespace csink::symbolizer
