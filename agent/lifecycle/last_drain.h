#pragma once

#include <cstdint>

#include "agent/devices/meter.h"
#include "agent/process/process_state.h"
#include "agent/process/selection.h"
#include "agent/process/start_state.h"
#include "agent/results/child_ends.h"
#include "agent/results/tree_record.h"
#include "agent/settings/config.h"
#include "profil/inside/collector/collector.h"
#include "profil/inside/spool/writer.h"

namespace csink::agent {

/// The last drain of an image, before an exec (Execs) and at the end of the process (ProcessExit).
///
/// Owns:    nothing; the objects of the constructor must outlive it.
/// Threads: the one that ends the image, under the collector's lock. Signals: safe.
class LastDrain {
 public:
  LastDrain(const ProcessState& process, const StartState& start_state, const Config& config,
            SpoolWriter& spool, Collector& collector, Meter& meter, const Selection& selection,
            TreeRecord& record, ChildEnds& child_ends) noexcept
      : process_(process),
        start_state_(start_state),
        config_(config),
        spool_(spool),
        collector_(collector),
        meter_(meter),
        selection_(selection),
        record_(record),
        child_ends_(child_ends) {}

  /// Drains all threads, reads the device counters for the last time, and leaves a record of the
  /// tree where that is enough. Returns true if the accounts belong into a spool instead: the
  /// caller then calls Collector::SettleAll. False also if nothing is to be reported.
  bool Run(spool::End end, int detail) noexcept;

  /// How long the end of an image waits for the collector's lock, 2 s. A holder that does not
  /// return must not keep the program from ending.
  static constexpr std::uint64_t kLockNs = 2'000'000'000;

 private:
  /// Asks csink-meter for a last reading and copies the values into the spool.
  void EndMeter() noexcept;

  const ProcessState& process_;
  const StartState& start_state_;
  const Config& config_;
  SpoolWriter& spool_;
  Collector& collector_;
  Meter& meter_;
  const Selection& selection_;
  TreeRecord& record_;
  ChildEnds& child_ends_;
};

}  // namespace csink::agent
