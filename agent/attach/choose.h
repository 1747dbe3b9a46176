#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "agent/attach/process_image.h"
#include "core/events/event_spec.h"
#include "core/perf/kernel.h"
#include "core/sampling/core_kinds.h"

/// File: which events are sampled on another process, and why a process cannot be attached.

namespace csink::attach {

/// What csink-attach was asked for; from the environment (docs/environment.md).
struct Wishes {
  std::string events;   ///< CSINK_EVENTS; empty: task-clock
  bool kernel = false;  ///< CSINK_KERNEL
  bool stacks = false;  ///< CSINK_STACKS other than off
};

/// The events that the kernel grants on a thread of `pid`, tried out there and closed again.
struct Choice {
  EventList list;
  unsigned precise[kMaxEventSpecs] = {};
  std::string problem;                ///< Not empty: nothing can be sampled, and why
  std::vector<std::string> warnings;  ///< One line for each thing that was left out
};
/// The default is task-clock, also where the machine counts cycles: the samples are held against
/// the kernel's CPU time, which is all that is known of a program from outside.
/// `cpus`: the processors that are online, one or more. An event that the first one does not have
/// is tried on all of them: on a hybrid another kind of cores may have it.
Choice ChooseEvents(Kernel& kernel, const Wishes& wishes, pid_t pid, const std::string& proc,
                    const std::vector<int>& cpus, const CoreKinds& kinds = ReadCoreKinds());

/// Why `pid` cannot be attached at all: no such process, a kernel thread. Empty: nothing was found.
std::string WhyNotAttachable(const std::string& proc, pid_t pid);
/// The reason for a refusal of perf events on `pid`, with what would permit them.
std::string ExplainRefusal(const Error& error, const std::string& proc, pid_t pid);

/// Fills in the columns, the machine and the clock of the header that all spools of a session have.
void DescribeSession(const Choice& choice, Surroundings& surroundings);

}  // namespace csink::attach
