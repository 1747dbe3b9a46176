#pragma once

#include "agent/process/process_state.h"
#include "agent/results/spool_maker.h"
#include "agent/settings/config.h"
#include "agent/start/sampled_events.h"
#include "profil/inside/collector/collector.h"
#include "profil/inside/spool/writer.h"

namespace csink::agent {

/// What a process of a tree (`csink run`) leaves instead of a spool when it had few samples: one
/// record, appended to the file to which all processes of the tree append.
///
/// Owns:    the record's bytes, static and one for the process.
/// Threads: under the collector's lock. Signals: safe.
class TreeRecord {
 public:
  TreeRecord(const ProcessState& process, const Config& config, const SpoolWriter& spool,
             Collector& collector, const SampledEvents& events, const SpoolMaker& maker) noexcept
      : process_(process),
        config_(config),
        spool_(spool),
        collector_(collector),
        events_(events),
        maker_(maker) {}

  /// At the end of an image, after DrainAll. Returns true if the process has left a record, or
  /// needs none because the next image reports itself. Returns false if a spool is needed: outside
  /// a tree, in a sandbox, with other threads, with a spool already, or with too many samples.
  /// `detail`: the exit status or the signal's number, by `end`.
  bool Leave(spool::End end, int detail) noexcept;

 private:
  /// False outside a tree.
  bool InTree() const noexcept;

  const ProcessState& process_;
  const Config& config_;
  const SpoolWriter& spool_;
  Collector& collector_;
  const SampledEvents& events_;
  const SpoolMaker& maker_;
};

}  // namespace csink::agent
