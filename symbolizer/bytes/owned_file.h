#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "core/util/unique_fd.h"

/// File: what a profiled process left where anybody may write (/tmp), taken as hostile.

namespace csink::symbolizer {

/// Whose map, and of which run.
struct PerfMapOwner {
  std::uint32_t pid = 0;  ///< 0: unknown, no map
  std::uint32_t uid = 0;
  std::uint64_t start_realtime_ns = 0;  ///< 0: unknown; an older file is another process's
};

struct OwnedFile {
  UniqueFd fd;  ///< Empty: there is none, or it is not to be trusted
  std::uint64_t bytes = 0;
  std::string problem;  ///< Empty, or why the file that is there was not opened
};

/// Opens a file that must be a regular one with one name, belong to the process's user or to root,
/// have been written after the process began, and not be larger than `max_bytes`.
OwnedFile OpenOwned(const std::string& path, const PerfMapOwner& owner, std::uint64_t max_bytes);

}  // namespace csink::symbolizer
