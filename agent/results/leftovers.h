#pragma once

#include <cstdint>

namespace csink::agent {

/// Removes spools that ended programs left in the folder of `spool_path`, the oldest first, until
/// at most `most` spools of this host are there; 0: no limit. At most 4 are removed at one call,
/// and at most 256 are looked at.
///
/// A spool is removed only if its process does not run any more, and if the spool is complete or
/// was last written more than an hour ago: a process of another pid namespace looks as if it did
/// not run. `now_ns`: CLOCK_MONOTONIC.
///
/// Reads the folder once, and a second time if it has more than `most` spools. Errors are ignored:
/// the spool stays. Threads: any. Signals: safe.
void RemoveLeftovers(const char* spool_path, std::uint64_t most, std::uint64_t now_ns) noexcept;

}  // namespace csink::agent
