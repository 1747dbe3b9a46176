#pragma once

#include <linux/filter.h>

#include <cstdint>

namespace csink::agent {

/// What a seccomp filter that is about to be installed would do to us.
///
/// A filter is a classic BPF program over the call's number, architecture and
/// arguments (Documentation/userspace-api/seccomp_filter.rst). We run it ourselves,
/// once for every system call that the agent makes: most filters only refuse a few
/// calls with an errno, and then nothing has to change. A decision that depends on
/// an argument counts as unsafe: we do not know ours beforehand.
enum class CallFate {
  kSafe,    ///< allowed, logged, or answered with an errno
  kUnsafe,  ///< death, a signal, a tracer, a supervisor, or we cannot tell
};

/// The fate of system call `number` under `filter`. Reads the program's memory.
/// Signals: safe.
CallFate FateOf(const sock_fprog& filter, long number) noexcept;

/// What may still be done under a filter.
struct FilterVerdict {
  bool leaves_us_alone;  ///< No system call of the agent's is unsafe
  bool lets_us_speak;    ///< Nor is any that a line on stderr takes
  bool lets_us_tick;     ///< Nor is the return from a signal's handler
};

/// Of the sock_fprog at `program_filter`, an address that a program gave and that may be
/// none; then nothing may be done. Threads: one at a time. Signals: safe.
FilterVerdict JudgeFilter(const void* program_filter) noexcept;

}  // namespace csink::agent
