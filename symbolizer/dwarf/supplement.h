#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "symbolizer/elf/file.h"

/// File: the link from debug information to the supplementary file, into which dwz moved what
/// several modules share. The link is .gnu_debugaltlink (a name, then a build id), or .debug_sup of
/// DWARF 5 (7.3.6: version, is_supplementary, name, length and bytes of a checksum).

namespace csink::symbolizer {

struct SupplementLink {
  std::string name;              ///< As written: absolute, or relative to the linking file
  std::vector<std::uint8_t> id;  ///< Build id, or checksum of .debug_sup; never empty
  bool is_dwarf5 = false;        ///< The supplementary file has `id` in its own .debug_sup
};

/// nullopt: there is no link, or it is damaged.
std::optional<SupplementLink> ReadSupplementLink(const ElfFile& elf);

/// The paths where the file may be, likeliest first. `path` is the path of the linking file,
/// `real_path` the same with symbolic links resolved.
std::vector<std::string> SupplementPaths(const SupplementLink& link, const std::string& path,
                                         const std::string& real_path);

/// Whether `file` is the file that the link refers to.
bool IsSupplement(const ElfFile& file, const SupplementLink& link);

}  // namespace csink::symbolizer
