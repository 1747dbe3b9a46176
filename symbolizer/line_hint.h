#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "symbolizer/elf_file.h"

namespace csink::symbolizer {

/// Where in .debug_line the units of these addresses begin, as .debug_aranges (DWARF 5, 6.1.2) and
/// the root DIEs of the units of .debug_info that it names say: sorted, each once.
///
/// A hint and no more: compilers leave the section out or half empty, and nothing in it is trusted.
/// Empty also where .debug_info is compressed. `vaddrs` is sorted.
std::vector<std::uint64_t> HintedLineUnits(const ElfFile& file,
                                           std::span<const std::uint64_t> vaddrs);

}  // namespace csink::symbolizer
