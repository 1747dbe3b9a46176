#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "symbolizer/elf/file.h"

namespace csink::symbolizer {

/// The bounds of one function as its unwind entry says them.
struct CodeRange {
  std::uint64_t start = 0;
  std::uint64_t end = 0;
};

/// The functions around a known set of addresses, from .eh_frame, which stripped
/// files keep. Goes through the sorted table of .eh_frame_hdr, or without it
/// through all of .eh_frame. `vaddrs` is sorted; one answer per address.
std::vector<std::optional<CodeRange>> MatchUnwindEntries(const ElfFile& file,
                                                         std::span<const std::uint64_t> vaddrs);

}  // namespace csink::symbolizer
