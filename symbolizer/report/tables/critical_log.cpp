#include "symbolizer/report/tables/critical_log.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "symbolizer/report/tables/place_search.h"

namespace csink::report {
namespace {

/// Processes and threads of the log, numbered as they are asked for. The images of a process, from
/// exec to exec, are one process.
class Threads {
 public:
  Threads(const Profile& profile, critical::RawLog& log) : log_(log) {
    std::vector<std::uint32_t> order(profile.processes.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      const ProcessRow &one = profile.processes[a], &other = profile.processes[b];
      return std::tie(one.depth, one.start_monotonic_ns) <
             std::tie(other.depth, other.start_monotonic_ns);
    });
    std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint32_t> known;
    process_of_row_.resize(order.size());
    for (const std::uint32_t row : order) {
      const ProcessRow& process = profile.processes[row];
      const auto [it, is_new] = known.try_emplace({process.pid, process.start_ticks},
                                                  static_cast<std::uint32_t>(log.processes.size()));
      if (is_new) {
        log.processes.push_back({process.pid});
        // The main thread is there before any record of it.
        Number(it->second, process.pid);
        log.threads.back().start_ns = static_cast<std::int64_t>(process.start_monotonic_ns);
      }
      process_of_row_[row] = it->second;
    }
  }

  /// The thread that has the tid now.
  std::uint32_t Of(std::uint32_t row, std::uint32_t tid) {
    return Number(process_of_row_[row], tid);
  }
  std::uint32_t MainOf(std::uint32_t row) {
    const std::uint32_t process = process_of_row_[row];
    return Number(process, log_.processes[process].pid);
  }
  /// The next thread with the tid is another one.
  void Ended(std::uint32_t row, std::uint32_t tid) { now_.erase({process_of_row_[row], tid}); }

 private:
  std::uint32_t Number(std::uint32_t process, std::uint32_t tid) {
    const auto [it, is_new] =
        now_.try_emplace({process, tid}, static_cast<std::uint32_t>(log_.threads.size()));
    if (is_new) log_.threads.push_back({.process = process, .tid = tid});
    return it->second;
  }

  critical::RawLog& log_;
  std::vector<std::uint32_t> process_of_row_;  ///< By index into Profile::processes
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> now_;
};

/// The chains of samples: each pair of place and caller once.
class Chains {
 public:
  Chains(const Report& report, const std::vector<std::uint32_t>& function_of_place,
         const CallNodes& nodes, critical::RawLog& log)
      : report_(report), function_of_place_(function_of_place), nodes_(nodes), log_(log) {
    std::map<std::pair<std::string_view, std::string_view>, std::uint32_t> ids;
    for (const FunctionRow& row : report.functions) {
      ids.try_emplace({row.function, row.module}, row.id);
    }
    for (const NamedCells& function : report.call_functions) {
      const auto found = ids.find({function.function, function.module});
      id_of_call_function_.push_back(found == ids.end() ? kNoFunction : found->second);
    }
  }

  std::uint32_t Of(const TimedSample& sample) {
    const std::size_t place = PlaceOf(report_.profile.places, sample.address);
    const std::uint32_t function = place == kNoPlace ? kNoFunction : function_of_place_[place];
    const std::uint32_t node = sample.caller < nodes_.of_caller.size() && sample.caller != 0
                                   ? nodes_.of_caller[sample.caller]
                                   : 0;
    const auto [it, is_new] =
        known_.try_emplace({function, node}, static_cast<std::uint32_t>(log_.chains.size()));
    if (is_new) {
      critical::Chain chain = {function};
      for (std::uint32_t at = node; at != 0; at = report_.call_tree[at].parent) {
        const std::uint32_t id = id_of_call_function_[report_.call_tree[at].function];
        if (id != kNoFunction) chain.push_back(id);
      }
      log_.chains.push_back(std::move(chain));
    }
    return it->second;
  }

 private:
  const Report& report_;
  const std::vector<std::uint32_t>& function_of_place_;
  const CallNodes& nodes_;
  critical::RawLog& log_;
  std::vector<std::uint32_t> id_of_call_function_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> known_;
};

std::int64_t Signed(std::uint64_t ns) { return static_cast<std::int64_t>(ns); }

}  // namespace

critical::RawLog CriticalLogOf(const Report& report,
                               const std::vector<std::uint32_t>& function_of_place,
                               const CallNodes& nodes) {
  const Profile& profile = report.profile;
  critical::RawLog log;
  Threads threads(profile, log);

  // Moments tell when threads begin and end, so that samples and switches of a tid that was used
  // twice are told apart by time.
  struct Event {
    std::uint64_t time_ns;
    int kind;  ///< 0: moment, 1: sample, 2: switch
    std::size_t index;
  };
  std::vector<Event> events;
  events.reserve(profile.timed.moments.size() + profile.timed.samples.size() +
                 profile.timed.switches.size());
  for (std::size_t i = 0; i < profile.timed.moments.size(); ++i) {
    events.push_back({profile.timed.moments[i].start_ns, 0, i});
  }
  const EventTotals* clock = ClockOf(profile);
  const auto clock_index =
      static_cast<std::uint32_t>(clock ? clock - profile.events.data() : profile.events.size());
  for (std::size_t i = 0; i < profile.timed.samples.size(); ++i) {
    if (profile.timed.samples[i].event != clock_index) continue;
    events.push_back({profile.timed.samples[i].time_ns, 1, i});
  }
  for (std::size_t i = 0; i < profile.timed.switches.size(); ++i) {
    events.push_back({profile.timed.switches[i].time_ns, 2, i});
  }
  std::stable_sort(events.begin(), events.end(),
                   [](const Event& a, const Event& b) { return a.time_ns < b.time_ns; });

  Chains chains(report, function_of_place, nodes, log);
  // What the creator knows of a thread before it begins: its handle, by process and tid.
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint64_t> handles;
  std::map<std::uint32_t, std::int64_t> lost_since;  // by thread
  for (const Event& event : events) {
    if (event.kind == 0) {
      const Moment& moment = profile.timed.moments[event.index];
      const std::uint32_t thread = threads.Of(moment.process, moment.thread);
      const auto kind = static_cast<critical::MomentKind>(moment.kind);
      log.moments.push_back({Signed(moment.start_ns), Signed(moment.end_ns), moment.object,
                             moment.value, thread, kind, moment.flags});
      critical::RawThread& row = log.threads[thread];
      if (kind == critical::MomentKind::kThreadCreated) {
        handles[{row.process, moment.value}] = moment.object;
      } else if (kind == critical::MomentKind::kThreadStart) {
        row.start_ns = Signed(moment.start_ns);
        const auto handle = handles.find({row.process, row.tid});
        if (handle != handles.end()) row.handle = handle->second;
      } else if (kind == critical::MomentKind::kThreadEnd) {
        row.end_ns = Signed(moment.start_ns);
        threads.Ended(moment.process, moment.thread);
      } else if (kind == critical::MomentKind::kProcessEnd) {
        critical::RawThread& main = log.threads[threads.MainOf(moment.process)];
        if (main.end_ns == 0) main.end_ns = Signed(moment.start_ns);
      }
    } else if (event.kind == 1) {
      const TimedSample& sample = profile.timed.samples[event.index];
      log.samples.push_back(
          {Signed(sample.time_ns), threads.Of(sample.process, sample.thread), chains.Of(sample)});
    } else {
      const ThreadSwitch& entry = profile.timed.switches[event.index];
      const std::uint32_t thread = threads.Of(entry.process, entry.thread);
      const std::int64_t time = Signed(entry.time_ns);
      if (const auto lost = lost_since.find(thread); lost != lost_since.end()) {
        log.lost_switches.push_back({thread, lost->second, time});
        lost_since.erase(lost);
      }
      if (entry.kind == spool::SwitchKind::kLost) {
        lost_since[thread] = time;
      } else {
        log.switches.push_back({time, thread, static_cast<critical::SwitchKind>(entry.kind)});
      }
    }
  }
  // Threads whose begin has no record.
  for (critical::RawThread& row : log.threads) {
    const auto handle = handles.find({row.process, row.tid});
    if (row.handle == 0 && handle != handles.end()) row.handle = handle->second;
  }
  if (clock) log.period_ns = Signed(clock->period);
  for (const ProcessRow& process : profile.processes) {
    log.processors = std::max(log.processors, process.processors);
  }
  return log;
}

}  // namespace csink::report
