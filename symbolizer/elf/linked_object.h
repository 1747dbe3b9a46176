#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/util/result.h"
#include "symbolizer/elf/file.h"

/// File: object files (ET_REL: .o, .ko, and the .debug files of modules). All their sections begin
/// at address 0, and their debug information refers to sections that have no address yet.

namespace csink::symbolizer {

/// An object file as a linker would leave it, as far as names and lines need that: each section of
/// code has its own address (sections()[i].sh_addr), symbols in it are moved there, and the debug
/// sections are inflated and relocated. The result is an image in memory and is read like any
/// program. The addresses depend on the sections of code alone, so that a module and its separate
/// debug file agree. A file that is no object file comes back as it is.
/// Errors: kUnsupported (relocations of the machine are not known), kLimit (1 GiB and more),
/// kCorrupt.
Result<ElfFile> LinkObject(ElfFile file);

/// Where LinkObject put the byte at `offset` in a section of code: the first section of the file
/// that holds the offset, or the one named `section`, where a name is given.
std::optional<std::uint64_t> LinkedAddress(const ElfFile& linked, std::uint64_t offset,
                                           std::string_view section);

}  // namespace csink::symbolizer
