#pragma once

#include <optional>
#include <string>

#include "symbolizer/elf_file.h"

namespace csink::symbolizer {

/// A separate file with the symbols and lines of another.
struct DebugFile {
  std::string path;  ///< As opened, without the root
  ElfFile elf;
};

/// Looks for the debug file of `elf` (which lies at `path`): by build id below
/// /usr/lib/debug/.build-id, then by .gnu_debuglink beside it, in .debug/ and below
/// /usr/lib/debug. A candidate is taken only if its build id is the same, or, for
/// files without one, if the link's CRC fits. `root` goes before every path.
std::optional<DebugFile> FindDebugFile(const ElfFile& elf, const std::string& path,
                                       const std::string& root);

/// The small symbol table that distributions leave in stripped files
/// (.gnu_debugdata, "MiniDebugInfo").
std::optional<ElfFile> ReadMiniDebugInfo(const ElfFile& elf);

}  // namespace csink::symbolizer
