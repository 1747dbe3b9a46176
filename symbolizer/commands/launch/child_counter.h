#pragma once

#include <cstdint>

#include "core/util/unique_fd.h"

/// File: a perf event that counts a child of this process with all its descendants.

namespace csink::tool {

/// Counts one child, from its first execve(2) on. This process itself is not counted, and neither
/// is a second child: see the source.
///
/// Owns:    one descriptor, closed on exec.
/// Threads: only the one that starts the child. Signals: not safe.
class ChildCounter {
 public:
  /// Opens the event for the next child; an event that was open before is closed. `type` and
  /// `config`: those of perf_event_attr. Returns 0, or the errno of perf_event_open(2); nothing is
  /// open then.
  int Open(std::uint32_t type, std::uint64_t config);
  /// The count, complete when the child and its descendants have ended. 0: nothing is open.
  std::uint64_t Read() const;

 private:
  UniqueFd event_;
};

}  // namespace csink::tool
