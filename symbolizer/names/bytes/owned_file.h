#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "core/util/unique_fd.h"

/// File: opens files that a profiled process left in a folder which every user can write to (/tmp):
/// perf maps and jitdumps. Such files are not trusted: csink may run with more rights than the user
/// that wrote the file, and the number of a process is used again.

namespace csink::symbolizer {

/// The process that the file describes, and when it began. From the profile or from /proc, never
/// from the file.
struct PerfMapOwner {
  /// The process's number as the file's name has it, which is its number inside its pid namespace.
  /// 0: unknown, no map.
  std::uint32_t pid = 0;
  /// The user of the process. A file of another user is refused, except root's.
  std::uint32_t uid = 0;
  /// Start of the process, or of its image; ns since the epoch (CLOCK_REALTIME), 0: unknown. A file
  /// older than this belongs to another process. Not the begin of a recording: a JIT may have
  /// written its last line before.
  std::uint64_t began_realtime_ns = 0;
};

/// The result of OpenOwned.
struct OwnedFile {
  UniqueFd fd;  ///< Empty: there is no file, or it is not trusted
  /// Size when the file was opened; the process may still append to it.
  std::uint64_t bytes = 0;
  std::string problem;  ///< Why an existing file was not opened; else empty
};

/// Opens a file only if it is a regular file with a single link, is owned by the process's user or
/// by root, was written after the process started, and has at most `max_bytes` bytes. The file is
/// checked after it was opened (fstat), so that it cannot be exchanged between the check and the
/// use.
OwnedFile OpenOwned(const std::string& path, const PerfMapOwner& owner, std::uint64_t max_bytes);

}  // namespace csink::symbolizer
