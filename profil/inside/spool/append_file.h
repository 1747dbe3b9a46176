#pragma once

#include <cstddef>
#include <cstdint>

namespace csink {

/// True if a file may grow to `bytes`. A write beyond RLIMIT_FSIZE would send SIGXFSZ to the
/// program, which kills it by default. Signals: safe.
bool MayGrowTo(std::uint64_t bytes) noexcept;

/// Appends `count` bytes to a regular file by one write(2) with O_APPEND: processes append at the
/// same time, and their pieces must not mix. `flags`: for open(2); with O_CREAT the file gets mode
/// 0600. A link or a fifo under this name is not used. Returns 0, or an errno if nothing was
/// written: EFBIG (RLIMIT_FSIZE), EINVAL (not a regular file), others of open(2) and write(2);
/// ENOSPC also if only a part was written. Threads: any. Signals: safe.
int AppendToFile(const char* path, const void* bytes, std::size_t count, int flags) noexcept;

}  // namespace csink
