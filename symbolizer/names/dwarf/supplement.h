#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "symbolizer/names/elf/file.h"

/// File: the link from debug information to the supplementary file, into which dwz moved what
/// several modules share. The link is .gnu_debugaltlink (a name, then a build id), or .debug_sup of
/// DWARF 5 (7.3.6: version, is_supplementary, name, length and bytes of a checksum).

namespace csink::symbolizer {

/// The link as a module's debug information has it.
struct SupplementLink {
  std::string name;              ///< As written: absolute, or relative to the linking file
  std::vector<std::uint8_t> id;  ///< Build id, or checksum of .debug_sup; never empty
  bool is_dwarf5 = false;        ///< The supplementary file has `id` in its own .debug_sup
};

/// The link in a module or its debug file. nullopt: there is no link, it is damaged, or `elf` is
/// itself a supplementary file.
std::optional<SupplementLink> ReadSupplementLink(const ElfFile& elf);

/// The paths where the file may be, likeliest first: as the link says, in /usr/lib/debug/.dwz, and
/// by build id. `path` is the path of the linking file, `real_path` the same with symbolic links
/// resolved: a relative link may count from either.
std::vector<std::string> SupplementPaths(const SupplementLink& link, const std::string& path,
                                         const std::string& real_path);

/// Whether `file` is the file that the link refers to, by build id or checksum. The offsets in the
/// linking file fit no other file: with another one, names would be wrong.
bool IsSupplement(const ElfFile& file, const SupplementLink& link);

/// The folder of a path with its slash, as a name in that folder is put behind it: "/a/b" -> "/a/",
/// "b" -> "".
inline std::string FolderWithSlash(const std::string& path) {
  return path.substr(0, path.rfind('/') + 1);
}

}  // namespace csink::symbolizer
