#include "compat/utils/measuring/operations.h"

/// File: the loops that measure. An operation is a template argument, so nothing but the measured
/// call is between the two readings of the clock, and the costs are written to memory that was
/// allocated before.

namespace csink::utils {
namespace {

// Long enough that the time of one reading does not matter.
constexpr long long kCalibrationNs = 20'000'000;
constexpr int kMostReadings = 10'000'000;  // limit for a clock that does not move

/// Measures `once` repeatedly. A template, so that `once` is inlined: between the two clock
/// readings there is only the measured call.
template <class Once>
int Measure(std::span<long long> costs, Once once) {
  int worst = once();  // not measured: the first call includes preparations
  for (long long& cost : costs) {
    const long long began = PAPI_get_real_cyc();
    const int code = once();
    cost = PAPI_get_real_cyc() - began;
    // The loop goes on: the costs of all elements are written, and the caller drops them.
    if (code != PAPI_OK) worst = code;
  }
  return worst;
}

/// Uses the library's own time stamps: differences of consecutive ones.
int MeasureStamps(int set, long long* values, std::span<long long> costs) {
  long long before = 0;
  int worst = PAPI_read_ts(set, values, &before);
  for (long long& cost : costs) {
    long long now = 0;
    if (const int code = PAPI_read_ts(set, values, &now); code != PAPI_OK) worst = code;
    cost = now - before;
    before = now;
  }
  return worst;
}

/// The operations that need a running set.
int MeasureRunning(Operation operation, int set, long long* values, std::span<long long> costs) {
  switch (operation) {
    case Operation::kRead:
      return Measure(costs, [=] { return PAPI_read(set, values); });
    case Operation::kReadTs:
      return MeasureStamps(set, values, costs);
    case Operation::kAccum:
      return Measure(costs, [=] { return PAPI_accum(set, values); });
    case Operation::kReset:
      return Measure(costs, [=] { return PAPI_reset(set); });
    case Operation::kNothing:
    case Operation::kStartStop:
      break;
  }
  return PAPI_EINVAL;
}

}  // namespace

int MeasureOperation(Operation operation, int set, std::span<long long> values,
                     std::span<long long> costs) {
  // An empty operation between the same two readings.
  if (operation == Operation::kNothing) return Measure(costs, [] { return PAPI_OK; });
  if (operation == Operation::kStartStop) {
    long long* const into = values.data();
    return Measure(costs, [=] {
      const int started = PAPI_start(set);
      const int stopped = PAPI_stop(set, into);
      return started != PAPI_OK ? started : stopped;
    });
  }
  // Started once for all measurements: only the operation itself is between two readings.
  if (const int code = PAPI_start(set); code != PAPI_OK) return code;
  const int code = MeasureRunning(operation, set, values.data(), costs);
  const int stopped = PAPI_stop(set, values.data());
  return code != PAPI_OK ? code : stopped;
}

double CyclesPerNs() {
  // The cycles are read outside of the nanoseconds at both ends; the error is the time of two
  // readings.
  const long long cycles = PAPI_get_real_cyc();
  const long long began = PAPI_get_real_nsec();
  long long now = began;
  for (int i = 0; i < kMostReadings && now - began < kCalibrationNs; ++i) {
    now = PAPI_get_real_nsec();
  }
  const long long passed = PAPI_get_real_cyc() - cycles;
  // One of the clocks did not move: the rate is not known.
  if (now <= began || passed <= 0) return 0;
  return static_cast<double>(passed) / static_cast<double>(now - began);
}

}  // namespace csink::utils
