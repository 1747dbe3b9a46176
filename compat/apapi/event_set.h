#pragma once

#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "compat/apapi/include/apapi.h"
#include "profil/interval/event_values.h"

namespace csink::apapi {

/// What an apapi_eventset is inside: the struct that clients see, and behind it what it points to.
/// Owns:    PAPI's set, the arrays, and copies of all strings of its operations.
/// Threads: a started timer's thread writes; others read in its callback or once it is done.
struct EventSetObject {
  apapi_eventset open = {};

  std::vector<std::unique_ptr<char[]>> strings;
  std::vector<apapi_event_ops> ops;
  std::vector<long long> counters[2], samples[2], largest;
  std::vector<long double> last_values1, values0, values1;
  std::vector<APAPI_op1> operations;
  std::vector<APAPI_stats> stats0, stats1;
  std::vector<EventValues> values;
  /// A thread hangs in a read of it: PAPI's set is left as it is, for ever.
  bool abandoned = false;

  ~EventSetObject();
  /// Makes room for `ops`, and points `open` at it.
  void Arrange();
  /// All measurements and statistics begin anew.
  void Reset();
  /// One measurement: raw values, and CLOCK_MONOTONIC_RAW behind the read.
  void Measured(const long long* raw, long long now_ns) noexcept;
};
static_assert(std::is_standard_layout_v<EventSetObject>, "it begins with what clients see");

inline EventSetObject* ObjectOf(apapi_eventset* set) noexcept {
  return reinterpret_cast<EventSetObject*>(set);
}

}  // namespace csink::apapi
