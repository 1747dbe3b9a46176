#pragma once

#include "agent/settings/config.h"
#include "core/sampling/ring_source.h"
#include "profil/inside/collector/collector.h"

namespace csink::agent {

/// Recording callers (CSINK_STACKS): what is prepared once, and what becomes of it in a fork. The
/// walk of a chain is profil/inside/chains; libunwind_walker.h walks stacks with unusual rules.
///
/// Threads: StartCallers: main, before the first event is armed, because the size of the stack copy
///          is part of an event. CallersAfterFork: the only thread of a forked child.
/// Signals: not safe.

/// Maps the memory for chains and gives it to `collector`, and sets the size of the stack copy in
/// `rings`, as `config.stacks` says. Prints a line if callers cannot be recorded, or only without
/// libunwind.
void StartCallers(const Config& config, Collector& collector, RingSource& rings) noexcept;

/// Stops the use of libunwind if another thread of the parent was inside it at the fork.
void CallersAfterFork() noexcept;

}  // namespace csink::agent
