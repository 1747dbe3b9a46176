#pragma once

#include <string_view>

#include "profil/format/format.h"

namespace csink::agent {

/// What the rest of the agent must know of a source of samples: one row for each source. The parts
/// that drain, describe the spool and watch unloads ask for a fact, never for the source.
/// Threads: any. Signals: safe.
struct SourceFacts {
  spool::Source number;   ///< In the spool's header
  std::string_view name;  ///< The word of CSINK_SOURCE
  /// Samples come from perf events: user and kernel mode as each event asks, with a precision and
  /// with callers. False: one column, the CPU time of both modes.
  bool perf_events;
  /// The samples come in handlers of the drain signal, which then drain, too. No drain timer is
  /// needed, and without the signal no thread is sampled.
  bool drains_itself;
  /// The rings contain mappings in order with the samples. Before a library is unloaded they have
  /// to be drained. False: mappings are read from /proc when a sample is not found in one.
  bool records_mappings;
};

/// core/sampling/ring_source.h
inline constexpr SourceFacts kRingSource = {spool::Source::kRing, "ring", true, false, true};
/// core/sampling/timer_source.h
inline constexpr SourceFacts kTimerSource = {spool::Source::kTimer, "timer", false, true, false};

}  // namespace csink::agent
