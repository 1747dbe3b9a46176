#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "symbolizer/names/elf/file.h"

namespace csink::symbolizer {

/// The bounds of a function [start, end) according to its unwind entry (FDE), in the file's own
/// address space. A function that the compiler split has an entry for each part.
struct CodeRange {
  std::uint64_t start = 0;
  std::uint64_t end = 0;
};

/// Finds the functions around a known set of addresses in .eh_frame (LSB Core, 10.6), which
/// stripped files keep because exceptions and stack traces need it. Searches the sorted table of
/// .eh_frame_hdr, or, if there is none, reads all of .eh_frame. `vaddrs` is sorted; the result has
/// one answer for each address; nullopt: no entry covers the address. `file` is the file that was
/// mapped: a separate debug file has neither section's bytes.
/// Cost: a binary search and one read for each function with .eh_frame_hdr; else the whole section.
std::vector<std::optional<CodeRange>> MatchUnwindEntries(const ElfFile& file,
                                                         std::span<const std::uint64_t> vaddrs);

}  // namespace csink::symbolizer
