#pragma once

#include <cstdint>
#include <optional>

#include "symbolizer/names/elf/file.h"

/// File: converts between a *place* and an address. A place is how ModuleRequest::file_offsets
/// names code: the byte's offset in the file, because a mapping (/proc/PID/maps) gives offsets.
/// Files that are never mapped (object files linked by elf/linked_object.h, separate debug files)
/// may hold addresses without file offsets. In those files, a place is the address itself.

namespace csink::symbolizer {

/// The place of `vaddr`, an address in the file's own address space. nullopt: no segment of the
/// program contains the address in its file bytes; in files that are never mapped, no section of
/// code does.
std::optional<std::uint64_t> PlaceOf(const ElfFile& file, std::uint64_t vaddr);

/// The inverse of PlaceOf. nullopt: no PT_LOAD segment contains the file offset. In files that are
/// never mapped every place is an address.
std::optional<std::uint64_t> AddressAt(const ElfFile& file, std::uint64_t place);

}  // namespace csink::symbolizer
