#include "agent/doctor.h"

#include <errno.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <string_view>

#include "agent/meter.h"
#include "core/events/event_listing.h"
#include "core/events/event_spec.h"
#include "core/machine/counting_obstacles.h"
#include "core/perf/perf_probe.h"
#include "core/perf/precision.h"
#include "core/perf/ring_buffer.h"
#include "core/perf/sampling_attr.h"
#include "core/util/parse.h"
#include "core/util/raw_syscall.h"
#include "core/util/small_file.h"

namespace csink::agent {
namespace {

void Print(std::string_view text) noexcept {
  RawSyscall(SYS_write, 2, SyscallArg(text.data()), static_cast<long>(text.size()));
}

// "  label            text\n", and under it what to do, when there is something.
void Row(std::string_view label, std::string_view text, std::string_view advice = {}) noexcept {
  Text<1024> line;
  line.Add("  ").Add(label);
  while (line.size() < 26) line.Add(' ');
  line.Add(text).Add('\n');
  while (!advice.empty()) {  // one way to improve it a line
    for (int i = 0; i < 26; ++i) line.Add(' ');
    line.Add("-> ").Add(NextToken(advice, '\n')).Add('\n');
  }
  Print(line.view());
}

// The first line of a small file; "" when it cannot be read.
Text<128> ReadLine(const char* path) noexcept {
  const SmallFile<120> file(path);
  std::string_view rest = file.view();
  Text<128> line;
  line.Add(NextToken(rest, '\n'));
  return line;
}

EventSpec Software(std::uint64_t config) noexcept {
  EventSpec spec;
  spec.type = PERF_TYPE_SOFTWARE;
  spec.config = config;
  spec.period = kDefaultClockPeriodNs;
  return spec;
}

// 0, or the errno of opening (and for a sampling event mapping) it.
int TryEvent(Kernel& kernel, const EventSpec& spec, std::size_t ring_bytes) noexcept {
  AttributeLadder ladder;
  perf_event_attr attr = MakeSamplingAttr(spec, SamplingOptions{});
  const Result<int> fd = ladder.Open(kernel, attr, 0);
  if (!fd) return fd.error().sys_errno;
  int error = 0;
  RingBuffer ring;
  if (ring_bytes != 0) {
    const Result<void> mapped = ring.Map(kernel, *fd, ring_bytes);
    if (!mapped) error = mapped.error().sys_errno;
    ring.Unmap(kernel);
  }
  kernel.Close(*fd);
  return error;
}

void PrintKernel() noexcept {
  struct utsname name = {};
  RawSyscall(SYS_uname, SyscallArg(&name));
  Text<256> text;
  text.Add(name.sysname).Add(' ').Add(name.release).Add(' ').Add(name.machine);
  Row("kernel", text.view());
  const Text<128> paranoid = ReadLine("/proc/sys/kernel/perf_event_paranoid");
  if (paranoid.size() == 0) {
    Row("perf_event_paranoid", "not there: this kernel was built without perf events",
        "sampling falls back to CPU-clock timers");
  } else {
    const bool root = RawSyscall(SYS_geteuid) == 0;
    const bool strict = paranoid.c_str()[0] > '2' && paranoid.size() == 1;
    Text<128> value;
    value.Add(paranoid.view()).Add(root ? " (you are root: not limited by it)" : "");
    Row("perf_event_paranoid", value.view(),
        strict && !root
            ? "sudo sysctl kernel.perf_event_paranoid=2 lets users sample their own programs"
            : "");
  }
  Row("perf_event_mlock_kb", ReadLine("/proc/sys/kernel/perf_event_mlock_kb").view());
  Row("max sample rate", ReadLine("/proc/sys/kernel/perf_event_max_sample_rate").view());
}

bool PrintPerf(Kernel& kernel) noexcept {
  if (!PerfIsSurvivable()) {
    Row("perf_event_open", "a seccomp filter kills for it",
        "allow perf_event_open in the sandbox's filter (systemd: "
        "SystemCallFilter=perf_event_open)");
    return false;
  }
  const int clock = TryEvent(kernel, Software(PERF_COUNT_SW_TASK_CLOCK), PageBytes());
  if (clock == 0) {
    Row("perf_event_open", "works: rings, without a signal per sample");
  } else {
    const Capability refusal = ExplainRefusal(clock, false, ReadMachineFacts());
    Row("perf_event_open", refusal.why.view(), refusal.advice.view());
  }
  return clock == 0;
}

void PrintPmu(Kernel& kernel, bool perf_works) noexcept {
  if (!perf_works) {
    Row("hardware PMU", "cannot be asked");
    return;
  }
  const CountingReport report = FindCountingObstacles(kernel, ReadMachineFacts());
  if (!report.hardware.works()) {
    Text<192> text;
    text.Add("none: ").Add(report.hardware.why.view());
    Row("hardware PMU", text.view(), report.hardware.advice.view());
    return;
  }
  EventSpec cycles;
  cycles.type = PERF_TYPE_HARDWARE;
  cycles.config = PERF_COUNT_HW_CPU_CYCLES;
  cycles.frequency_hz = kDefaultCounterHz;
  AttributeLadder ladder;
  perf_event_attr attr = MakeSamplingAttr(cycles, SamplingOptions{});
  const Result<int> fd = ladder.Open(kernel, attr, 0);
  if (fd) kernel.Close(*fd);
  Text<96> text;
  text.Add("counts cycles, precise_ip ").Number(attr.precise_ip).Add(" obtained");
  const std::string_view how = NameOf(PrecisionOf(cycles, attr.precise_ip));
  if (!how.empty()) text.Add(" (").Add(how).Add(')');
  if (ladder.precise_refusal() != 0) {
    text.Add("; ").Number(attr.precise_ip + 1).Add(" was refused: errno ");
    text.Number(static_cast<unsigned>(ladder.precise_refusal()));
  } else if (ladder.precise_asked() == 0) {
    text.Add(": this kind of machine has none without SPE; samples slip");
  }
  Row("hardware PMU", text.view());
}

// Four to a line: the longest names then stay within 100 columns.
void PrintVariables() noexcept {
  const Text<768> list = ListVariables();
  std::string_view rest = list.view();
  for (bool first = true; !rest.empty(); first = false) {
    Text<128> line;
    for (int i = 0; i < 4 && !rest.empty(); ++i) {
      line.Add(i == 0 ? "" : " ").Add(NextToken(rest, ' '));
    }
    Row(first ? "variables" : "", line.view());
  }
}

bool PrintName(const EventName& name, void* arg) noexcept {
  if (name.is_unit_mask && !*static_cast<bool*>(arg)) return true;
  Text<1024> line;
  line.Add(name.is_unit_mask ? "    " : "  ");
  if (!name.pmu.empty()) line.Add(name.pmu).Add("::");
  line.Add(name.name);
  if (!name.what.empty()) {
    line.Add(' ');
    while (line.size() < 42) line.Add(' ');
    line.Add(name.what);
  }
  line.Add('\n');
  Print(line.view());
  return true;
}

}  // namespace

void RunDoctor(const Config& config, Kernel& kernel) noexcept {
  if (config.doctor_events) {
    Print("events that can be named in CSINK_EVENTS here (name@period, name@4kHz):\n");
    bool unit_masks = true;
    if (!ForEachEventName(PrintName, &unit_masks)) {
      Print("  (libpfm4 is not installed: only the built-in names. apt-get install libpfm4)\n");
    }
    return;
  }
  Print("csink doctor " CSINK_VERSION "\n");
  PrintKernel();
  const bool perf = PrintPerf(kernel);
  PrintPmu(kernel, perf);
  Row("event names", DescribeEventLibrary().view());
  if (RawSyscall(SYS_prctl, PR_GET_SECCOMP) != 0) Row("seccomp", "a filter is active");

  const bool timer = !perf || config.source == SourceChoice::kTimer;
  Row("source",
      timer ? "timer: one on each thread's CPU clock, at most the tick rate (100 to 1,000 Hz)"
            : "ring: kernel ring buffers, every thread, also those that block all signals");
  Text<1024> sampled;
  Text<1024> metered;
  PartEvents(config.events.view(), sampled, metered);
  if (sampled.size() == 0 || sampled.view() == "auto") {
    Error why;
    Row("events", perf && HasCycles(kernel, &why) ? "cycles every 2,000,003"
                                                  : "task-clock every 1,000,003 ns of CPU time");
  } else {
    EventComplaint complaint;
    const Result<EventList> list = ParseEventList(sampled.view(), complaint);
    Text<256> text;
    for (std::size_t i = 0; list && i < list->count; ++i) {
      const EventSpec& spec = list->events[i];
      const int error = perf ? TryEvent(kernel, spec, 0) : EPERM;
      text.Add(i ? ", " : "").Add(spec.name).Add(error == 0 ? " (works)" : " (not available here)");
    }
    Row("CSINK_EVENTS", list ? text.view() : complaint.view(),
        list && complaint.size() != 0 ? complaint.view() : std::string_view());
  }
  if (metered.size() != 0)
    Row("device counters", metered.view(), "csink-meter opens them when a program runs");
  PrintVariables();
}

}  // namespace csink::agent
