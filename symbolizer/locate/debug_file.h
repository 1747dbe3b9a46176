#pragma once

#include <optional>
#include <span>
#include <string>

#include "symbolizer/elf/file.h"
#include "symbolizer/query/fetch.h"

namespace csink::symbolizer {

/// Where distributions put what belongs to other files.
inline constexpr char kDebugFolder[] = "/usr/lib/debug";

/// "/usr/lib/debug/.build-id/ab/cdef.debug"; empty for an id too short to have one. With the
/// suffix "" it is the path of the file itself, where that is kept.
std::string BuildIdPath(std::span<const std::uint8_t> build_id,
                        const std::string& suffix = ".debug");

/// A separate file with the symbols and lines of another.
struct DebugFile {
  std::string path;  ///< As opened, without the root
  ElfFile elf;       ///< Linked, if it is an object file (linked_object.h)
};

/// Looks for the debug file of `elf` (which lies at `path`): by build id below
/// /usr/lib/debug/.build-id, then by .gnu_debuglink beside it, in .debug/ and below
/// /usr/lib/debug. A candidate is taken only if its build id is the same, or, for
/// files without one, if the link's CRC fits. `root` goes before every path.
/// Where nothing is found here, `fetch` is asked. Where nothing is found at all, `refused` says why
/// the first file that was there was not taken; empty: there was none.
std::optional<DebugFile> FindDebugFile(const ElfFile& elf, const std::string& path,
                                       const std::string& root, const FetchFile& fetch = {},
                                       std::string* refused = nullptr);

/// The small symbol table that distributions leave in stripped files
/// (.gnu_debugdata, "MiniDebugInfo").
std::optional<ElfFile> ReadMiniDebugInfo(const ElfFile& elf);

}  // namespace csink::symbolizer
