#include "core/components/perf_probe.h"

#include <errno.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>

#include "core/components/pmu_cpus.h"
#include "core/counting/perf_counter_set.h"
#include "core/counting/user_read.h"
#include "core/perf/perf_event.h"
#include "core/perf/ring_buffer.h"
#include "core/util/raw_syscall.h"

namespace csink {
namespace {

constexpr std::size_t kMostCounters = 32;

perf_event_attr Attr(std::uint32_t type, std::uint64_t config) {
  perf_event_attr attr = {};
  attr.size = sizeof attr;
  attr.type = type;
  attr.config = config;
  attr.disabled = 1;
  attr.exclude_kernel = 1;
  attr.exclude_hv = 1;
  return attr;
}

perf_event_attr SoftwareAttr() { return Attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK); }

Error TryOpen(Kernel& kernel, perf_event_attr attr, pid_t tid = 0, int cpu = -1) {
  const long fd = kernel.PerfEventOpen(&attr, tid, cpu, -1);
  if (fd >= 0) {
    kernel.Close(static_cast<int>(fd));
    return {};
  }
  const int error = static_cast<int>(-fd);
  return {ErrcFromErrno(error), error, "perf_event_open is refused"};
}

bool Opens(Kernel& kernel, const perf_event_attr& attr, pid_t tid = 0, int cpu = -1) {
  return TryOpen(kernel, attr, tid, cpu).code == Errc::kOk;
}

/// Instructions (0) and cycles (1) of one core type, for counting how many fit.
class FixedEvents final : public CountableEvents {
 public:
  FixedEvents(std::uint32_t core_type, CountingMemory& memory)
      : core_type_(core_type), memory_(memory) {}
  bool Encode(std::uint32_t event, CountableEvent& out) override {
    out.attr = Attr(PERF_TYPE_HARDWARE,
                    event == 0 ? PERF_COUNT_HW_INSTRUCTIONS : PERF_COUNT_HW_CPU_CYCLES);
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
    requests.push_back({.event = 0, .sampling = {}});
    if (!set.Configure(requests, {})) break;
  }
  const std::size_t alike = set.size();
  requests.resize(alike);
  requests.push_back({.event = 1, .sampling = {}});
  long long values[kMostCounters + 1];
  const bool with_cycles = set.Configure(requests, {}) && set.Start() && set.Read(values);
  return {alike, alike + (with_cycles ? 1 : 0)};
}

}  // namespace

PerfCapabilities ProbePerf(Kernel& kernel) noexcept {
  PerfCapabilities found;
  found.refusal = TryOpen(kernel, SoftwareAttr());
  if (found.refusal.code != Errc::kOk) {
    found.hardware_refusal = found.refusal;
    return found;
  }
  perf_event_attr attr = SoftwareAttr();
  attr.exclude_kernel = 0;
  found.domain.kernel = Opens(kernel, attr);
  found.domain.hypervisor = found.domain.kernel;
  found.attach = Opens(kernel, SoftwareAttr(), static_cast<pid_t>(RawSyscall(SYS_gettid)));
  // Some processor that is online: 0 need not be.
  for (int cpu = 0; cpu < 8 && !found.attach_cpu; ++cpu) {
    const Error refusal = TryOpen(kernel, SoftwareAttr(), -1, cpu);
    found.attach_cpu = refusal.code == Errc::kOk;
    if (refusal.code == Errc::kPermission) break;
  }
  attr = SoftwareAttr();
  attr.inherit = 1;
  found.inherit = Opens(kernel, attr);
  attr = SoftwareAttr();
  attr.sample_period = 1'000'000'000;
  attr.sample_type = PERF_SAMPLE_IP;
  found.sampling = Opens(kernel, attr);
  found.hardware_refusal = TryOpen(kernel, Attr(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS));
  if (found.hardware_refusal.code != Errc::kOk &&
      Opens(kernel, Attr(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES))) {
    found.hardware_refusal = {};
  }
  return found;
}

HardwareCounters CountHardwareCounters(Kernel& kernel, CountingMemory& memory) {
  std::vector<std::uint32_t> types = HybridPmuTypes();
  if (types.empty()) types.push_back(0);
  HardwareCounters most;
  for (const std::uint32_t type : types) {
    const HardwareCounters found = CountersOf(kernel, memory, type);
    if (found.together > most.together) most = found;
  }
  return most;
}

bool ProbeUserReads(Kernel& kernel, CountingMemory& memory) {
  // Events are opened with what user reads need, and mapped, only while this says so.
  memory.user_reads.store(true, std::memory_order_relaxed);
  bool works = false;
  FixedEvents events(0, memory);
  for (std::uint32_t event = 0; event < 2 && !works; ++event) {
    PerfCounterSet set(kernel, events);
    const CounterRequest request = {.event = event, .sampling = {}};
    works = set.Configure({&request, 1}, {}) && set.Start() && set.ReadableInUserSpace();
  }
  memory.user_reads.store(works, std::memory_order_relaxed);
  return works;
}

int PerfEventParanoid(const char* file) {
  std::ifstream in(file);
  int level = -2;
  if (in >> level) return level;
  return -2;
}

std::string DescribeRefusal(const Error& refusal, int paranoid) {
  if (refusal.code == Errc::kPermission) {
    if (paranoid > 2) {
      return "perf_event_paranoid is " + std::to_string(paranoid) +
             ": this user may not count anything; ask for 2 (sysctl kernel.perf_event_paranoid=2) "
             "or CAP_PERFMON";
    }
    return "perf_event_open is refused here, by a container's seccomp filter or a security module";
  }
  if (refusal.sys_errno == ENOSYS) return "this kernel has no perf_event_open";
  if (refusal.code == Errc::kLimit) return "no file descriptor or memory is left for a counter";
  return "perf_event_open fails here with errno " + std::to_string(refusal.sys_errno);
}

std::string DescribeMissingHardware(const Error& refusal) {
  if (refusal.code == Errc::kNoEvent || refusal.code == Errc::kUnsupported) {
    return "this machine gives no access to a hardware PMU (a virtual machine without one, most "
           "likely): software events count";
  }
  return "hardware events are refused with errno " + std::to_string(refusal.sys_errno) +
         ": software events count";
}

}  // namespace csink
