#include "agent/start/doctor_trial.h"

#include <errno.h>

#include "core/perf/perf_probe.h"
#include "core/sampling/rate_limit.h"
#include "core/sampling/sampling_attr.h"
#include "core/util/errno_words.h"

/// File: tries an event and finds out why it is refused. The kernel's errno alone does not say
/// enough: ENOENT and EINVAL mean a missing PMU, a PMU that does not sample, or one that counts
/// whole CPUs only. Further opens tell them apart.

namespace csink::agent {
namespace {

// Whether the event belongs to a PMU: core, uncore or another device.
bool IsHardware(const EventSpec& spec) noexcept {
  return spec.type != PERF_TYPE_SOFTWARE && spec.type != PERF_TYPE_TRACEPOINT &&
         spec.type != PERF_TYPE_BREAKPOINT;
}

// The attributes of the event, counting only.
perf_event_attr CounterOf(const EventSpec& spec) noexcept {
  perf_event_attr attr = UserCounter(spec.type, spec.config);
  attr.size = PERF_ATTR_SIZE_VER1;  // the first size that has config2
  attr.config1 = spec.config1;
  attr.config2 = spec.config2;
  attr.exclude_user = spec.exclude_user;
  attr.exclude_kernel = spec.exclude_kernel;
  return attr;
}

// Errors that say that something does not exist here; others are refusals of rights or limits.
bool IsAbsence(int error) noexcept {
  return error == ENOENT || error == ENODEV || error == ENXIO || error == EINVAL ||
         error == EOPNOTSUPP;
}

}  // namespace

TrialMachine ReadTrialMachine(Kernel& kernel) noexcept {
  TrialMachine machine;
  machine.facts = ReadMachineFacts();
  machine.limit = ReadRateLimit(kernel);
  machine.has_cycles = TryCounter(kernel, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES) == 0;
  return machine;
}

int TrySampling(Kernel& kernel, const EventSpec& spec, const RateLimit& limit) noexcept {
  EventSpec tried = spec;
  if (limit.max_hz != 0 && tried.frequency_hz > limit.max_hz) {
    // The kernel refuses a frequency above the limit with EINVAL (docs/design/sampling.md).
    tried.frequency_hz = FittingHz(limit.max_hz);
  }
  AttributeLadder ladder;
  perf_event_attr attr = MakeSamplingAttr(tried, SamplingOptions{});
  // Disabled: the trial must count nothing and fill no ring.
  attr.disabled = 1;
  const Result<int> fd = ladder.Open(kernel, attr, 0);
  if (!fd) return fd.error().sys_errno;
  kernel.Close(*fd);
  return 0;
}

Text<200> WhyNotSampled(Kernel& kernel, const EventSpec& spec, int error,
                        const TrialMachine& machine) noexcept {
  Text<200> why;
  const bool hardware = IsHardware(spec);
  if (!IsAbsence(error)) {
    const Capability refusal = ExplainRefusal(error, hardware, machine.facts);
    const bool permission = error == EACCES || error == EPERM;
    // An event without exclude_kernel needs perf_event_paranoid 1 or lower.
    if (permission && !spec.exclude_kernel && machine.facts.paranoid > 1) {
      return why.Add(
          "the event occurs in the kernel, and kernel.perf_event_paranoid above 1 forbids kernel "
          "events");
    }
    return why.Add(refusal.why.view());
  }
  // Without cycles no PMU works here, so the machine is the reason and not this event.
  if (hardware && !machine.has_cycles) {
    return why.Add(ExplainRefusal(error, true, machine.facts).why.view());
  }
  const perf_event_attr counter = CounterOf(spec);
  // The same event without a period: it opens if the PMU only cannot sample.
  if (TryOpen(kernel, counter) == 0) return why.Add("the event's PMU can count, but not sample");
  // PMUs of the whole machine (uncore, RAPL) refuse an event of a thread and take one of a CPU.
  if (hardware && TryOpen(kernel, counter, -1, 0) == 0) {
    return why.Add("the event's PMU counts for the whole machine only, not for a thread");
  }
  why.Add(hardware ? "not an event of this machine's PMU" : "not an event of this kernel");
  return why;
}

Text<200> WhyLeftOut(Kernel& kernel, const EventSpec& spec, const Error& error) noexcept {
  // Errors of limits (locked memory, descriptors) have a text of their own.
  if (error.sys_errno == 0 || error.code == Errc::kLimit) {
    return Text<200>(Text<200>().Add(error.what));
  }
  return WhyNotSampled(kernel, spec, error.sys_errno, ReadTrialMachine(kernel));
}

Counting TryCounting(Kernel& kernel, const EventSpec& spec, void (*work)()) noexcept {
  perf_event_attr attr = CounterOf(spec);
  attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  const long opened = kernel.PerfEventOpen(&attr, 0);
  if (opened < 0) return Counting::kRefused;
  const int fd = static_cast<int>(opened);
  struct {
    std::uint64_t value = 0, enabled_ns = 0, running_ns = 0;
  } read;
  // Enabled only here, so that the time with a counter is that of the work.
  const bool enabled = kernel.EventControl(fd, PERF_EVENT_IOC_ENABLE, 0) >= 0;
  if (enabled) work();
  const long bytes = enabled ? kernel.EventRead(fd, &read, sizeof read) : -1;
  kernel.Close(fd);
  if (bytes != static_cast<long>(sizeof read)) return Counting::kRefused;
  // One count is enough: the loop of the caller makes many.
  if (read.value != 0) return Counting::kMoved;
  // running_ns is the time for which the event had a counter.
  return read.running_ns == 0 ? Counting::kHeld : Counting::kStill;
}

void ShortLoop() {
  std::uint64_t value = 1;
  for (int i = 0; i < 100'000; ++i) {
    value = value * 6364136223846793005u + 1442695040888963407u;
    // Keeps the compiler from computing the result in advance.
    __asm__ volatile("" : "+r"(value));
  }
}

}  // namespace csink::agent
