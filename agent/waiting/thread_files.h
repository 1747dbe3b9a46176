#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace csink::agent {

/// The two files of /proc that a look at a thread reads. A file that is kept open is read in 0.2 to
/// 0.4 us and pins the thread's identity: after the thread's end it gives ESRCH, also if another
/// thread has the same TID by then.
/// Owns:    descriptors in the calling thread's own table; number + 1, so that 0 is none.
/// Threads: one. Signals: safe (thread_files_signal.cpp).
struct ThreadFiles {
  int syscall_plus_one = 0;
  int times_plus_one = 0;

  /// Reads the file `name` ("syscall", "schedstat") of thread `tid` of the process whose folder of
  /// /proc is `folder`. `kept`: its member above. `may_keep`: the file stays open. Returns the
  /// number of bytes read, or a negative errno.
  static long Read(int& kept, bool may_keep, std::string_view folder, pid_t tid,
                   std::string_view name, char* out, std::size_t size) noexcept;
  /// Closes what is open.
  void Close() noexcept;
  /// The number of files that are open.
  std::size_t open() const noexcept {
    return (syscall_plus_one != 0 ? 1u : 0u) + (times_plus_one != 0 ? 1u : 0u);
  }
};

/// How many files the observer may keep open: a part of the limit of descriptors, which holds for
/// its own table, too, and 2,048 at most.
std::size_t MostKeptFiles() noexcept;

}  // namespace csink::agent
