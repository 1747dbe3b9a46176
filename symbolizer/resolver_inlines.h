#pragma once

#include <span>
#include <vector>

#include "symbolizer/dwarf_files.h"
#include "symbolizer/elf_file.h"
#include "symbolizer/resolver.h"

namespace csink::symbolizer {

/// Fills Location::inlined from the .debug_info of `info`, and names what no symbol names. `files`
/// are those that it refers to. `vaddrs` is sorted, `locations` has one for each with what symbols
/// and lines told.
void AddInlines(const ElfFile& info, DebugFiles& files, std::span<const std::uint64_t> vaddrs,
                std::vector<Location>& locations);

}  // namespace csink::symbolizer
