#pragma once

#include <atomic>
#include <cstdint>

#include "agent/critical/moment_buffer.h"

namespace csink::agent {

/// What libcsink-critical.so, which has the hooks, and libagent.so, which has the buffers, share.
/// The object is in the former. Its constructor passes it to the latter, which may have started
/// already or not.
struct CriticalHooks {
  std::uint32_t bytes = sizeof(CriticalHooks);  ///< Both libraries are of one version
  /// The only thing that a hook reads while nothing is recorded. Set by libagent.so.
  std::atomic<bool> on{false};
  /// CLOCK_MONOTONIC of the machine less that of the process's time namespace. Set before `on`.
  std::int64_t shift_ns = 0;
  /// Children that share this memory until their exec or end (vfork). They run with the
  /// thread-local data of the thread that made them, and must not be recorded as that thread.
  std::atomic<std::uint32_t> vforks{0};
  /// A buffer for the calling thread; nullptr: its moments are not recorded. Signals: safe. Set
  /// before `on`.
  MomentBuffer* (*begin_thread)() = nullptr;
  // Set by libcsink-critical.so, where the buffer's address is thread-local. Signals: safe.
  /// The calling thread's buffer, made if there is none; nullptr: its moments are not recorded.
  MomentBuffer* (*own)() = nullptr;
  /// In a forked child: the calling thread has no buffer.
  void (*forget)() = nullptr;
};

/// The hooks that the library has passed; nullptr: it is not loaded, or of another version.
/// Signals: safe.
CriticalHooks* TheCriticalHooks() noexcept;
void SetCriticalHooks(CriticalHooks* hooks) noexcept;

}  // namespace csink::agent

/// Exported by libagent.so; libcsink-critical.so calls it where it is there. Signals: safe.
extern "C" void csink_agent_critical(csink::agent::CriticalHooks* hooks) noexcept;
