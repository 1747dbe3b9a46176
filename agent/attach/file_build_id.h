#pragma once

#include <cstddef>
#include <cstdint>

#include "core/machine/maps.h"

namespace csink::attach {

/// Reads the GNU build-id of the ELF file `fd` (32 or 64 bits, little-endian) from its PT_NOTE
/// segments. A longer build-id is cut to kMaxBuildIdBytes. Returns its size in bytes; 0: none, or
/// not such a file. The file's position is unchanged. core/machine's ReadBuildId reads the image in
/// this process's memory; the memory of another process cannot be read without the right to trace
/// it.
/// Threads: any.
std::size_t ReadFileBuildId(int fd, std::uint8_t (&out)[kMaxBuildIdBytes]);

}  // namespace csink::attach
