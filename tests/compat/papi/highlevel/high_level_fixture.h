#pragma once

#include <string>

#include "tests/compat/papi/papi_fixture.h"

/// File: what the tests of the high level have in common. The library starts by itself there, so
/// it is not initialised when a test begins.

namespace papi_test {

/// Presets over software events: the clocks stand for operations and cycles, page faults for what
/// can be counted exactly.
inline const std::string& HighLevelPresets() {
  static const OwnPresets presets(
      "CPU,perf\n"
      "PRESET,PAPI_TOT_CYC,NOT_DERIVED,perf::CPU-CLOCK\n"
      "PRESET,PAPI_TOT_INS,DERIVED_POSTFIX,N0|3|*|,perf::CPU-CLOCK\n"
      "PRESET,PAPI_FP_INS,NOT_DERIVED,perf::PAGE-FAULTS\n"
      "PRESET,PAPI_FP_OPS,DERIVED_POSTFIX,N0|1000|*|,perf::PAGE-FAULTS\n"
      "PRESET,PAPI_SP_OPS,NOT_DERIVED,perf::MINOR-FAULTS\n"
      "PRESET,PAPI_REF_CYC,DERIVED_POSTFIX,N0|2|*|,perf::CPU-CLOCK\n"
      "PRESET,PAPI_L1_TCM,NOT_DERIVED,perf::PAGE-FAULTS\n");
  return presets.path();
}

/// Page faults that a stretch may have besides those of Touch; a sanitizer's shadow memory has its
/// own.
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
inline constexpr long long kOtherFaults = 1'000'000;
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
inline constexpr long long kOtherFaults = 1'000'000;
#else
inline constexpr long long kOtherFaults = 90;
#endif
#else
inline constexpr long long kOtherFaults = 90;
#endif

/// What a clock event counts at least while Burn uses a ms: less than the thread's own clock says
/// by a part of each switch to another thread.
inline constexpr long long kClockOfMs = 900'000;

/// Nothing is initialised; afterwards all is shut down.
class HighLevelTest : public PapiTest {
 protected:
  void SetUp() override { HighLevelPresets(); }
};

}  // namespace papi_test
