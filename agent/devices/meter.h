#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string_view>

#include "agent/meter/meter_table.h"
#include "core/util/text.h"
#include "profil/inside/spool/writer.h"

namespace csink::agent {

/// The device counters that CSINK_EVENTS names ("rapl:::PACKAGE_ENERGY:PACKAGE0"). They are read by
/// csink-meter, a process whose program lies beside libagent.so and which is started only if such a
/// counter is named. This class is the agent's side: it starts the meter, sends commands through
/// shared memory (agent/meter/meter_table.h) and copies the values into the spool.
/// Owns:    the memory shared with csink-meter. It is never unmapped, because a handler may copy
///          from it. The meter ends by itself when the process that started it ends.
/// Threads: under the collector's lock, except Start. Signals: safe, except Start.
class Meter {
 public:
  /// Starts the meter for `events`, a comma-separated list, and waits 0.3 s at most for its first
  /// reading; slower devices begin later. `pid`: the process that the meter watches. `quiet`: a
  /// process above this one has reported what cannot be read, so the meter prints nothing. Returns
  /// false if the meter cannot be started; `why` has the reason. Threads: main, at the start.
  bool Start(std::string_view events, pid_t pid, bool quiet, Text<256>& why) noexcept;
  /// True after a successful Start, also if the meter has ended since.
  bool running() const noexcept { return table_ != nullptr; }
  /// Requests a reading and the state that follows it. kEnd waits for that reading, 150 ms at most;
  /// the other commands do not wait. Nothing without a meter.
  void Command(MeterCommand command) noexcept;
  /// Makes the meter begin again from zero. Called together with the discard of the spool that has
  /// the old values.
  void StartAnew() noexcept;
  /// Copies the last reading into the spool's records, and creates the records at the first call.
  /// Does nothing before the first reading and without an open spool.
  void CopyTo(SpoolWriter& spool) noexcept;
  /// In a forked child: the meter belongs to the parent, and the shared memory is not mapped.
  void ForgetAfterFork() noexcept { table_ = nullptr; }

 private:
  /// Shared with csink-meter; nullptr: no meter
  MeterTable* table_ = nullptr;
  /// Id of the first counter's record in the spool; the ids of the others follow
  std::uint32_t first_record_ = spool::kNone;
  /// Number of records that the spool has
  std::uint32_t records_ = 0;
};

/// True for "component:::event" of a device component; false for events of the CPU, also those that
/// are written with the components perf, perf_event or perf_event_uncore. Threads: any.
bool IsDeviceEvent(std::string_view item) noexcept;
/// Splits the comma-separated `list` into events to sample and device counters, each again
/// separated by commas. Blanks around items are removed. The results are appended to.
void PartEvents(std::string_view list, Text<1024>& sampled, Text<1024>& metered) noexcept;

}  // namespace csink::agent
