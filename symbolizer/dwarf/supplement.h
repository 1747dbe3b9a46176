#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "symbolizer/elf/file.h"

/// File: the link from debug information to what several modules share, which dwz moved into a
/// file of its own: .gnu_debugaltlink (a name, then a build id) or .debug_sup of DWARF 5 (section
/// 7.3.6: version, is_supplementary, name, length and bytes of a checksum).

namespace csink::symbolizer {

struct SupplementLink {
  std::string name;              ///< As written: absolute, or relative to the linking file
  std::vector<std::uint8_t> id;  ///< Build id, or the checksum of .debug_sup; never empty
  bool is_dwarf5 = false;        ///< `id` stands in the other file's .debug_sup, too
};

/// Nothing where there is no link, or a damaged one.
std::optional<SupplementLink> ReadSupplementLink(const ElfFile& elf);

/// Where the file may lie, likeliest first. `path` is the linking file's, `real_path` the same
/// with symbolic links followed.
std::vector<std::string> SupplementPaths(const SupplementLink& link, const std::string& path,
                                         const std::string& real_path);

/// Whether `file` is the one that the link means.
bool IsSupplement(const ElfFile& file, const SupplementLink& link);

}  // namespace csink::symbolizer
