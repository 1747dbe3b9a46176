#pragma once

#include "agent/control/controller.h"
#include "agent/devices/meter.h"
#include "agent/drain/drainer.h"
#include "agent/lifecycle/execs.h"
#include "agent/process/process_state.h"
#include "agent/process/selection.h"
#include "agent/process/start_state.h"
#include "agent/results/child_ends.h"
#include "agent/settings/config.h"
#include "agent/threads/threads.h"
#include "agent/threads/vfork_children.h"
#include "core/sampling/thread_registry.h"
#include "profil/inside/collector/collector.h"

namespace csink::agent {

/// A forked child becomes a process of its own: it forgets what belongs to the parent, and is armed
/// at once.
///
/// Owns:    the knowledge that the child has threads already.
/// Threads: InChild: the thread that called fork, in the child handler of pthread_atfork. Other
///          threads exist only if an earlier fork handler made them. NoteEarlyThread: a thread of
///          the child before InChild.
/// Locks:   none; all locks of the agent are freed by InChild, because their holders do not exist.
/// Signals: not safe.
class Forks {
 public:
  Forks(ProcessState& process, ThreadRegistry& registry, Collector& collector, Drainer& drainer,
        Threads& threads, Meter& meter, Controller& control, const Config& config,
        StartState& start_state, Selection& selection, Execs& execs, ChildEnds& child_ends,
        VforkChildren& vfork_children) noexcept
      : process_(process),
        registry_(registry),
        collector_(collector),
        drainer_(drainer),
        threads_(threads),
        meter_(meter),
        control_(control),
        config_(config),
        start_state_(start_state),
        selection_(selection),
        execs_(execs),
        child_ends_(child_ends),
        vfork_children_(vfork_children) {}

  /// In a forked child: forgets the parent's threads, rings, timers and spool, and arms the child's
  /// only thread. With CSINK_FOLLOW=none, or in a sandbox, the agent does nothing in the child from
  /// then on.
  void InChild() noexcept;
  /// A forked child creates a thread before InChild. InChild adopts it.
  void NoteEarlyThread() noexcept { early_threads_ = true; }

 private:
  ProcessState& process_;
  ThreadRegistry& registry_;
  Collector& collector_;
  Drainer& drainer_;
  Threads& threads_;
  Meter& meter_;
  Controller& control_;
  const Config& config_;
  StartState& start_state_;
  Selection& selection_;
  Execs& execs_;
  ChildEnds& child_ends_;
  VforkChildren& vfork_children_;
  bool early_threads_ = false;  ///< Threads were created before the agent's fork handler ran
};

}  // namespace csink::agent
