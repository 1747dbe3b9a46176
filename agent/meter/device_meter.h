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

/// Whether csink-meter can read its events: "component:::event", and not a program's own counters.
bool IsOfDevice(const Component& component) noexcept;
/// The names of those, for messages.
std::string DeviceComponents(ComponentRegistry& registry);

/// Counters of devices, read into a table. In csink-meter, never in the profiled program.
/// Owns:    the sets of counters. Threads: one.
class DeviceMeter {
 public:
  explicit DeviceMeter(MeterTable& table) noexcept : table_(table) {}

  /// Opens what a list of "component:::event" names. What cannot be opened is said on standard
  /// error, one line each. False: nothing could.
  bool Open(std::string_view events);
  /// Reads all; the growth since the last reading counts unless that one began a pause.
  void Read(bool pause_follows);

 private:
  struct Set {
    std::unique_ptr<CounterSet> counters;
    std::size_t first = 0;               ///< Its first value in the table
    std::vector<std::uint32_t> numbers;  ///< Of its events
  };
  struct Wanted;
  /// Where the growth of a value begins.
  struct Before {
    double value = 0;
    std::uint64_t ns = 0;  ///< Of the reading; 0: the next one begins anew (the first, a pause)
  };
  void Place(std::vector<Wanted>& wanted);
  void Forget(std::uint64_t now_ns);
  void ReadSet(Set& set, std::uint64_t now_ns, bool pause_follows);
  static void ReadValue(MeterValue& value, const Before& before, double now, std::uint64_t now_ns);

  MeterTable& table_;
  std::vector<Set> sets_;
  std::vector<Before> before_;  ///< By place in the table
  std::uint64_t last_busy_ns_ = 0;
  bool in_pause_ = true;  ///< Nor was anything measured before the first reading
  std::uint32_t anew_ = 0;
};

}  // namespace csink::agent
