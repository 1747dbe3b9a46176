#include "agent/start/doctor_limit.h"

#include "agent/start/doctor_print.h"
#include "core/util/parse.h"
#include "core/util/small_file.h"

/// File: the words for the limit of samples, and the settings that raise it.

namespace csink::agent {
namespace {

// The number in the first line of a file of /proc/sys; 0 if the file cannot be read.
std::uint64_t ReadNumber(const char* path) noexcept {
  const SmallFile<64> file(path);
  std::string_view text = file.view();
  const Result<std::uint64_t> value = ParseUnsigned(NextToken(text, '\n'));
  return value ? *value : 0;
}

}  // namespace

RateLimit ReadRateLimit(Kernel& kernel) noexcept {
  const long max_hz = kernel.MaxSampleRateHz();
  return {max_hz < 0 ? 0 : static_cast<std::uint64_t>(max_hz),
          ReadNumber("/proc/sys/kernel/perf_cpu_time_max_percent")};
}

LimitText ExplainRateLimit(const RateLimit& limit) noexcept {
  LimitText text;
  if (limit.max_hz == 0) {
    text.value.Add("cannot be read");
    return text;
  }
  text.value.Add(GroupedNumber(limit.max_hz).view()).Add(" samples a second for one event");
  // The kernel refuses to set the limit while perf_cpu_time_max_percent is 0 or 100, that is, while
  // it does not watch the time of interrupts (perf_event_open(2); kernel/events/core.c,
  // perf_event_max_sample_rate_handler).
  const bool lowers = limit.cpu_percent > 0 && limit.cpu_percent < 100;
  if (lowers) {
    text.value.Add("; the kernel lowers this limit when interrupts take too long");
  } else {
    text.value.Add("; the kernel does not lower this limit");
  }
  if (limit.max_hz >= kUsualMaxHz) return text;
  if (lowers) {
    text.advice.Add("the kernel lowered the limit: interrupts took more than ")
        .Number(limit.cpu_percent);
    text.advice.Add(
        " % of CPU time (perf_cpu_time_max_percent); the kernel does not raise it again\n");
  }
  text.advice.Add(
      "events with a higher rate are throttled or refused: csink samples at half of the limit\n");
  // The limit can only be set while the kernel watches the time of interrupts, so that is enabled
  // first.
  if (!lowers) text.advice.Add("sudo sysctl kernel.perf_cpu_time_max_percent=25, and then\n");
  text.advice.Add("sudo sysctl kernel.perf_event_max_sample_rate=").Number(kUsualMaxHz);
  return text;
}

}  // namespace csink::agent
