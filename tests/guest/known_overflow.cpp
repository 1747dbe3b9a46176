/// File: overflow handlers on a real PMU.
///
///   known_overflow LOOP   runs LOOP instructions under each combination of events and source, and
///                         prints what was counted and what the handlers were told

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "core/counting/overflow/set_overflow.h"
#include "tests/fakes/plain_counter_set.h"
#include "tests/guest/checked.h"

namespace {

using csink::testing::PlainCounterSet;
using Kind = csink::OverflowSourceKind;

struct Event {
  const char* name;
  std::uint32_t number;
  std::uint64_t period;
  std::uint64_t told;
  std::uint64_t missed;
};

void OnOverflow(void* owner, const csink::OverflowHit& hit) noexcept {
  Event& event = static_cast<Event*>(owner)[__builtin_ctzll(hit.vector)];
  event.told += 1 + hit.missed;
  event.missed += hit.missed;
}

void Check(const csink::Result<void>& done, const char* step) {
  if (done) return;
  std::printf("known failed=%s what=%s errno=%d\n", step, done.error().what,
              done.error().sys_errno);
  std::exit(3);
}

void Run(std::vector<Event> events, Kind source, std::uint64_t instructions) {
  std::vector<csink::CounterRequest> requests;
  std::vector<csink::OverflowArming> armings;
  for (const Event& event : events) {
    armings.push_back({requests.size(), std::uint64_t{1} << requests.size(), event.period});
    requests.push_back({event.number, {}});
  }
  PlainCounterSet set;
  csink::SetOverflow overflow;
  Check(overflow.Prepare(requests, armings, csink::OverflowMode::kHardware, OnOverflow,
                         events.data(), source),
        "prepare");
  Check(set.Configure(requests, {}), "configure");
  Check(overflow.Arm(set), "arm");
  Check(set.Start(), "start");
  guest::Spin(instructions / 2);
  Check(set.Stop(), "stop");
  overflow.Disarm();
  std::vector<long long> counts(events.size());
  Check(set.Read(counts.data()), "read");
  for (std::size_t i = 0; i < events.size(); ++i) {
    std::printf(
        "known events=%zu event=%s source=%s period=%llu loop=%llu count=%lld told=%llu "
        "missed=%llu\n",
        events.size(), events[i].name, overflow.source(),
        static_cast<unsigned long long>(events[i].period),
        static_cast<unsigned long long>(instructions), counts[i],
        static_cast<unsigned long long>(events[i].told),
        static_cast<unsigned long long>(events[i].missed));
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t loop = argc == 2 ? std::strtoull(argv[1], nullptr, 10) : 0;
  if (loop == 0) {
    std::fprintf(stderr, "usage: known_overflow LOOP\n");
    return 2;
  }
  const Event cycles{"cycles", PlainCounterSet::kCycles, 1'000'000, 0, 0};
  const Event instructions{"instructions", PlainCounterSet::kInstructions, 1'000'000, 0, 0};
  const Event often{"instructions", PlainCounterSet::kInstructions, 100'000, 0, 0};
  for (const Kind source : {Kind::kSigtrap, Kind::kSignal}) {
    Run({cycles}, source, loop);
    Run({instructions}, source, loop);
    Run({often, cycles}, source, loop);
    Run({cycles, often}, source, loop);
  }
  return 0;
}
