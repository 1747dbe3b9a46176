#pragma once

#include "agent/process/start_state.h"
#include "agent/results/spool_place.h"
#include "agent/settings/config.h"
#include "agent/start/batch_job.h"
#include "agent/start/sampled_events.h"
#include "core/sampling/ring_source.h"
#include "profil/inside/collector/collector.h"
#include "profil/inside/spool/writer.h"

namespace csink::agent {

/// Says what a spool or a record of a tree says of its process: who it is, its events, its
/// settings. Creates the spool when the collector first needs one.
///
/// Owns:    nothing; the objects of the constructor must outlive it.
/// Threads: under the collector's lock. Signals: safe.
class SpoolMaker final : public SpoolFactory {
 public:
  SpoolMaker(const Config& config, const BatchJob& batch_job, const StartState& start_state,
             const SpoolPlace& place, const SampledEvents& events, const RingSource& rings) noexcept
      : config_(config),
        batch_job_(batch_job),
        start_state_(start_state),
        place_(place),
        events_(events),
        rings_(rings) {}

  /// Fills in the header, which must be zero. `brief`: only what a record of a tree has, without
  /// the fields that need files of /proc.
  void Describe(spool::Header& header, bool brief) const noexcept;

  /// SpoolFactory: creates the spool's file, and writes its header and configuration. Returns false
  /// if no folder can hold the spool; a line on stderr says so.
  bool MakeSpool(SpoolWriter& spool) noexcept override;

 private:
  const Config& config_;
  const BatchJob& batch_job_;
  const StartState& start_state_;
  const SpoolPlace& place_;
  const SampledEvents& events_;
  const RingSource& rings_;
};

}  // namespace csink::agent
