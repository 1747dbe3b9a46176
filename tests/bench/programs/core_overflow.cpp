/// core_overflow STEPS [THRESHOLD [signal]]
///
/// papi_overflow.c on core/counting/overflow alone, without a libpapi above it: by SIGTRAP, or by
/// the signal source. Prints {"cpu_ns": ..., "samples": ...}.
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "core/counting/overflow/set_overflow.h"
#include "tests/fakes/plain_counter_set.h"

extern "C" {
#include "tests/bench/programs/burn.h"
}

namespace {

using csink::testing::PlainCounterSet;

constexpr unsigned kDepth = 22;
volatile std::uint64_t g_calls = 0;

void OnOverflow(void*, const csink::OverflowHit&) noexcept { g_calls = g_calls + 1; }

void Check(const csink::Result<void>& done) {
  if (done) return;
  std::fprintf(stderr, "%s\n", done.error().what);
  std::exit(3);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: %s STEPS [THRESHOLD [signal]]\n", argv[0]);
    return 2;
  }
  const std::uint64_t steps = NumberOrDie(argv[1]);
  const std::uint64_t threshold = argc > 2 ? NumberOrDie(argv[2]) : 0;
  const auto source =
      argc > 3 ? csink::OverflowSourceKind::kSignal : csink::OverflowSourceKind::kAutomatic;
  PlainCounterSet set;
  csink::SetOverflow overflow;
  if (threshold > 0) {
    csink::CounterRequest request{PlainCounterSet::kTaskClock, {}};
    const csink::OverflowArming arming{0, 1, threshold};
    Check(overflow.Prepare({&request, 1}, {&arming, 1}, csink::OverflowMode::kHardware, OnOverflow,
                           nullptr, source));
    Check(set.Configure({&request, 1}, {}));
    Check(overflow.Arm(set));
    Check(set.Start());
  }
  const std::uint64_t start_ns = CpuNanoseconds(CLOCK_PROCESS_CPUTIME_ID);
  const volatile std::uint64_t sink = BurnSteps(steps, kDepth);
  (void)sink;
  const std::uint64_t cpu_ns = CpuNanoseconds(CLOCK_PROCESS_CPUTIME_ID) - start_ns;
  if (threshold > 0) {
    Check(set.Stop());
    overflow.Disarm();
  }
  std::printf("{\"cpu_ns\": %llu, \"samples\": %llu}\n", static_cast<unsigned long long>(cpu_ns),
              static_cast<unsigned long long>(g_calls));
  return 0;
}
