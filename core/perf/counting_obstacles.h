#pragma once

#include "core/perf/kernel.h"
#include "core/util/text.h"

/// File: why this machine cannot count, in a sentence that people can act on.
///
/// Lean. Threads: any; leaves nothing open. Signals: not safe.

namespace csink {

enum class CountingObstacle : unsigned char {
  kNone,
  kNoPmu,           ///< No PMU, or none that this kernel drives
  kNoPmuInMachine,  ///< The same, and the machine is a virtual one
  kParanoid,        ///< kernel.perf_event_paranoid
  kSeccomp,         ///< A seccomp filter refuses perf_event_open
  kSecurityModule,  ///< Refused, by none of the above (SELinux, AppArmor, lockdown)
  kNoPerfEvents,    ///< A kernel without perf events
  kBusy,            ///< Another user has the counters for itself
  kNoDescriptors,   ///< The limit of open files
  kOther,           ///< Any other errno
};

/// What decides how a refusal is to be read.
struct MachineFacts {
  static constexpr int kNoParanoid = -1000;

  bool is_virtual = false;
  int paranoid = kNoParanoid;  ///< kernel.perf_event_paranoid; kNoParanoid: no such file
  bool privileged = false;     ///< CAP_PERFMON or CAP_SYS_ADMIN: not limited by paranoid
  bool seccomp_filter = false;
};

/// Whether this machine runs on a hypervisor: by cpuid on x86, elsewhere by the firmware's tables.
bool IsVirtualMachine() noexcept;

/// The calling thread's. Asks /proc and, on x86, cpuid; elsewhere the firmware's tables.
MachineFacts ReadMachineFacts() noexcept;

/// One answer; `why` without a full stop and `advice` are "" for kNone. Several ways to improve it
/// are lines of `advice`.
struct Capability {
  CountingObstacle obstacle = CountingObstacle::kNone;
  int sys_errno = 0;
  Text<160> why;
  Text<320> advice;

  bool works() const noexcept { return obstacle == CountingObstacle::kNone; }
};

struct CountingReport {
  Capability hardware;  ///< Cycles of the calling thread in user mode
  Capability software;  ///< The kernel's own events: task-clock
};

/// Opens (and closes) at most one event of each kind.
CountingReport FindCountingObstacles(Kernel& kernel, const MachineFacts& facts) noexcept;

/// How the errno of perf_event_open is to be read. `is_hardware`: it was an event of the PMU.
Capability ExplainRefusal(int sys_errno, bool is_hardware, const MachineFacts& facts) noexcept;

}  // namespace csink
