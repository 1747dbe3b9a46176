#pragma once

#include "agent/drain/drainer.h"
#include "agent/process/process_state.h"
#include "profil/inside/collector/collector.h"
#include "profil/inside/spool/writer.h"

namespace csink::agent {

/// The program gives up rights that the agent needs: system calls (seccomp), the root directory
/// (chroot), its user. The spool is prepared before, because nothing can be made up for afterwards.
///
/// Owns:    the knowledge that a filter is being installed.
/// Threads: any; AfterSeccomp on the thread that called BeforeSeccomp. Lock: the collector's, with
///          all signals blocked. Where this thread holds the lock already (a handler of the program
///          between Execs::Before and the exec), the lock is not waited for: the spool stays as it
///          is.
/// Signals: not safe. The functions make no call that a handler could not survive, but
///          BeforeSeccomp waits for the lock without limit.
class Restrictions {
 public:
  Restrictions(ProcessState& process, SpoolWriter& spool, Collector& collector,
               Drainer& drainer) noexcept
      : process_(process), spool_(spool), collector_(collector), drainer_(drainer) {}

  /// Before seccomp with the program's `filter` (a sock_fprog that may be unreadable; nullptr:
  /// strict mode). If the filter could kill the process for one of the agent's system calls, the
  /// spool is created and frozen now, and the process counts as sandboxed.
  void BeforeSeccomp(const void* filter) noexcept;
  /// After that call. `succeeded` false: the kernel refused the filter, and the sandbox is left.
  void AfterSeccomp(bool succeeded) noexcept;
  /// Before chroot: creates the spool while its folder can still be reached.
  void BeforeChroot() noexcept;
  /// Before the process changes its user: reserves space in an existing spool. A spool that does
  /// not exist yet is created later, in the new user's folder.
  void BeforeUserChange() noexcept;

 private:
  /// True where the agent may work here: active, in its own process, not sandboxed.
  bool Concerned() const noexcept {
    return process_.active() && !process_.sandboxed() && process_.IsOurProcess();
  }

  ProcessState& process_;
  SpoolWriter& spool_;
  Collector& collector_;
  Drainer& drainer_;
  bool entering_sandbox_ = false;  ///< Between BeforeSeccomp and AfterSeccomp
};

}  // namespace csink::agent
