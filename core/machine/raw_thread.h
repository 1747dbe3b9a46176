#pragma once

#include <sys/types.h>

#include <cstddef>

namespace csink {

/// The memory of a raw thread. Static, because no code runs after the thread's end that could free
/// it. Pages are allocated when they are first used.
struct alignas(4096) RawThreadMemory {
  /// Multiples of the page size.
  static constexpr std::size_t kStackBytes = 128 * 1024;
  static constexpr std::size_t kTlsBytes = 128 * 1024;

  unsigned char stack[kStackBytes];
  unsigned char tls[kTlsBytes];  ///< The thread pointer points to its middle
};

/// Starts `body(arg)` on a thread that the kernel knows and the C library does not. For the C
/// library a program with one thread stays single-threaded: no locks in stdio and malloc, and exit
/// when main leaves by pthread_exit; the program's end does not wait for the thread. The thread
/// shares memory, signal handlers and descriptors with the program (descriptors until it unshares
/// them); root, working directory and umask are copies. All signals are blocked on it, including
/// those of the C library.
///
/// `body` may make raw system calls only: it has no errno and no thread-local storage. When it
/// returns, the thread ends. `memory` must not be used by another thread while this one lives.
/// Returns the thread's id, or -errno. Threads: one at a time for one memory. Signals: safe.
long StartRawThread(void (*body)(void*), void* arg, RawThreadMemory& memory) noexcept;

}  // namespace csink
