#pragma once

#include <string>
#include <string_view>

#include "core/util/result.h"

namespace csink::tool {

/// Replaces a file atomically: writes `bytes` to PATH.part and renames it to PATH, so that a reader
/// sees the old or the new contents. Symbolic links are followed: the target is replaced, or
/// created if it does not exist. A file that is not regular (FIFO, terminal, /dev/null) is opened
/// and written directly, as a shell does. Two writers of one file at a time are not supported.
/// Errors carry errno; the former contents of PATH are then unchanged, unless it is not a regular
/// file.
Result<void> WriteWholeFile(const std::string& path, std::string_view bytes);

}  // namespace csink::tool
