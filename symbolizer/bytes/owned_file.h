#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "core/util/unique_fd.h"

/// File: opens files that a profiled process left in a folder which every user can write to (/tmp).
/// Such files are not trusted.

namespace csink::symbolizer {

/// The process whose file it is, and when that process started.
struct PerfMapOwner {
  std::uint32_t pid = 0;  ///< 0: unknown, no map
  std::uint32_t uid = 0;
  /// 0: unknown. A file older than this belongs to another process
  std::uint64_t start_realtime_ns = 0;
};

struct OwnedFile {
  UniqueFd fd;  ///< Empty: there is no file, or it is not trusted
  std::uint64_t bytes = 0;
  std::string problem;  ///< Why an existing file was not opened; else empty
};

/// Opens a file only if it is a regular file with a single link, is owned by the process's user or
/// by root, was written after the process started, and has at most `max_bytes` bytes.
OwnedFile OpenOwned(const std::string& path, const PerfMapOwner& owner, std::uint64_t max_bytes);

}  // namespace csink::symbolizer
