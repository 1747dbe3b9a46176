#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cstddef>
#include <string>

#include "core/util/unique_fd.h"

namespace csink {

/// The whole of a file of /proc or /sys, about 4 MiB at most; what there was until reading failed,
/// "" when it cannot be opened. A process that ends meanwhile is an error of read: no exception,
/// unlike with iterators over a std::ifstream. With the heap. Threads: any.
inline std::string ReadTextFile(const std::string& path) {
  constexpr std::size_t kMost = 4 << 20;
  std::string text;
  const UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  if (!fd) return text;
  char piece[4096];
  while (text.size() < kMost) {
    const ssize_t n = read(fd.get(), piece, sizeof piece);
    if (n <= 0) break;  // these files do not end by EINTR: they never wait
    text.append(piece, static_cast<std::size_t>(n));
  }
  return text;
}

}  // namespace csink
