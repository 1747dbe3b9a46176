#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "symbolizer/names/elf/file.h"
#include "symbolizer/names/query/request.h"

/// File: copies of files that only a living process has: deleted files, memfds, files of another
/// mount namespace. They are kept beside the spools of a tree when a process ends, because the tree
/// is reported later (docs/design/symbolizer.md).

namespace csink::symbolizer {

/// The names of all kept files begin so.
inline constexpr std::string_view kKeptPrefix = "module-";

/// Limits: a larger file is not kept, and no further one when the folder has so many bytes of them.
inline constexpr std::uint64_t kMostKeptBytes = std::uint64_t{256} << 20;
inline constexpr std::uint64_t kMostKeptInFolder = std::uint64_t{1} << 30;

/// The name of the request's file in a folder of kept files, from its build id, or from device and
/// inode. Empty: it has neither, and cannot be kept.
std::string KeptName(const ModuleRequest& request);

/// Copies the request's file from a process that still runs (request.processes) into
/// request.kept_folder, unless it is there. The copy has its name only when it is complete. Returns
/// false if no process has the file, or if it cannot be written. `proc` is "/proc".
bool KeepModule(const ModuleRequest& request, const std::string& proc);

/// Opens a kept file. Another file under its name is refused by its build id.
std::optional<ElfFile> OpenKeptModule(const ModuleRequest& request);

}  // namespace csink::symbolizer
