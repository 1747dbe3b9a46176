#pragma once

#include <cstdint>
#include <optional>

#include "symbolizer/elf/file.h"

/// File: places in a file, as ModuleRequest::file_offsets has them. Code of a program is named by
/// its offset in the file, since that is what a mapping tells. Files that are never mapped (object
/// files, separate debug files) have code without offsets: there, addresses stand for themselves.

namespace csink::symbolizer {

/// The place of an address of the file's own. nullopt: the file has nothing there.
std::optional<std::uint64_t> PlaceOf(const ElfFile& file, std::uint64_t vaddr);

/// The other way. nullopt: a program has no segment there.
std::optional<std::uint64_t> AddressAt(const ElfFile& file, std::uint64_t place);

}  // namespace csink::symbolizer
