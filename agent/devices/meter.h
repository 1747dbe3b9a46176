#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string_view>

#include "agent/meter/meter_table.h"
#include "core/util/text.h"
#include "profil/spool/writer.h"

namespace csink::agent {

/// The counters of devices that CSINK_EVENTS names ("rapl:::PACKAGE_ENERGY:PACKAGE0"): read by
/// csink-meter, a process that lies beside libagent.so and is started only when one is named.
/// Owns:    the memory shared with it. The meter ends by itself with the process that started it.
/// Threads: under the collector's lock, but Start. Signals: safe, but Start.
class Meter {
 public:
  /// Starts the meter for `events`, a list, and waits for its first reading a short while at most:
  /// what takes longer begins later. False: `why` says it.
  /// `quiet`: what cannot be read was said by a process above this one.
  bool Start(std::string_view events, pid_t pid, bool quiet, Text<256>& why) noexcept;
  bool running() const noexcept { return table_ != nullptr; }
  /// Asks for a reading and what follows it. kEnd waits for it, a short while at most.
  void Command(MeterCommand command) noexcept;
  /// What was read so far does not count, and the spool that it was copied to was discarded.
  void StartAnew() noexcept;
  /// Brings the spool's records up to the last reading.
  void CopyTo(SpoolWriter& spool) noexcept;
  /// The meter is the parent's. Its memory is not mapped in a child.
  void ForgetAfterFork() noexcept { table_ = nullptr; }

 private:
  MeterTable* table_ = nullptr;
  std::uint32_t first_record_ = spool::kNone;
  std::uint32_t records_ = 0;
};

/// True for "component:::event" of a component of devices: not the CPU's own events.
bool IsDeviceEvent(std::string_view item) noexcept;
/// Parts a list of events.
void PartEvents(std::string_view list, Text<1024>& sampled, Text<1024>& metered) noexcept;

}  // namespace csink::agent
