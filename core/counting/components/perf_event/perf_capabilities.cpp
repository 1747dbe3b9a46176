#include "core/counting/components/perf_event/perf_capabilities.h"

#include <time.h>

#include <algorithm>

#include "core/counting/counter_sets/perf_counter_set.h"
#include "core/counting/system/pmu_cpus.h"
#include "core/machine/valgrind.h"
#include "core/perf/perf_probe.h"
#include "core/perf/user_read.h"
#include "core/util/thread_id.h"

// File: probing is done with as few events as possible, because each open and close costs 30 us:
// first everything at once, and only after a refusal one by one. Counters are counted by growing a
// set until the kernel refuses it.

namespace csink {
namespace {

// More than any PMU has.
constexpr std::size_t kMostCounters = 32;

perf_event_attr SoftwareCounter() {
  return UserCounter(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK);
}

bool Opens(Kernel& kernel, const perf_event_attr& attr, pid_t tid = 0) {
  return TryOpen(kernel, attr, tid) == 0;
}

/// Instructions (event 0) and cycles (event 1) of one core type, to find out how many counters
/// there are.
class FixedEvents final : public CountableEvents {
 public:
  FixedEvents(std::uint32_t core_type, CountingMemory& memory)
      : core_type_(core_type), memory_(memory) {}
  bool Encode(std::uint32_t event, CountableEvent& out) override {
    out.attr = UserCounter(PERF_TYPE_HARDWARE,
                           event == 0 ? PERF_COUNT_HW_INSTRUCTIONS : PERF_COUNT_HW_CPU_CYCLES);
    // The PMU's type in the upper half (Linux 5.13); 0 on processors with one kind of cores.
    out.attr.config |= std::uint64_t{core_type_} << 32;
    return true;
  }
  std::size_t CountersAtOnce() override { return 1; }
  CountingMemory& memory() noexcept override { return memory_; }

 private:
  std::uint32_t core_type_;
  CountingMemory& memory_;
};

HardwareCounters CountersOf(Kernel& kernel, CountingMemory& memory, std::uint32_t core_type) {
  FixedEvents events(core_type, memory);
  PerfCounterSet set(kernel, events);
  std::vector<CounterRequest> requests;
  while (requests.size() < kMostCounters) {
    // Equal events, so that none of them needs a particular counter.
    requests.push_back({.event = 0, .sampling = {}});
    if (!set.Configure(requests, {})) break;
  }
  const std::size_t alike = set.size();
  requests.resize(alike);
  requests.push_back({.event = 1, .sampling = {}});
  long long values[kMostCounters + 1];
  // Started and read as well: with the cycles beside it, a group may open and never be scheduled.
  const bool with_cycles = set.Configure(requests, {}) && set.Start() && set.Read(values);
  return {alike, alike + (with_cycles ? 1 : 0)};
}

std::uint64_t NowNs() {
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(now.tv_nsec);
}

/// The time that `act` takes: the fastest of a few runs, because the first one runs with cold
/// caches and any may be interrupted.
template <class F>
std::uint64_t FastestNs(F act) {
  constexpr int kTries = 4;
  std::uint64_t fastest = UINT64_MAX;
  for (int i = 0; i < kTries; ++i) {
    const std::uint64_t begin = NowNs();
    act();
    fastest = std::min(fastest, NowNs() - begin);
  }
  return fastest;
}

perf_event_attr Inherited(perf_event_attr attr) {
  attr.inherit = 1;
  return attr;
}

perf_event_attr Sampled(perf_event_attr attr) {
  // A second of CPU time: no sample is taken before the event is closed.
  attr.sample_period = 1'000'000'000;
  attr.sample_type = PERF_SAMPLE_IP;
  return attr;
}

/// Tries attaching, inheritance and sampling with a single event, because opening and closing an
/// event takes 30 us and all of it is nearly always possible. Returns false if something is not
/// possible.
bool ProbeAtOnce(Kernel& kernel, PerfCapabilities& found) {
  if (!Opens(kernel, Sampled(Inherited(SoftwareCounter())), AskTid())) return false;
  found.refusal = 0;
  found.attach = found.inherit = found.sampling = true;
  return true;
}

// Tells which of them is refused.
void ProbeOneByOne(Kernel& kernel, PerfCapabilities& found) {
  found.refusal = TryOpen(kernel, SoftwareCounter());
  if (found.refusal != 0) return;
  found.attach = Opens(kernel, SoftwareCounter(), AskTid());
  found.inherit = Opens(kernel, Inherited(SoftwareCounter()));
  found.sampling = Opens(kernel, Sampled(SoftwareCounter()));
}

}  // namespace

PerfCapabilities ProbePerf(Kernel& kernel) noexcept {
  PerfCapabilities found;
  if (!ProbeAtOnce(kernel, found)) ProbeOneByOne(kernel, found);
  if (found.refusal != 0) {
    found.hardware_refusal = found.refusal;
    return found;
  }
  perf_event_attr attr = SoftwareCounter();
  attr.exclude_kernel = 0;
  found.domain.kernel = Opens(kernel, attr);
  // Decided by the same permission.
  found.domain.hypervisor = found.domain.kernel;
  // Tries several processors: number 0 may be offline.
  for (int cpu = 0; cpu < 8 && !found.attach_cpu; ++cpu) {
    const int refusal = TryOpen(kernel, SoftwareCounter(), -1, cpu);
    found.attach_cpu = refusal == 0;
    // Then the other CPUs are refused as well.
    if (ErrcFromErrno(refusal) == Errc::kPermission) break;
  }
  // Instructions or cycles: one of them is enough.
  found.hardware_refusal = TryCounter(kernel, PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
  Error unused;
  if (found.hardware_refusal != 0 && HasCycles(kernel, &unused)) found.hardware_refusal = 0;
  return found;
}

HardwareCounters CountHardwareCounters(Kernel& kernel, CountingMemory& memory) {
  std::vector<std::uint32_t> types = HybridPmuTypes();
  // No hybrid processor: the kernel takes its only PMU.
  if (types.empty()) types.push_back(0);
  HardwareCounters most;
  for (const std::uint32_t type : types) {
    const HardwareCounters found = CountersOf(kernel, memory, type);
    if (found.together > most.together) most = found;
  }
  return most;
}

std::uint16_t UserReadsWorthWhile(std::uint64_t user_read_ns,
                                  std::uint64_t kernel_read_ns) noexcept {
  // The time was below the clock's resolution: user-space reads are always faster.
  if (user_read_ns == 0) return kMaxGroupEvents;
  const std::uint64_t most = kernel_read_ns / user_read_ns;
  return static_cast<std::uint16_t>(std::min<std::uint64_t>(most, kMaxGroupEvents));
}

bool ProbeUserReads(Kernel& kernel, CountingMemory& memory) {
  if (RunsOnValgrind()) return false;
  // Set for the probe: events are opened and mapped for user-space reads only while this is not 0.
  memory.user_reads_at_most.store(1, std::memory_order_relaxed);
  std::uint16_t most = 0;
  FixedEvents events(0, memory);
  for (std::uint32_t event = 0; event < 2 && most == 0; ++event) {
    PerfCounterSet set(kernel, events);
    const CounterRequest request = {.event = event, .sampling = {}};
    if (!set.Configure({&request, 1}, {}) || !set.Start() || !set.ReadableInUserSpace()) continue;
    // Both ways are timed for one counter; one read(2) returns a whole group.
    const std::uint64_t user_ns = FastestNs([&] { (void)set.ReadableInUserSpace(); });
    const std::uint64_t kernel_ns = FastestNs([&] {
      std::uint64_t words[3];
      (void)kernel.EventRead(set.fd(0), words, sizeof words);
    });
    most = UserReadsWorthWhile(user_ns, kernel_ns);
  }
  memory.user_reads_at_most.store(most, std::memory_order_relaxed);
  return most != 0;
}

}  // namespace csink
