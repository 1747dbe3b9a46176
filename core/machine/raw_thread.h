#pragma once

#include <sys/types.h>

#include <cstddef>

namespace csink {

/// Memory of a raw thread: static, because nobody could free it. Pages are touched as used.
struct alignas(4096) RawThreadMemory {
  static constexpr std::size_t kStackBytes = 128 * 1024;
  static constexpr std::size_t kTlsBytes = 128 * 1024;

  unsigned char stack[kStackBytes];
  unsigned char tls[kTlsBytes];  ///< The thread pointer points into its middle
};

/// Starts `body(arg)` on a thread that the kernel knows and the C library does not: a program with
/// one thread stays one for it (no locks in stdio and malloc, exit when main leaves by
/// pthread_exit), and it is not waited for. It shares memory and signal handlers with the program;
/// root, working directory and umask are copies, descriptors are shared until it says else. Every
/// signal is blocked on it, the C library's own too.
///
/// `body` may make raw system calls only: there is no errno and no thread-local storage of its own.
/// When it returns, the thread ends. `memory` must not be used by another thread that lives.
/// The thread's id, or -errno. Threads: one at a time for one memory. Signals: safe.
long StartRawThread(void (*body)(void*), void* arg, RawThreadMemory& memory) noexcept;

}  // namespace csink
