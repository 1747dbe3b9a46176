#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string_view>

#include "agent/meter/meter_table.h"
#include "core/util/text.h"
#include "profil/spool/writer.h"

namespace csink::agent {

/// The device counters that CSINK_EVENTS names ("rapl:::PACKAGE_ENERGY:PACKAGE0"). They are read by
/// csink-meter, a process whose program lies beside libagent.so and which is started only if such a
/// counter is named.
/// Owns:    the memory shared with csink-meter. The meter ends by itself when the process that
///          started it ends.
/// Threads: under the collector's lock, except Start. Signals: safe, except Start.
class Meter {
 public:
  /// Starts the meter for a comma-separated list of events, and waits a short time at most for its
  /// first reading; slower devices begin later. `quiet`: a process above this one has reported what
  /// cannot be read. False: `why` has the reason.
  bool Start(std::string_view events, pid_t pid, bool quiet, Text<256>& why) noexcept;
  bool running() const noexcept { return table_ != nullptr; }
  /// Requests a reading and the following state. kEnd waits for the reading, a short time at most.
  void Command(MeterCommand command) noexcept;
  /// Discards what was read so far, together with the spool that it was copied to.
  void StartAnew() noexcept;
  /// Updates the spool's records with the last reading.
  void CopyTo(SpoolWriter& spool) noexcept;
  /// In a forked child: the meter belongs to the parent, and the shared memory is not mapped.
  void ForgetAfterFork() noexcept { table_ = nullptr; }

 private:
  MeterTable* table_ = nullptr;
  std::uint32_t first_record_ = spool::kNone;
  std::uint32_t records_ = 0;
};

/// True for "component:::event" of a device component; false for events of the CPU.
bool IsDeviceEvent(std::string_view item) noexcept;
/// Splits a list of events into sampled events and device counters.
void PartEvents(std::string_view list, Text<1024>& sampled, Text<1024>& metered) noexcept;

}  // namespace csink::agent
