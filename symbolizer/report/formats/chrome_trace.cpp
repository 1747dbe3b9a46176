#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/version/number.h"
#include "symbolizer/report/formats/formats.h"
#include "symbolizer/report/formats/parts/facts.h"
#include "symbolizer/report/formats/parts/json_text.h"
#include "symbolizer/report/formats/parts/paths.h"
#include "symbolizer/report/formats/parts/sample_list.h"
#include "symbolizer/report/tables/thread_trace.h"
#include "symbolizer/report/tables/time_line.h"

/// File: writes the JSON of Chrome's Trace Event Format, which Perfetto's UI and chrome://tracing
/// open: slices (`X`) of what each thread did, counters (`C`) of the threads in each state, marks
/// and samples as instants (`i`). Times are microseconds since the begin of the run.

namespace csink::report {
namespace {

/// Innermost frames of a sample that are written: the stack is the argument of each sample.
constexpr std::size_t kMostFrames = 24;
/// Counter values of all processes.
constexpr std::size_t kMostCounters = 50'000, kMostCounterSlices = 1'000;

/// Writes all events in one list.
class ChromeTrace {
 public:
  ChromeTrace(const Report& report, const FormatOptions& options, Sink& sink)
      : report_(report),
        profile_(report.profile),
        events_(ChosenEvents(report, options)),
        json_(sink),
        spots_(report),
        paths_(report, spots_, PathDetail::kFunctions, options.inlines),
        clock_(profile_),
        owners_(SampleOwners(report)),
        list_(ListSamples(report, clock_, owners_, events_, RankOfPlaces(), Spread::kRunning)),
        trace_(MakeThreadTrace(report)),
        number_of_process_(UniquePids()) {}

  void Write() {
    json_.BeginObject();
    json_.Member("displayTimeUnit", "ms");
    Facts();
    json_.NewLine();
    json_.Key("traceEvents").BeginArray();
    Names();
    for (const TracedThread& thread : trace_.threads) States(thread);
    Counters();
    Marks();
    Samples();
    json_.NewLine();
    json_.EndArray();
    json_.EndObject();
    json_.End();
  }

 private:
  std::vector<std::uint32_t> RankOfPlaces() const {
    const std::vector<std::uint32_t> rank_of_node = paths_.Ranks();
    std::vector<std::uint32_t> ranks;
    for (std::size_t i = 0; i < profile_.places.size(); ++i) {
      ranks.push_back(rank_of_node[paths_.OfPlace(i)]);
    }
    return ranks;
  }
  /// The number of each process in the file: its pid, but of processes of several machines, or of
  /// one pid after the other, that of the first one alone. Images of one process share it.
  std::vector<std::uint64_t> UniquePids() const {
    // Behind the largest pid of Linux.
    std::uint64_t next = (std::uint64_t{1} << 22) + 1;
    std::map<std::tuple<std::string_view, std::uint32_t, std::uint64_t>, std::uint64_t> known;
    std::map<std::uint64_t, bool> taken;
    std::vector<std::uint64_t> numbers;
    for (const ProcessRow& row : profile_.processes) {
      const auto [it, is_new] = known.try_emplace({row.host, row.pid, row.start_ticks}, row.pid);
      if (is_new && !taken.try_emplace(row.pid).second) it->second = next++;
      numbers.push_back(it->second);
    }
    return numbers;
  }
  std::uint64_t PidOf(std::size_t process, std::uint32_t pid) const {
    return process < number_of_process_.size() ? number_of_process_[process] : pid;
  }

  void Facts() {
    std::vector<std::string> facts = FactLines(report_);
    facts.push_back(list_.Describe());
    if (trace_.threads.empty()) {
      facts.emplace_back(
          "What threads did from moment to moment was not recorded (csink run --critical)");
    } else {
      if (!trace_.has_switches) {
        facts.emplace_back(
            "Context switches were not recorded: threads count as running where they do not wait");
      }
      if (trace_.shortest_ns != 0) {
        facts.push_back("Slices shorter than " + std::to_string(trace_.shortest_ns) +
                        " ns are part of the slice before them");
      }
      const spool::TimedCounts& counts = profile_.timed.counts;
      if (counts.full_monotonic_ns != 0) {
        facts.emplace_back("The log of waits and switches reached its limit before the end");
      }
    }
    json_.NewLine();
    json_.Key("otherData").BeginObject();
    json_.Member("csink", CSINK_VERSION);
    for (std::size_t i = 0; i < facts.size(); ++i) {
      json_.NewLine();
      json_.Member(std::to_string(i + 1), facts[i]);
    }
    json_.EndObject();
  }

  static std::string Microseconds(std::uint64_t ns) {
    char text[40];
    std::snprintf(text, sizeof text, "%llu.%03llu", static_cast<unsigned long long>(ns / 1000),
                  static_cast<unsigned long long>(ns % 1000));
    return text;
  }
  /// The begin of an event.
  void Begin(const char* phase, std::uint64_t pid, std::uint64_t tid) {
    json_.NewLine();
    json_.BeginObject();
    json_.Member("ph", phase);
    json_.Member("pid", pid);
    json_.Member("tid", tid);
  }
  void NameOf(const char* what, std::uint64_t pid, std::uint64_t tid, std::string_view name) {
    Begin("M", pid, tid);
    json_.Member("name", what);
    json_.Key("args").BeginObject();
    json_.Member("name", name.empty() ? "unnamed" : name);
    json_.EndObject();
    json_.EndObject();
  }
  /// The names of processes and threads.
  void Names() {
    for (std::size_t i = 0; i < profile_.processes.size(); ++i) {
      const std::uint64_t pid = number_of_process_[i];
      NameOf("process_name", pid, pid, profile_.processes[i].program);
    }
    std::vector<bool> named(profile_.threads.size());
    for (const SampleOwner& owner : owners_) {
      if (owner.thread != kNoThread) named[owner.thread] = true;
      NameOf("thread_name", PidOf(owner.process, owner.pid), owner.tid, owner.name);
    }
    for (const TracedThread& thread : trace_.threads) {
      if (thread.thread != kNoThread && named[thread.thread]) continue;
      NameOf("thread_name", PidOf(thread.process, thread.pid), thread.tid, thread.name);
    }
  }

  /// What a thread did.
  void States(const TracedThread& thread) {
    const std::uint64_t pid = PidOf(thread.process, thread.pid);
    for (const StateSlice& slice : thread.slices) {
      const TracedWait* wait = slice.wait == kNoTraced ? nullptr : &thread.waits[slice.wait];
      const std::uint64_t begin = clock_.Since(thread.process, slice.begin_ns);
      const std::uint64_t end = clock_.Since(thread.process, slice.end_ns);
      Begin("X", pid, thread.tid);
      json_.Key("ts").Raw(Microseconds(begin));
      json_.Key("dur").Raw(Microseconds(end > begin ? end - begin : 0));
      json_.Member("cat", "state");
      switch (slice.state) {
        case ThreadState::kRunning:
          json_.Member("name", "running");
          break;
        case ThreadState::kRunnable:
          json_.Member("name", "runnable");
          break;
        case ThreadState::kBlocked:
          json_.Member("name", wait == nullptr ? std::string("blocked")
                                               : std::string("blocked: ") + wait->what);
          break;
      }
      if (wait != nullptr) WaitArguments(*wait);
      json_.EndObject();
    }
  }
  void WaitArguments(const TracedWait& wait) {
    json_.Key("args").BeginObject();
    if (wait.object != 0) {
      char object[32];
      std::snprintf(object, sizeof object, "0x%llx", static_cast<unsigned long long>(wait.object));
      json_.Member("object", object);
    }
    if (wait.waker != kNoTraced) {
      const TracedThread& waker = trace_.threads[wait.waker];
      json_.Member("ended by", waker.name + " " + std::to_string(waker.tid));
      if (wait.is_inferred) json_.Member("inferred", true);
    }
    if (wait.site != 0) json_.Member("place", trace_.sites[wait.site]);
    json_.EndObject();
  }

  /// How many threads of each process ran, could run and were blocked, as the time line has it.
  void Counters() {
    // The time line has one zero for each machine.
    if (profile_.thread_times.empty() || !clock_.one_machine()) return;
    const std::size_t slices = std::clamp<std::size_t>(
        kMostCounters / std::max<std::size_t>(1, profile_.processes.size()), 1, kMostCounterSlices);
    const TimeLine line = MakeTimeLine(report_, slices, SliceFit::kData);
    if (line.slices == 0) return;
    std::map<std::uint64_t, std::vector<TimeCell>> sums;
    for (const TimeRow& row : line.threads) {
      std::vector<TimeCell>& sum = sums[PidOf(row.thread->process, row.pid)];
      sum.resize(line.slices);
      for (std::size_t i = 0; i < line.slices; ++i) {
        sum[i].run += row.cells[i].run;
        sum[i].wait += row.cells[i].wait;
        sum[i].blocked += row.cells[i].blocked;
      }
    }
    const double width = line.slice_seconds;
    for (const auto& [pid, cells] : sums) {
      for (std::size_t i = 0; i <= cells.size(); ++i) {
        // A value holds until the next one; behind the end there are no threads.
        const TimeCell cell = i < cells.size() ? cells[i] : TimeCell{};
        const double at = std::min(static_cast<double>(i) * width, line.seconds);
        Begin("C", pid, pid);
        json_.Key("ts").Raw(Microseconds(static_cast<std::uint64_t>(at * 1e9)));
        json_.Member("name", "threads");
        json_.Key("args").BeginObject();
        json_.Member("running", cell.run / width);
        json_.Member("runnable", cell.wait / width);
        json_.Member("blocked", cell.blocked / width);
        json_.EndObject();
        json_.EndObject();
      }
    }
  }

  /// The first time of each mark.
  void Marks() {
    // A phase does not say on which machine it was set.
    if (!clock_.one_machine() || profile_.processes.empty()) return;
    const std::uint64_t pid = number_of_process_[0];
    for (std::size_t i = 1; i < profile_.phases.size(); ++i) {
      const Phase& phase = profile_.phases[i];
      if (phase.first_monotonic_ns == 0) continue;
      Begin("i", pid, pid);
      json_.Key("ts").Raw(Microseconds(clock_.Since(0, phase.first_monotonic_ns)));
      json_.Member("s", "g");
      json_.Member("cat", "mark");
      json_.Member("name", phase.name);
      json_.EndObject();
    }
  }

  void Samples() {
    for (const ListedSample& sample : list_.records) {
      const SampleOwner& owner = owners_[sample.owner];
      std::uint32_t node = paths_.OfPlace(sample.place);
      Begin("i", PidOf(owner.process, owner.pid), owner.tid);
      json_.Key("ts").Raw(Microseconds(sample.time_ns));
      json_.Member("s", "t");
      json_.Member("cat", "sample");
      json_.Member("name", paths_.FunctionOf(node).name);
      json_.Key("args").BeginObject();
      json_.Member("event", profile_.events[sample.event].name);
      json_.Member("weight", sample.weight);
      json_.Key("stack").BeginArray();
      for (std::size_t i = 0; node != 0 && i < kMostFrames; ++i) {
        json_.Value(paths_.FunctionOf(node).name);
        node = paths_.nodes()[node].parent;
      }
      if (node != 0) json_.Value("...");
      json_.EndArray();
      json_.EndObject();
      json_.EndObject();
    }
  }

  const Report& report_;
  const Profile& profile_;
  const std::vector<std::size_t> events_;
  CleanJson json_;
  const Spots spots_;
  const Paths paths_;
  const RunClock clock_;
  const std::vector<SampleOwner> owners_;
  const SampleList list_;
  const ThreadTrace trace_;
  const std::vector<std::uint64_t> number_of_process_;  ///< By process
};

}  // namespace

/// Chrome's Trace Event Format: a track for each thread, with what it did, its samples and marks.
Result<void> WriteChromeTrace(const Report& report, const FormatOptions& options, Sink& sink) {
  ChromeTrace(report, options, sink).Write();
  return {};
}

}  // namespace csink::report
