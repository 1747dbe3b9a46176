#pragma once

namespace csink {

/// File: system calls for which a seccomp filter that this process inherited ends it. systemd's
/// SystemCallFilter=@system-service does so for perf_event_open and process_vm_readv. A filter
/// cannot be read (PTRACE_SECCOMP_GET_FILTER needs CAP_SYS_ADMIN), so a child tries the calls.

/// Calls that a profiler or counter needs, and that can be done without.
enum class DeadlyCall : unsigned {
  kPerfEventOpen = 1,
  kProcessVmReadv = 2,
  kTimerCreate = 4,
};

/// Finds the calls once in a process, before the first of them. Without a filter this is one
/// call of prctl(2) (PR_GET_SECCOMP). With a filter one child makes all calls; if it
/// is killed, a child for each call. The children are made by clone(2) without CLONE_VM and without
/// an exit signal, so that the program gets no SIGCHLD, and leave no core file. A filter that kills
/// on prctl or clone, or on what the dynamic linker needs, is not survived.
/// Threads: one, at the start. Signals: safe.
void FindDeadlyCalls() noexcept;

/// Whether the call must not be made. False before FindDeadlyCalls. No system call.
/// Threads: any. Signals: safe.
bool IsDeadly(DeadlyCall call) noexcept;

/// The set of FindDeadlyCalls; for tests and for forked children nothing changes.
unsigned DeadlyCalls() noexcept;
/// For tests.
void SetDeadlyCalls(unsigned calls) noexcept;

}  // namespace csink
