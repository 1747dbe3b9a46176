#include "compat/utils/measuring/clock.h"

#include <papi.h>

namespace csink::utils {
namespace {

// Long enough that the time of one reading does not matter.
constexpr long long kCalibrationNs = 20'000'000;
constexpr int kMostReadings = 10'000'000;  // limit for a clock that does not move

}  // namespace

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
  if (now <= began || passed <= 0) return 0;
  return static_cast<double>(passed) / static_cast<double>(now - began);
}

}  // namespace csink::utils
