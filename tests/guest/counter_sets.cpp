/// File: counter sets on a PMU whose counts are known exactly, for the guest (checked.h).
///
///   counter_sets exact   with an instruction a ns (icount): counts, conflicts, multiplexing,
///                        user-space reads
///   counter_sets wide    in real time: more cycles than 32 bits hold

#include <time.h>

#include <cstdio>
#include <cstring>
#include <vector>

#include "core/counting/components/perf_event/perf_event_component.h"
#include "tests/guest/checked.h"

namespace {

using namespace csink;

using guest::Check;
using guest::Spin;

constexpr long long k32Bits = 0xFFFFFFFF;
constexpr long long kWideCycles = 4'600'000'000;  // To be counted

struct Machine {
  PerfEventComponent component{RealKernel(), NativeCatalogue::Get(), CatalogueSide::kCore};
  std::uint32_t instructions = 0, cycles = 0, native = 0;

  std::uint32_t Find(const char* name) {
    EventComplaint complaint;
    const auto found = component.Find(name, complaint);
    if (!found) std::printf("%s: %s\n", name, complaint.c_str());
    return found ? *found : 0xffffff;
  }
  Machine() {
    instructions = Find("perf::INSTRUCTIONS");
    cycles = Find("perf::CYCLES");
    native = Find("arm_ac57::INST_RETIRED");
  }
  std::vector<CounterRequest> Requests(std::uint32_t event, int count) const {
    return std::vector<CounterRequest>(static_cast<std::size_t>(count), {event, {}});
  }
};

/// What a loop of `n` instructions counts between two reads; the first of `set`.
std::vector<long long> CountLoop(CounterSet& set, std::uint64_t n) {
  std::vector<long long> before(set.size()), after(set.size());
  if (!set.Read(before.data())) return before;
  Spin(n / 2);
  if (!set.Read(after.data())) return before;
  for (std::size_t i = 0; i < set.size(); ++i) after[i] -= before[i];
  return after;
}

void CheckExact(Machine& machine, const char* name, std::vector<CounterRequest> requests,
                long long most_around) {
  constexpr std::uint64_t kLoop = 20'000'000;
  const auto set = machine.component.MakeCounterSet();
  const auto configured = set->Configure(requests, {});
  if (!configured || !set->Start()) {
    Check(false, name, "%s", configured ? "does not start" : configured.error().what);
    return;
  }
  CountLoop(*set, 2);  // the first run faults pages in
  std::vector<long long> last;
  for (int round = 0; round < 3; ++round) {
    const std::vector<long long> counted = CountLoop(*set, kLoop);
    for (std::size_t i = 0; i < counted.size(); ++i) {
      const long long around = counted[i] - static_cast<long long>(kLoop);
      Check(around >= 0 && around <= most_around, name, "counter %zu: %lld around %llu", i, around,
            static_cast<unsigned long long>(kLoop));
    }
    if (round > 0) Check(counted == last, name, "each run counts the same");
    last = counted;
  }
  const auto stopped = set->Stop();
  Check(stopped.has_value(), name, "stops");
}

void CheckConflicts(Machine& machine) {
  const auto set = machine.component.MakeCounterSet();
  bool all = true;
  for (int n = 1; n <= 6; ++n) {
    all = all && set->Configure(machine.Requests(machine.instructions, n), {});
  }
  Check(all, "conflicts", "six instruction counters fit");
  const auto seven = set->Configure(machine.Requests(machine.instructions, 7), {});
  Check(!seven && seven.error().code == Errc::kConflict, "conflicts", "the seventh does not: %s",
        seven ? "it was taken" : seven.error().what);
  Check(set->size() == 6, "conflicts", "%zu are left", set->size());
  auto requests = machine.Requests(machine.instructions, 6);
  requests.push_back({machine.cycles, {}});
  Check(set->Configure(requests, {}).has_value(), "conflicts", "cycles have their own counter");
  Check(set->Start().has_value(), "conflicts", "seven start");
  const auto counted = CountLoop(*set, 1'000'000);
  for (const long long value : counted) {
    Check(value >= 1'000'000 && value < 1'001'000, "conflicts", "counts %lld of 1000000", value);
  }
  Check(set->Stop().has_value(), "conflicts", "stops");
  const auto sampled = machine.component.MakeCounterSet();
  auto many = machine.Requests(machine.instructions, 7);
  many[0].sampling = {.delivery = SamplingRequest::Delivery::kRing, .period = 1000};
  const auto refused = sampled->Configure(many, {});
  Check(!refused && refused.error().code == Errc::kConflict, "conflicts", "a sampled set as well");
  const ComponentInfo& info = machine.component.Info();
  Check(info.counters == 7, "conflicts", "the component says %d", info.counters);
}

void CheckMultiplex(Machine& machine, CountingOptions::Multiplex kind, const char* name,
                    double tolerance) {
  constexpr double kLoop = 400'000'000;
  CountingOptions options;
  options.multiplex = kind;
  const auto set = machine.component.MakeCounterSet();
  const auto configured = set->Configure(machine.Requests(machine.instructions, 9), options);
  Check(configured.has_value(), name, "nine of six: %s", configured ? "" : configured.error().what);
  if (!configured || !set->Start()) return;
  Spin(static_cast<std::uint64_t>(kLoop / 2));
  Check(set->Stop().has_value(), name, "stops");
  std::vector<long long> values(9);
  if (!set->Read(values.data())) return;
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::uint64_t enabled = 0, running = 0;
    set->Times(i, &enabled, &running);
    const double ratio = static_cast<double>(values[i]) / kLoop;
    Check(ratio > 1 - tolerance && ratio < 1 + tolerance && running < enabled, name,
          "counter %zu: %.5f of the truth, on %.1f %% of the time", i, ratio,
          100.0 * static_cast<double>(running) / static_cast<double>(enabled));
  }
}

/// Instructions, the kernel's too, that one Read of `set` takes.
double CostOfRead(Machine& machine, CounterSet& set) {
  CountingOptions options;
  options.domain.kernel = true;
  const auto meter = machine.component.MakeCounterSet();
  const CounterRequest request = {machine.instructions, {}};
  constexpr int kReads = 20'000;
  long long values[8];
  if (!meter->Configure({&request, 1}, options) || !meter->Start()) return -1;
  for (int i = 0; i < kReads; ++i) (void)set.Read(values);
  long long counted = 0;
  if (!meter->Stop() || !meter->Read(&counted)) return -1;
  return static_cast<double>(counted) / kReads;
}

void CheckUserReads(Machine& machine, bool wanted) {
  const ComponentInfo& info = machine.component.Info();
  Check(info.fast_counter_read == wanted, "user reads", "the component says %s",
        info.fast_counter_read ? "yes" : "no");
  auto requests = machine.Requests(machine.instructions, 1);
  PerfCounterSet set(RealKernel(), machine.component);
  if (!set.Configure(requests, {}) || !set.Start()) return;
  Check(set.ReadableInUserSpace() == wanted, "user reads", "%s of one event",
        wanted ? "work" : "do not work");
  const double cost = CostOfRead(machine, set);
  Check(cost > 0 && (wanted ? cost < 300 : cost > 1500), "user reads",
        "%.0f instructions a read of one event", cost);
  Check(set.Stop().has_value(), "user reads", "stops");
  requests = {{machine.instructions, {}}, {machine.cycles, {}}};
  PerfCounterSet pair(RealKernel(), machine.component);
  if (!pair.Configure(requests, {}) || !pair.Start()) return;
  Check(pair.ReadableInUserSpace() == wanted, "user reads", "%s of a pair",
        wanted ? "work" : "do not work");
  std::printf("%.0f instructions a read of a pair\n", CostOfRead(machine, pair));
  Check(pair.Stop().has_value(), "user reads", "stops");
}

void CheckMixedGroup(Machine& machine) {
  PerfCounterSet set(RealKernel(), machine.component);
  const CounterRequest requests[] = {{machine.Find("perf::TASK-CLOCK"), {}},
                                     {machine.instructions, {}}};
  Check(set.Configure(requests, {}) && set.Start(), "mixed", "software leads hardware");
  const auto counted = CountLoop(set, 10'000'000);
  Check(counted[1] >= 10'000'000 && counted[1] < 10'001'000, "mixed", "%lld instructions",
        counted[1]);
  Check(!set.ReadableInUserSpace(), "mixed", "a clock has no user reads: read(2)");
  Check(counted[0] > 9'000'000, "mixed", "%lld ns", counted[0]);
  Check(set.Stop().has_value(), "mixed", "stops");
}

double Seconds() {
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

/// Cycles are ns of the guest's clock: more of them than 2^32 take 4.3 s.
void CheckWideCycles(Machine& machine) {
  const auto single = machine.component.MakeCounterSet();
  const auto pair = machine.component.MakeCounterSet();
  const CounterRequest one[] = {{machine.cycles, {}}};
  // No instructions: in real time this PMU does not count them, and says so.
  const CounterRequest two[] = {{machine.Find("perf::TASK-CLOCK"), {}},
                                {machine.Find("arm_ac57::CPU_CYCLES"), {}}};
  Check(single->Configure(one, {}) && pair->Configure(two, {}), "wide", "opens");
  if (!single->Start() || !pair->Start()) return;
  const double begin = Seconds();
  long long last = 0, value = 0, values[2] = {};
  bool monotonic = true;
  // On a busy host the guest's processor, and so its cycles, stand still now and then.
  while (last < kWideCycles && Seconds() - begin < 20.0) {
    Spin(1'000'000);
    if (!single->Read(&value)) break;
    monotonic = monotonic && value >= last;
    last = value;
  }
  (void)pair->Read(values);
  const double spent = (Seconds() - begin) * 1e9;
  Check(monotonic, "wide", "never goes back");
  Check(value > k32Bits && static_cast<double>(value) < 1.02 * spent, "wide",
        "%lld cycles by single reads in %.0f ns", value, spent);
  Check(values[1] > k32Bits && static_cast<double>(values[1]) < 1.02 * spent, "wide",
        "%lld cycles by group reads", values[1]);
  Check(single->Stop() && pair->Stop(), "wide", "stops");
}

}  // namespace

int main(int argc, char** argv) {
  Machine machine;
  const bool user_reads = argc > 2 && std::strcmp(argv[2], "user") == 0;
  if (argc > 1 && std::strcmp(argv[1], "wide") == 0) {
    CheckWideCycles(machine);
  } else {
    CheckUserReads(machine, user_reads);
    CheckExact(machine, "one counter", {{machine.instructions, {}}}, 600);
    CheckExact(machine, "native", {{machine.native, {}}}, 600);
    CheckExact(machine, "pair", {{machine.instructions, {}}, {machine.cycles, {}}}, 900);
    CheckMixedGroup(machine);
    CheckConflicts(machine);
    CheckMultiplex(machine, CountingOptions::Multiplex::kKernel, "kernel multiplex", 0.001);
    CheckMultiplex(machine, CountingOptions::Multiplex::kSoftware, "software multiplex", 0.001);
  }
  guest::LastLine();
  return 0;
}
