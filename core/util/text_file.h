#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cstddef>
#include <string>

#include "core/util/unique_fd.h"

namespace csink {

/// Reads a whole file of /proc or /sys, at most 4 MiB. Returns what was read until the first error;
/// "" where the file cannot be opened. So callers cannot distinguish an empty file from a missing
/// one.
/// Why not std::ifstream iterators: where the process of a /proc file ends meanwhile, read(2) fails
/// and those throw. O_NONBLOCK and O_NOCTTY: a path of a fifo must not block, and a terminal must
/// not become the controlling terminal.
/// Errors:  throws std::bad_alloc; not for lean code.
/// Threads: any. Signals: not safe (heap).
inline std::string ReadTextFile(const std::string& path) {
  // More than /proc/cpuinfo of 2,000 CPUs; stops at files without end.
  constexpr std::size_t kMost = 4 << 20;
  std::string text;
  const UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  if (!fd) return text;
  char piece[4096];
  while (text.size() < kMost) {
    const ssize_t n = read(fd.get(), piece, sizeof piece);
    if (n <= 0) break;  // EINTR does not occur: reads of these files never wait
    text.append(piece, static_cast<std::size_t>(n));
  }
  return text;
}

}  // namespace csink
