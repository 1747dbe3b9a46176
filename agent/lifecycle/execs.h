#pragma once

#include "agent/control/controller.h"
#include "agent/lifecycle/last_drain.h"
#include "agent/process/process_state.h"
#include "agent/process/selection.h"
#include "profil/inside/collector/collector.h"
#include "profil/inside/spool/writer.h"

namespace csink::agent {

/// An exec replaces this image: everything is drained and the spool says so, and an exec that fails
/// takes both back. What the new image loads is decided by agent/lifecycle.
///
/// The collector's lock is kept from Before until Failed or the end of the image: a sweep of the
/// agent thread in between would mark the spool as live again. Signals are not blocked meanwhile,
/// so a handler of the program may find the lock held by its own thread.
///
/// Owns:    the knowledge that the lock is kept.
/// Threads: any; Failed on the thread that called Before. Lock: the collector's, with all signals
///          blocked while it is taken. Waits LastDrain::kLockNs at most.
/// Signals: safe. Both leave errno alone.
class Execs {
 public:
  Execs(const ProcessState& process, SpoolWriter& spool, Collector& collector, Controller& control,
        Selection& selection, LastDrain& last_drain) noexcept
      : process_(process),
        spool_(spool),
        collector_(collector),
        control_(control),
        selection_(selection),
        last_drain_(last_drain) {}

  /// Before every exec. Shows the program's signal mask to the kernel, also in a vfork child, where
  /// nothing else is done. Nothing is drained in a sandbox, where this thread holds the lock
  /// already, or where the lock does not become free: the spool then keeps the last drain's state.
  void Before() noexcept;
  /// After an exec that returned: reverts Before.
  void Failed() noexcept;
  /// In a forked child: the thread that kept the lock does not exist here.
  void ForgetAfterFork() noexcept { lock_kept_ = false; }

 private:
  const ProcessState& process_;
  SpoolWriter& spool_;
  Collector& collector_;
  Controller& control_;
  Selection& selection_;
  LastDrain& last_drain_;
  bool lock_kept_ = false;  ///< Before has kept the collector's lock
};

}  // namespace csink::agent
