#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "agent/meter/meter_table.h"
#include "core/components/registry/component_registry.h"
#include "core/counting/counter_set.h"

namespace csink::agent {

/// True if csink-meter can read the component's events ("component:::event"): devices, not counters
/// inside a program (sde).
bool IsOfDevice(const Component& component) noexcept;
/// The names of these components, for messages.
std::string DeviceComponents(ComponentRegistry& registry);

/// Reads device counters into a table. Runs in csink-meter, never in the profiled program.
/// Owns:    the counter sets.
/// Threads: one.
class DeviceMeter {
 public:
  explicit DeviceMeter(MeterTable& table) noexcept : table_(table) {}

  /// Opens the events of a comma-separated list. Events that cannot be opened are reported on
  /// stderr, one line each. False: none could be opened.
  bool Open(std::string_view events);
  /// Reads all counters. The growth since the previous reading is counted, unless that reading
  /// began a pause. `pause_follows`: this reading begins a pause.
  void Read(bool pause_follows);

 private:
  struct Set {
    std::unique_ptr<CounterSet> counters;
    std::size_t first = 0;               ///< Index of its first value in the table
    std::vector<std::uint32_t> numbers;  ///< Numbers of its events
  };
  struct Wanted;
  /// The reading from which the growth of a value is computed.
  struct Before {
    double value = 0;
    std::uint64_t ns = 0;  ///< Time of the reading; 0: none (at the start and after a pause)
  };
  void Place(std::vector<Wanted>& wanted);
  void Forget(std::uint64_t now_ns);
  void ReadSet(Set& set, std::uint64_t now_ns, bool pause_follows);
  static void ReadValue(MeterValue& value, const Before& before, double now, std::uint64_t now_ns);

  MeterTable& table_;
  std::vector<Set> sets_;
  std::vector<Before> before_;  ///< Indexed as the table's values
  std::uint64_t last_busy_ns_ = 0;
  bool in_pause_ = true;  ///< True before the first reading: nothing was measured yet
  std::uint32_t anew_ = 0;
};

}  // namespace csink::agent
