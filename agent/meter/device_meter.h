#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "agent/meter/meter_table.h"
#include "agent/meter/meter_value.h"
#include "core/counting/components/registry/component_registry.h"
#include "core/counting/counters/counter_set.h"

namespace csink::agent {

/// True if csink-meter can read the component's events ("component:::event"): components of
/// devices, not those of the CPU and not counters inside a program (sde).
bool IsOfDevice(const Component& component) noexcept;
/// The names of these components, separated by commas, for messages.
std::string DeviceComponents(ComponentRegistry& registry);

/// Reads device counters into a table. Runs in csink-meter, never in the profiled program.
///
/// Each component has one counter set, so that a reading asks each device once. Values that
/// accumulate (energy) are counted from the first reading on, without the growth in pauses; of
/// others the table has the last, least and greatest value and the integral over time.
/// Owns:    the counter sets. The table belongs to the caller and must live longer.
/// Threads: one.
class DeviceMeter {
 public:
  explicit DeviceMeter(MeterTable& table) noexcept : table_(table) {}

  /// Opens the events of a comma-separated list, at most kMostMeters. Events that cannot be opened
  /// are reported on stderr, one line each. Returns false if none could be opened. Call once.
  bool Open(std::string_view events);
  /// Reads all counters and updates the table under its sequence counter. The growth since the
  /// previous reading is counted, unless that reading began a pause. `pause_follows`: this reading
  /// begins a pause.
  void Read(bool pause_follows);

 private:
  struct Set {
    std::unique_ptr<CounterSet> counters;
    std::size_t first = 0;               ///< Index of its first value in the table
    std::vector<std::uint32_t> numbers;  ///< Numbers of its events
  };
  /// An event that was found but not yet opened.
  struct Wanted;
  /// Opens the events, sorted by component, and gives each a value in the table.
  void Place(std::vector<Wanted>& wanted);
  /// Clears all values after the agent asked for a new beginning; see MeterTable::anew. `now_ns`:
  /// the begin of the last reading of all sets.
  void Forget(std::uint64_t now_ns);
  /// Reads one component's counters and updates their values.
  void ReadSet(Set& set, bool pause_follows);

  MeterTable& table_;
  std::vector<Set> sets_;
  std::vector<MeterBefore> before_;  ///< Indexed as the table's values
  /// CPU time of the machine at the last reading; 0: unknown
  std::uint64_t last_busy_ns_ = 0;
  bool in_pause_ = true;  ///< True before the first reading: nothing was measured yet
  /// The last MeterTable::anew that was carried out
  std::uint32_t anew_ = 0;
};

}  // namespace csink::agent
