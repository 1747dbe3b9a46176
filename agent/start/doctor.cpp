#include "agent/start/doctor.h"

#include <errno.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <string_view>

#include "agent/devices/meter.h"
#include "agent/start/default_events.h"
#include "agent/start/doctor_events.h"
#include "agent/start/doctor_limit.h"
#include "agent/start/doctor_print.h"
#include "agent/start/doctor_trial.h"
#include "agent/start/event_cost.h"
#include "core/events/event_listing.h"
#include "core/events/event_spec.h"
#include "core/machine/deadly_calls.h"
#include "core/perf/counting_obstacles.h"
#include "core/perf/perf_probe.h"
#include "core/perf/ring_buffer.h"
#include "core/sampling/precision.h"
#include "core/sampling/sampling_attr.h"
#include "core/util/errno_words.h"
#include "core/util/parse.h"
#include "core/util/raw_syscall.h"
#include "core/util/small_file.h"

/// File: the rows of CSINK_DOCTOR, and the list of events. Each row tries the thing itself: an
/// event is opened and, where this tells more, counted in a short loop. A table of machines or
/// kernels would not see a filter, a limit or another program that holds the counters.

namespace csink::agent {
namespace {

// The first line of a small file; "" if it cannot be read.
Text<128> ReadLine(const char* path) noexcept {
  const SmallFile<120> file(path);
  std::string_view rest = file.view();
  Text<128> line;
  line.Add(NextToken(rest, '\n'));
  return line;
}

// A software event of the kernel, at the default period.
EventSpec Software(std::uint64_t config) noexcept {
  EventSpec spec;
  spec.type = PERF_TYPE_SOFTWARE;
  spec.config = config;
  spec.period = kDefaultClockPeriodNs;
  return spec;
}

// Opens the event for sampling in the calling thread, and maps a ring if ring_bytes is not 0.
// Returns 0 or the errno of the step that failed. A ring is mapped too, because locked memory may
// be used up where the open succeeds.
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

// Kernel and the limits of perf events, with advice where a limit is tighter than the default.
void ShowKernel(Kernel& kernel, DoctorOutput& out) noexcept {
  struct utsname name = {};
  RawSyscall(SYS_uname, SyscallArg(&name));
  Text<256> text;
  text.Add(name.sysname).Add(' ').Add(name.release).Add(' ').Add(name.machine);
  out.Row("kernel", text.view());
  const Text<128> paranoid = ReadLine("/proc/sys/kernel/perf_event_paranoid");
  if (paranoid.size() == 0) {
    out.Row("perf_event_paranoid", "does not exist: this kernel was built without perf events",
            "CPU-clock timers are used instead");
  } else {
    // An effective user of 0 has CAP_PERFMON, which perf_event_paranoid does not limit.
    const bool root = RawSyscall(SYS_geteuid) == 0;
    // Above 2 no event can be opened by a user without CAP_PERFMON on the kernels that know these
    // levels.
    const bool strict = paranoid.c_str()[0] > '2' && paranoid.size() == 1;
    Text<128> value;
    value.Add(paranoid.view()).Add(root ? " (does not limit root)" : "");
    out.Row("perf_event_paranoid", value.view(),
            strict && !root
                ? "sudo sysctl kernel.perf_event_paranoid=2 lets users sample their own programs"
                : "");
  }
  // Memory of rings, for each CPU, that does not count against RLIMIT_MEMLOCK
  // (Documentation/admin-guide/sysctl/kernel.rst).
  out.Row("perf_event_mlock_kb", ReadLine("/proc/sys/kernel/perf_event_mlock_kb").view());
  const LimitText limit = ExplainRateLimit(ReadRateLimit(kernel));
  out.Row("max sample rate", limit.value.view(), limit.advice.view());
}

// Tries an event with a ring of one page. Returns true if both work.
bool ShowPerf(Kernel& kernel, DoctorOutput& out) noexcept {
  // Asked first: under a filter that kills for perf_event_open, the trial would end the program.
  if (IsDeadly(DeadlyCall::kPerfEventOpen)) {
    out.Row(
        "perf_event_open", "a seccomp filter kills a process that calls perf_event_open",
        "allow perf_event_open in the seccomp filter (systemd: SystemCallFilter=perf_event_open)");
    return false;
  }
  // The task clock needs no PMU, so this trial says what the kernel permits and nothing of
  // hardware.
  const int clock = TryEvent(kernel, Software(PERF_COUNT_SW_TASK_CLOCK), PageBytes());
  if (clock == 0) {
    out.Row("perf_event_open",
            "works: samples are collected in ring buffers, without a signal per sample");
  } else {
    const Capability refusal = ExplainRefusal(clock, false, ReadMachineFacts());
    out.Row("perf_event_open", refusal.why.view(), refusal.advice.view());
  }
  return clock == 0;
}

// Adds text such as "precise_ip 0 obtained; 1 was refused: ...".
void AddPrecision(Kernel& kernel, const EventSpec& cycles, Text<256>& text) noexcept {
  AttributeLadder ladder;
  perf_event_attr attr = MakeSamplingAttr(cycles, SamplingOptions{});
  const Result<int> fd = ladder.Open(kernel, attr, 0);
  if (!fd) {
    text.Add("but cannot be sampled: ").Add(ErrnoWords(fd.error().sys_errno));
    return;
  }
  kernel.Close(*fd);
  text.Add("precise_ip ").Number(attr.precise_ip).Add(" obtained");
  const std::string_view how = NameOf(PrecisionOf(cycles, attr.precise_ip));
  if (!how.empty()) text.Add(" (").Add(how).Add(')');
  if (ladder.precise_refusal() != 0) {
    text.Add("; ").Number(attr.precise_ip + 1).Add(" was refused: ");
    text.Add(ErrnoWords(ladder.precise_refusal()));
  } else if (ladder.precise_asked() == 0) {
    text.Add(": this processor has no precise sampling without SPE; samples have skid");
  }
}

// Prints the row of the hardware PMU. Returns true if cycles were counted a moment ago. An open
// that succeeds is not enough: some virtual machines have counters that never move.
bool ShowPmu(Kernel& kernel, bool perf_works, DoctorOutput& out) noexcept {
  if (!perf_works) {
    out.Row("hardware PMU", "unknown: perf_event_open is refused");
    return false;
  }
  const CountingReport report = FindCountingObstacles(kernel, ReadMachineFacts());
  if (!report.hardware.works()) {
    Text<192> text;
    text.Add("none: ").Add(report.hardware.why.view());
    out.Row("hardware PMU", text.view(), report.hardware.advice.view());
    return false;
  }
  const EventSpec cycles = Cycles();
  Text<256> text;
  switch (TryCounting(kernel, cycles, ShortLoop)) {
    case Counting::kMoved:
      text.Add("counts cycles, ");
      AddPrecision(kernel, cycles, text);
      out.Row("hardware PMU", text.view());
      return true;
    case Counting::kHeld:
      out.Row("hardware PMU", "cycles can be opened, but got no counter now",
              "other profilers may hold the counters; sudo sysctl kernel.nmi_watchdog=0 frees one "
              "counter");
      return false;
    case Counting::kStill:
      out.Row(
          "hardware PMU", "cycles can be opened, but its counter does not advance",
          "the (virtual) machine reports a PMU that does not count; use CSINK_EVENTS=task-clock");
      return false;
    case Counting::kRefused:
      break;
  }
  out.Row("hardware PMU", "cycles can be opened, but cannot be enabled and read");
  return false;
}

// The visitor of ForEachEventName; true: go on.
bool AddName(const EventName& name, void* arg) noexcept {
  static_cast<SampledNames*>(arg)->Add(name);
  return true;
}

// CSINK_DOCTOR=events.
void ListEvents(Kernel& kernel) noexcept {
  if (IsDeadly(DeadlyCall::kPerfEventOpen)) {
    Print("no event can be sampled: a seccomp filter kills a process that calls perf_event_open\n");
    return;
  }
  Print("events that CSINK_EVENTS accepts on this machine (name@period, name@4kHz):\n");
  const TrialMachine machine = ReadTrialMachine(kernel);
  SampledNames names(kernel, machine, Print);
  const bool has_library = ForEachEventName(AddName, &names);
  names.Finish();
  // Without libpfm4 only the built-in names can be listed.
  if (has_library) return;
  Print("  (libpfm4 is not installed: only built-in names are listed. apt-get install libpfm4)\n");
}

// "cycles at 1,000 Hz" or "task-clock every 1,000,003 ns of CPU time".
void AddRate(Text<256>& text, const EventSpec& spec) noexcept {
  text.Add(spec.name);
  if (spec.period != 0) {
    text.Add(" every ").Add(GroupedNumber(spec.period).view());
    if (spec.kind == EventClass::kClock) text.Add(" ns of CPU time");
  } else {
    text.Add(" at ").Add(GroupedNumber(spec.frequency_hz).view()).Add(" Hz");
  }
}

// The row of the default event. On a virtual machine with cycles the costs are read or measured as
// at the start of a process (ChooseByCost), and each clause of the reason gets a row.
void ShowDefault(Kernel& kernel, bool cycles, bool timer, DoctorOutput& out) noexcept {
  EventSpec event = cycles ? Cycles() : TaskClock();
  Text<256> reason;
  if (cycles && !timer) {
    ChooseByCost(kernel, ReadCostSurroundings(), TaskClock(), event, reason);
  }
  Text<256> text;
  AddRate(text, event);
  out.Row("events", text.view());
  std::string_view rest = reason.view();
  // The clauses begin with "; ", because elsewhere they follow another text.
  if (rest.substr(0, 2) == "; ") rest.remove_prefix(2);
  while (!rest.empty()) {
    std::string_view clause = NextToken(rest, ';');
    out.Row("", Trimmed(clause));
  }
}

// Appends "cycles (works)", "rffff (works), but counted nothing in a short loop" or "x (not
// available here: why)". Returns true if the event can be sampled.
bool AddTrial(Kernel& kernel, const EventSpec& spec, bool perf, const TrialMachine& machine,
              Text<1024>& text) noexcept {
  text.Add(spec.name);
  // Where perf_event_open is refused, or would kill the process, nothing is opened.
  const int error = perf ? TrySampling(kernel, spec, machine.limit) : EPERM;
  if (error != 0) {
    text.Add(" (not available here: ");
    text.Add(perf ? WhyNotSampled(kernel, spec, error, machine).view()
                  : std::string_view("perf_event_open is refused"));
    text.Add(')');
    return false;
  }
  text.Add(" (works)");
  if (machine.limit.max_hz != 0 && spec.frequency_hz > machine.limit.max_hz) {
    text.Add(", but not at ").Add(GroupedNumber(spec.frequency_hz).view());
    text.Add(" Hz: kernel.perf_event_max_sample_rate is ");
    text.Add(GroupedNumber(machine.limit.max_hz).view());
  }
  // Software events may not happen in a short loop, so their count says nothing.
  const bool software = spec.type == PERF_TYPE_SOFTWARE;
  switch (software ? Counting::kMoved : TryCounting(kernel, spec, ShortLoop)) {
    case Counting::kHeld:
      text.Add(", but got no counter now");
      break;
    case Counting::kStill:
      text.Add(", but counted nothing in a short loop");
      break;
    default:
      break;
  }
  return true;
}

// The row of CSINK_EVENTS: every event of the list with its trial, or the complaint of the parser.
void ShowAsked(Kernel& kernel, std::string_view asked, bool perf, DoctorOutput& out) noexcept {
  EventComplaint complaint;
  const Result<EventList> list = ParseEventList(asked, complaint);
  Text<1024> text;
  // Without perf events nothing may be opened (IsDeadly).
  const TrialMachine machine = perf ? ReadTrialMachine(kernel) : TrialMachine();
  for (std::size_t i = 0; list && i < list->count; ++i) {
    if (i != 0) text.Add(", ");
    const EventSpec& spec = list->events[i];
    out.AddAskedEvent(spec.name, AddTrial(kernel, spec, perf, machine, text));
  }
  const std::string_view shown = list ? text.view() : complaint.view();
  out.SetAsked(list.has_value(), shown);
  out.Row("CSINK_EVENTS", shown,
          list && complaint.size() != 0 ? complaint.view() : std::string_view());
}

}  // namespace

void RunDoctor(const Config& config, Kernel& kernel) noexcept {
  if (config.doctor == Doctor::kEvents) {
    ListEvents(kernel);
    return;
  }
  // Each row tries what the next ones need: perf events, then the PMU, then the default or the
  // named events.
  DoctorOutput out(config.doctor == Doctor::kJson);
  out.Begin();
  ShowKernel(kernel, out);
  const bool perf = ShowPerf(kernel, out);
  const bool cycles = ShowPmu(kernel, perf, out);
  out.Row("event names", DescribeEventLibrary().view());
  if (RawSyscall(SYS_prctl, PR_GET_SECCOMP) != 0) out.Row("seccomp", "a filter is active");

  // As in SampledEvents: without perf events the timer source is used, whatever CSINK_SOURCE says.
  const bool timer = !perf || config.source == SourceChoice::kTimer;
  out.SetSource(perf, timer);
  out.Row(
      "source",
      timer
          ? "timer: a timer on each thread's CPU clock, at most at the kernel's tick rate (100 to "
            "1,000 Hz)"
          : "ring: a kernel ring buffer for every thread, also for threads that block all signals");
  Text<1024> sampled;
  Text<1024> metered;
  // Counters of devices are read by csink-meter and not sampled, so they are not tried here.
  PartEvents(config.events.view(), sampled, metered);
  if (sampled.size() == 0 || sampled.view() == "auto") {
    ShowDefault(kernel, cycles, timer, out);
  } else {
    ShowAsked(kernel, sampled.view(), perf, out);
  }
  if (metered.size() != 0) {
    out.Row("device counters", metered.view(),
            "csink-meter opens these counters when a program runs");
  }
  out.End(ListVariables().view());
}

}  // namespace csink::agent
