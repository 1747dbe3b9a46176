#include "agent/start/event_cost.h"

#include <algorithm>

#include "core/perf/perf_probe.h"

/// File: measures what an event costs at a context switch, and chooses the default event by it
/// (docs/design/agent.md). Enabling and disabling an event does to its counter what a switch does:
/// off the registers, on again. The pairs are timed in batches; the cost of as many system calls
/// that do nothing is subtracted.

namespace csink::agent {
namespace {

// Four batches of six pairs for each of two events: 48 pairs at most. kMostNs bounds the time of
// one event, so that an expensive hypervisor does not delay the program much.
constexpr unsigned kBatches = 4;
constexpr unsigned kPairs = 6;  // In a batch
constexpr std::uint64_t kMostNs = 600'000;

// Limits: 5 % of a second for 30,000 switches, 1 % of it for 1,000 interrupts. An interrupt
// accesses the same registers as a switch, so it is assumed to cost the same.
constexpr std::uint64_t kMostOfASwitchNs = 50'000'000 / 30'000;
constexpr std::uint64_t kMostOfASecondNs = 10'000'000;

// Long enough that no overflow interrupt comes during the measurement.
constexpr std::uint64_t kPricedCyclesPeriod = 2'000'003;

// Primes, like the default period: the samples do not synchronise with loops of the program.
constexpr std::uint64_t kLongerPeriodsNs[] = {2'000'003, 4'000'037, 10'000'019};

// Measures the CPU time of one enable/disable pair, minus that of two system calls that do nothing.
// The smallest of some batches is taken: other activity makes a batch longer, never shorter. False:
// the kernel refuses.
bool PricePair(Kernel& kernel, std::uint64_t (*clock_ns)() noexcept, int fd, std::uint64_t begin,
               std::uint64_t& cost_ns) noexcept {
  std::uint64_t least = ~std::uint64_t{0};
  for (unsigned batch = 0; batch < kBatches; ++batch) {
    const std::uint64_t before = clock_ns();
    for (unsigned pair = 0; pair < kPairs; ++pair) {
      if (kernel.EventControl(fd, PERF_EVENT_IOC_ENABLE, 0) < 0) return false;
      if (kernel.EventControl(fd, PERF_EVENT_IOC_DISABLE, 0) < 0) return false;
    }
    const std::uint64_t between = clock_ns();
    for (unsigned call = 0; call < 2 * kPairs; ++call) kernel.CheckEvent(fd);
    const std::uint64_t after = clock_ns();
    const std::uint64_t all = between - before;
    least = std::min(least, all - std::min(all, after - between));
    if (after - begin > kMostNs) break;
  }
  cost_ns = least / kPairs;
  return true;
}

bool PriceEvent(Kernel& kernel, std::uint64_t (*clock_ns)() noexcept, unsigned type,
                std::uint64_t config, std::uint64_t period, std::uint64_t& cost_ns) noexcept {
  perf_event_attr attr = UserCounter(type, config);
  attr.sample_period = period;  // without a period task-clock would use no timer and look too cheap
  attr.sample_type = PERF_SAMPLE_IP;
  attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  const std::uint64_t begin = clock_ns();
  const long fd = kernel.PerfEventOpen(&attr, 0);
  if (fd < 0) return false;
  const bool done = PricePair(kernel, clock_ns, static_cast<int>(fd), begin, cost_ns);
  // An event that never had a counter (another program holds them) accessed no register and would
  // look cheap.
  struct {
    std::uint64_t value = 0, enabled_ns = 0, running_ns = 0;
  } read;
  const long bytes = kernel.EventRead(static_cast<int>(fd), &read, sizeof read);
  kernel.Close(static_cast<int>(fd));
  return done && bytes == static_cast<long>(sizeof read) && read.running_ns != 0;
}

// The shortest of the periods at which interrupts of `interrupt_ns` take at most 1 % of the CPU
// time; the longest one where none does.
std::uint64_t PeriodFor(std::uint64_t period, std::uint64_t interrupt_ns) noexcept {
  for (const std::uint64_t longer : kLongerPeriodsNs) {
    if (interrupt_ns * (1'000'000'000 / period) <= kMostOfASecondNs) break;
    period = longer;
  }
  return period;
}

// ns as "1.7 us", rounded.
Text<32> Microseconds(std::uint64_t ns) noexcept {
  Text<32> text;
  return text.Fixed(ns + 50, 1000, 1).Add(" us");
}

}  // namespace

bool MeasureSwitchCost(Kernel& kernel, std::uint64_t (*clock_ns)() noexcept,
                       SwitchCost& cost) noexcept {
  return PriceEvent(kernel, clock_ns, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK,
                    kDefaultClockPeriodNs, cost.task_clock_ns) &&
         PriceEvent(kernel, clock_ns, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES,
                    kPricedCyclesPeriod, cost.cycles_ns);
}

bool FindSwitchCost(Kernel& kernel, const CostSurroundings& where, SwitchCost& cost) noexcept {
  if (!where.is_virtual) return false;
  if (ReadSwitchCost(where, cost)) return true;
  if (!MeasureSwitchCost(kernel, where.clock_ns, cost)) return false;
  (void)WriteSwitchCost(where, cost);
  return true;
}

bool CyclesAreCheap(const SwitchCost& cost) noexcept {
  return cost.cycles_ns <= std::max(kMostOfASwitchNs, cost.task_clock_ns);
}

void ChooseByCost(Kernel& kernel, const CostSurroundings& where, const EventSpec& task_clock,
                  EventSpec& event, Text<256>& reason) noexcept {
  SwitchCost cost;
  if (!FindSwitchCost(kernel, where, cost)) return;
  if (CyclesAreCheap(cost)) {
    reason.Add("; cycles add ").Add(Microseconds(cost.cycles_ns).view());
    reason.Add(" to a context switch of this virtual machine");
    return;
  }
  event = task_clock;
  event.period = PeriodFor(task_clock.period, cost.task_clock_ns);
  reason.Clear();
  reason.Add("cycles add ").Add(Microseconds(cost.cycles_ns).view());
  reason.Add(" to a context switch of this virtual machine, task-clock ");
  reason.Add(Microseconds(cost.task_clock_ns).view());
  reason.Add("; to sample cycles nevertheless: csink run -e cycles, or CSINK_EVENTS=cycles");
}

}  // namespace csink::agent
