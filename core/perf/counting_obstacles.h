#pragma once

#include "core/perf/kernel.h"
#include "core/util/text.h"

/// File: why this machine cannot count, as a sentence with advice for the user.
///
/// Lean. Threads: any; opened events are closed again. Signals: not safe.

namespace csink {

/// The causes of a refusal, from the user's point of view: each asks for another remedy.
enum class CountingObstacle : unsigned char {
  kNone,
  kNoPmu,           ///< There is no PMU, or the kernel has no driver for it
  kNoPmuInMachine,  ///< The same, in a virtual machine
  kParanoid,        ///< kernel.perf_event_paranoid forbids it
  kSeccomp,         ///< A seccomp filter refuses perf_event_open
  kSecurityModule,  ///< Refused for another reason (SELinux, AppArmor, lockdown)
  kNoPerfEvents,    ///< A kernel without perf events
  kBusy,            ///< Another program or the NMI watchdog has the counters exclusively
  kNoDescriptors,   ///< The limit of open files is reached
  kOther,           ///< Any other errno
};

/// The facts that decide how a refusal is explained.
struct MachineFacts {
  /// No value of the file: only -100 to 100 are read.
  static constexpr int kNoParanoid = -1000;

  /// IsVirtualMachine().
  bool is_virtual = false;
  int paranoid = kNoParanoid;  ///< kernel.perf_event_paranoid; kNoParanoid: no such file
  bool privileged = false;     ///< Has CAP_PERFMON or CAP_SYS_ADMIN: paranoid does not apply
  /// The calling thread has a seccomp filter (mode 2), as programs in containers usually do.
  bool seccomp_filter = false;
};

/// Whether a hypervisor is present: by CPUID (leaf 1, ECX bit 31) on x86, elsewhere by firmware
/// tables. False where neither says so, which does not exclude a hypervisor that hides.
bool IsVirtualMachine() noexcept;

/// The facts for the calling thread, from /proc and IsVirtualMachine. Facts that cannot be read
/// have their defaults.
MachineFacts ReadMachineFacts() noexcept;

/// The answer for one kind of events. For kNone `why` and `advice` are empty. `why` is a sentence
/// without a full stop, at most 159 bytes; each line of `advice` is one way to improve things.
struct Capability {
  CountingObstacle obstacle = CountingObstacle::kNone;
  /// Of perf_event_open(2); 0 for kNone.
  int sys_errno = 0;
  /// Fixed room: the agent has no heap at its start.
  Text<160> why;
  Text<320> advice;

  bool works() const noexcept { return obstacle == CountingObstacle::kNone; }
};

/// What this machine can count, for the calling thread.
struct CountingReport {
  /// Where `hardware` works, `software` is not tried and counts as working.
  Capability hardware;  ///< Cycles of the calling thread in user mode
  Capability software;  ///< Events of the kernel itself (task-clock)
};

/// Tries to open at most one event of each kind, in the calling thread, without counting anything.
CountingReport FindCountingObstacles(Kernel& kernel, const MachineFacts& facts) noexcept;

/// Explains `sys_errno`, the errno of a failed perf_event_open(2); 0 gives kNone. `is_hardware`:
/// the event belonged to a PMU. One errno has several causes, so `facts` decide between them.
Capability ExplainRefusal(int sys_errno, bool is_hardware, const MachineFacts& facts) noexcept;

}  // namespace csink
