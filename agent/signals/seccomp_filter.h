#pragma once

#include <linux/filter.h>

#include <cstdint>

namespace csink::agent {

/// What a seccomp filter that is about to be installed would do to a system call of the agent.
/// A filter is a classic BPF program over the call's number, architecture and arguments
/// (Documentation/userspace-api/seccomp_filter.rst). The agent interprets the program for every
/// system call that it makes: most filters only refuse a few calls with an errno, and then nothing
/// has to change. A decision that depends on an argument counts as unsafe, because the agent's
/// arguments are not known beforehand.
enum class CallFate {
  kSafe,    ///< Allowed, logged, or refused with an errno
  kUnsafe,  ///< Killed, a signal, a tracer, a supervisor, or not decidable
};

/// The result of system call `number` under `filter`, whose instructions must be readable. The
/// kernel has not checked the program yet: what it would refuse is unsafe. Threads: any. Signals:
/// safe.
CallFate FateOf(const sock_fprog& filter, long number) noexcept;

/// What the agent may still do under a filter.
struct FilterVerdict {
  bool leaves_us_alone;  ///< All system calls of the agent are safe
  bool lets_us_speak;    ///< The calls that a message on stderr needs are safe
  bool lets_us_tick;     ///< Returning from a signal handler is safe
};

/// Examines the sock_fprog at `program_filter`, an address that the program gave and that may be
/// invalid; then all members are false. Threads: one at a time, because the copy of the filter is
/// static. Signals: safe.
FilterVerdict JudgeFilter(const void* program_filter) noexcept;

}  // namespace csink::agent
