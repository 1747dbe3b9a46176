#pragma once

#include <optional>
#include <span>
#include <string>

#include "symbolizer/names/elf/file.h"
#include "symbolizer/names/query/request.h"

namespace csink::symbolizer {

/// Where distributions install separate debug files: by build id below .build-id, by path for debug
/// links, and in .dwz what dwz moved out.
inline constexpr char kDebugFolder[] = "/usr/lib/debug";

/// "/usr/lib/debug/.build-id/ab/cdef.debug". Empty if the build id has fewer than two bytes. With
/// an empty `suffix`: the path where a copy of the file itself may be kept.
std::string BuildIdPath(std::span<const std::uint8_t> build_id,
                        const std::string& suffix = ".debug");

/// A separate file that holds the symbols and lines of another file. Its addresses are those of the
/// other file; its sections of code usually have no bytes.
struct DebugFile {
  std::string path;  ///< As opened, without `root`
  ElfFile elf;       ///< Linked, if it is an object file (elf/linked_object.h)
};

/// Looks for the debug file of `elf`, which lies at `path`: first by build id below
/// /usr/lib/debug/.build-id, then by the name in .gnu_debuglink beside `path`, in .debug/ and below
/// /usr/lib/debug. A candidate is accepted only if its machine is the same and its build id is the
/// same, or, for files without a build id, if the CRC in .gnu_debuglink fits. `root` is put before
/// every path that is opened. `fetch` is called if no local file is found. If nothing is found at
/// all, `refused` says why the first existing candidate was not accepted; empty: no candidate
/// existed.
/// Cost: a candidate without a build id is read whole, for its CRC.
std::optional<DebugFile> FindDebugFile(const ElfFile& elf, const std::string& path,
                                       const std::string& root, const FetchFile& fetch = {},
                                       std::string* refused = nullptr);

/// The small symbol table that some distributions leave in stripped files: section .gnu_debugdata
/// ("MiniDebugInfo"), an xz-compressed ELF file of at most 256 MiB. nullopt: there is none, or it
/// is damaged. The file is in memory and has neither code nor lines.
std::optional<ElfFile> ReadMiniDebugInfo(const ElfFile& elf);

}  // namespace csink::symbolizer
