#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "symbolizer/names/elf/file.h"

namespace csink::symbolizer {

/// The starts of the functions that the function `symbol` reaches by direct calls and jumps, with
/// its own start, sorted: in one step the functions that its code names, in two steps those that
/// their code names. A stripped library keeps the names of its exported functions only, and this
/// tells what its other functions are for. Addresses are in the file's own address space.
///
/// Bounds of functions come from unwind entries, and a target counts only if a function starts
/// there. x86-64 and AArch64; empty on other machines, if no symbol table has a function of this
/// name, or if the function has no unwind entry. Calls through pointers and the PLT are not
/// followed.
std::vector<std::uint64_t> DirectCallees(const ElfFile& file, std::string_view symbol, int steps);

}  // namespace csink::symbolizer
