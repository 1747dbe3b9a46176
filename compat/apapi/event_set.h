#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "compat/apapi/include/apapi_csink.h"
#include "compat/apapi/interval/event_values.h"

namespace csink::apapi {

/// The object behind an apapi_eventset. Its first member is the structure that clients see, so one
/// address serves both; the other members are the memory that the structure points to.
/// Owns:    PAPI's event set, the arrays, and copies of all strings of its operations.
/// Threads: the thread of a started timer writes. Other threads may read in the timer's callback,
///          or when the timer is done.
struct EventSetObject {
  apapi_eventset open = {};  ///< What clients see

  /// Texts of the operations and the component's name; a unique_ptr each, so that none moves.
  std::vector<std::unique_ptr<char[]>> strings;
  std::vector<apapi_event_ops> ops;  ///< The last entry ends the list
  /// The arrays that `open` points to. Of counters and samples one is "current", the other
  /// "previous".
  std::vector<long long> counters[2], samples[2], largest;
  std::vector<long double> last_values1, values0, values1;
  std::vector<APAPI_op1> operations;
  std::vector<APAPI_stats> stats0, stats1;
  std::vector<EventValues> values;  ///< The arithmetic, an object an event
  /// When each event was measured; one that fails was not at the last measurement.
  std::vector<csink_apapi_event_times> times;
  std::vector<csink_apapi_event_losses> losses;
  /// A thread hangs in PAPI_read on this set. PAPI's set is then never read, stopped or destroyed
  /// again, and no further timer of the set starts.
  bool abandoned = false;

  ~EventSetObject();
  /// Sizes the arrays for `ops` (whose last entry ends the list) and points `open` at them. Call
  /// once.
  void Arrange();
  /// Clears all measurements and statistics. `interval_ns`: the time between measurements; rates of
  /// intervals shorter than half of it do not enter minimum and maximum. 0: unknown.
  void Reset(std::uint64_t interval_ns = 0);
  /// Adds one measurement: a raw value an event, and the CLOCK_MONOTONIC_RAW time (ns) of the
  /// read. An event whose code is not PAPI_OK has no value: it keeps its last ones, and the
  /// interval of its next value begins with its last value. PAPI_ECLOST: the value is valid, but
  /// ends no interval (csink_papi_read_each). The first measurement of an event has
  /// no interval and enters no statistics of differences. Does not allocate.
  void Measured(const long long* raw, const int* codes, long long now_ns) noexcept;
  /// Counts a measurement in which no event could be read.
  void Failed() noexcept;
};
static_assert(std::is_standard_layout_v<EventSetObject>, "it begins with what clients see");

/// The object behind the structure that clients have.
inline EventSetObject* ObjectOf(apapi_eventset* set) noexcept {
  return reinterpret_cast<EventSetObject*>(set);
}

}  // namespace csink::apapi
