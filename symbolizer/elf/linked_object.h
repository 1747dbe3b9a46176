#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/util/result.h"
#include "symbolizer/elf/file.h"

/// File: object files (ET_REL: .o, .ko, and the .debug files of kernel modules). All their sections
/// begin at address 0, and their debug information contains relocations instead of addresses.

namespace csink::symbolizer {

/// Links an object file as far as names and lines need it: every section of code gets an address of
/// its own (sections()[i].sh_addr), the symbols in it are moved there, and the debug sections are
/// inflated and relocated. The result is an image in memory and is read like any program. The
/// addresses depend only on the sections of code, so that a module and its separate debug file
/// agree. A file that is not an object file is returned unchanged.
/// Errors: kUnsupported (the machine's relocations are not known), kLimit (1 GiB and more),
/// kCorrupt.
Result<ElfFile> LinkObject(ElfFile file);

/// The address that LinkObject gave to the byte at `offset` in a section of code. Without a
/// `section` name, the first section of the file that contains the offset is used.
std::optional<std::uint64_t> LinkedAddress(const ElfFile& linked, std::uint64_t offset,
                                           std::string_view section);

}  // namespace csink::symbolizer
