#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>

#include "symbolizer/lines/hint.h"

namespace csink::symbolizer {

class DebugFiles;

/// The folder of the compilation (DW_AT_comp_dir) by the place of the line table in .debug_line.
using FoldersByLines = std::map<std::uint64_t, std::string>;

/// Finds the folders of the line tables at `wanted`. Needed for the relative paths of DWARF 2 to 4:
/// their line tables do not contain the folder.
///
/// Units of `hinted` are read first. The root DIEs of all others are read only while a folder is
/// missing. `files` opens the file of texts that dwz moved out; null: those texts are unknown. A
/// line table without a folder is not in the answer.
FoldersByLines CompilationFolders(const ElfFile& file, DebugFiles* files,
                                  std::span<const HintedUnit> hinted,
                                  std::set<std::uint64_t> wanted);

}  // namespace csink::symbolizer
