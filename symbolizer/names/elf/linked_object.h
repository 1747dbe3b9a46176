#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/util/result.h"
#include "symbolizer/names/elf/file.h"

/// File: object files (ET_REL: .o, .ko, and the .debug files of kernel modules). All their sections
/// begin at address 0, and their debug information contains relocations instead of addresses. So an
/// address means nothing without its section until the file is linked.

namespace csink::symbolizer {

/// Links an object file as far as names and lines need it: every section of code gets an address of
/// its own (sections()[i].sh_addr), the symbols in it are moved there, and the debug sections are
/// inflated and relocated. Code and data are not relocated. The result is an image in memory and is
/// read like any program; it has no segments. The addresses depend only on the sizes and order of
/// the sections of code, so that a module and its separate debug file agree. A file that is not an
/// object file is returned unchanged.
/// Errors: kUnsupported (the machine's relocations, or one of their types, are not known), kLimit
/// (1 GiB and more with the inflated sections), kCorrupt (sections of code larger than 2 GiB
/// together, relocation sections that overlap).
/// Memory: the whole file and its inflated debug sections.
Result<ElfFile> LinkObject(ElfFile file);

/// The address that LinkObject gave to the byte at `offset` in a section of code. Without a
/// `section` name, the first section of the file that contains the offset is used, as addr2line
/// does. nullopt: no such section, or the offset is behind its end. `linked` is a result of
/// LinkObject.
std::optional<std::uint64_t> LinkedAddress(const ElfFile& linked, std::uint64_t offset,
                                           std::string_view section);

}  // namespace csink::symbolizer
