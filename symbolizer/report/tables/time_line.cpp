#include "symbolizer/report/tables/time_line.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <unordered_map>

#include "symbolizer/report/wording/numbers.h"

namespace csink::report {
namespace {

/// The begin of time of each process's machine.
class Clocks {
 public:
  explicit Clocks(const Profile& profile) : profile_(profile) {
    for (const ProcessRow& row : profile.processes) {
      // CLOCK_MONOTONIC has another origin on each machine, so times are taken from the first start
      // there.
      const auto [it, is_new] = first_.emplace(row.host, row.start_monotonic_ns);
      if (!is_new) it->second = std::min(it->second, row.start_monotonic_ns);
    }
  }
  bool one_machine() const { return first_.size() == 1; }
  /// Seconds from the begin to `ns` on the machine of a process; 0 if `ns` lies before.
  double Since(std::size_t process, std::uint64_t ns) const {
    const std::uint64_t first = first_.at(profile_.processes[process].host);
    return ns > first ? Seconds(ns - first) : 0;
  }

 private:
  const Profile& profile_;
  std::unordered_map<std::string, std::uint64_t> first_;
};

/// Calls add(slice, part) for each slice that the time from `from` to `to` touches; the parts add
/// up to 1. What lies behind the last slice counts in the last one.
template <class Add>
void Spread(const TimeLine& line, double from, double to, const Add& add) {
  const auto slice_of = [&](double seconds) {
    return std::min(line.slices - 1, static_cast<std::size_t>(seconds / line.slice_seconds));
  };
  const std::size_t first = slice_of(from);
  const std::size_t last = slice_of(to);
  // Nothing to divide, also for a slice without length.
  if (first == last || to <= from) return add(first, 1.0);
  for (std::size_t i = first; i <= last; ++i) {
    const double begin = std::max(from, static_cast<double>(i) * line.slice_seconds);
    const double end = i == last ? to : static_cast<double>(i + 1) * line.slice_seconds;
    if (end > begin) add(i, (end - begin) / (to - from));
  }
}

/// Adds a part of a spool's slice. Its times are microseconds.
void AddPart(TimeCell& to, const spool::ThreadSlice& from, double part) {
  to.run += from.run_us / 1e6 * part;
  to.wait += from.wait_us / 1e6 * part;
  to.blocked += from.blocked_us / 1e6 * part;
  to.samples += from.samples * part;
}

/// The row of one thread.
TimeRow RowOf(const Report& report, const Clocks& clocks, const TimeLine& line,
              const ThreadTime& time) {
  TimeRow row;
  row.thread = &report.profile.threads[time.thread];
  row.thread_index = time.thread;
  row.pid = report.profile.processes[time.process].pid;
  row.wait_known = (time.flags & spool::kSlicesNoWait) == 0;
  row.is_rest = (time.flags & spool::kSlicesRunOnly) != 0;
  // Slices that the spool leaves out at the end are 0.
  row.cells.resize(line.slices);
  for (std::size_t i = 0; i < time.slices.size(); ++i) {
    // The thread may begin and end within a slice.
    const std::uint64_t begin = std::max(time.start_ns, time.origin_ns + i * time.width_ns);
    const std::uint64_t end = std::min(time.end_ns, time.origin_ns + (i + 1) * time.width_ns);
    const double from = clocks.Since(time.process, std::min(begin, end));
    const double to = clocks.Since(time.process, end);
    Spread(line, from, to, [&](std::size_t slice, double part) {
      AddPart(row.cells[slice], time.slices[i], part);
    });
    AddPart(row.total, time.slices[i], 1);
  }
  return row;
}

/// Sums the places by process and function. Places are the hottest ones of a process only, so the
/// sums are less than the function's samples.
void AddFunctionTimes(const Report& report, const Clocks& clocks, TimeLine& line) {
  const Profile& profile = report.profile;
  std::unordered_map<std::uint32_t, const FunctionRow*> by_id;
  for (const FunctionRow& row : report.functions) by_id.emplace(row.id, &row);
  std::map<std::pair<std::size_t, std::uint32_t>, std::size_t> index;
  for (std::size_t i = 0; i < profile.place_times.size(); ++i) {
    const PlaceTime& time = profile.place_times[i];
    // Without a row no sample of the place is in the report, as in a profile of one mark.
    const auto function = i < report.function_of_place_time.size()
                              ? by_id.find(report.function_of_place_time[i])
                              : by_id.end();
    if (function == by_id.end()) continue;
    const FunctionRow& row = *function->second;
    const auto [it, is_new] = index.emplace(std::pair(time.process, row.id), line.functions.size());
    if (is_new) {
      line.functions.push_back({.pid = profile.processes[time.process].pid,
                                .process = time.process,
                                .function_id = row.id,
                                .function = row.function,
                                .module = row.module,
                                .total = 0,
                                .samples = std::vector<double>(line.slices)});
    }
    FunctionTime& sum = line.functions[it->second];
    for (std::size_t s = 0; s < time.samples.size(); ++s) {
      const double from = clocks.Since(time.process, time.origin_ns + s * time.width_ns);
      const double to = std::min(
          line.seconds, clocks.Since(time.process, time.origin_ns + (s + 1) * time.width_ns));
      Spread(line, std::min(from, to), to,
             [&](std::size_t slice, double part) { sum.samples[slice] += time.samples[s] * part; });
      sum.total += time.samples[s];
    }
  }
  std::stable_sort(line.functions.begin(), line.functions.end(),
                   [](const FunctionTime& a, const FunctionTime& b) { return a.total > b.total; });
}

}  // namespace

TimeLine MakeTimeLine(const Report& report, std::size_t slices, SliceFit fit) {
  const Profile& profile = report.profile;
  TimeLine line;
  if (profile.thread_times.empty()) return line;
  const Clocks clocks(profile);
  double width = 0;
  for (const ThreadTime& row : profile.thread_times) {
    line.seconds = std::max(line.seconds, clocks.Since(row.process, row.end_ns));
    width = std::max(width, Seconds(row.width_ns));
  }
  if (line.seconds <= 0) return {};
  if (fit == SliceFit::kExact) {
    // The last slice ends with the run, also where that divides slices of the spools.
    line.slices = slices;
    line.slice_seconds = line.seconds / static_cast<double>(slices);
  } else {
    // A multiple of the spools' widest slice: a narrower one would show more detail than the data
    // has.
    const double needed = std::ceil(line.seconds / width);
    width *= std::max(1.0, std::ceil(needed / static_cast<double>(slices)));
    line.slice_seconds = width;
    line.slices = static_cast<std::size_t>(std::max(1.0, std::ceil(line.seconds / width)));
  }
  for (const ThreadTime& row : profile.thread_times) {
    line.threads.push_back(RowOf(report, clocks, line, row));
  }
  // By process; the sum of further threads last; the main thread first; then by time on a
  // processor.
  const auto rank = [&](const TimeRow& row) {
    return std::tuple(profile.threads[row.thread_index].process, row.is_rest,
                      row.thread->tid != row.pid, -row.total.run);
  };
  std::stable_sort(line.threads.begin(), line.threads.end(),
                   [&](const TimeRow& a, const TimeRow& b) { return rank(a) < rank(b); });
  AddFunctionTimes(report, clocks, line);
  // A phase does not say on which machine its mark was set, so that with several clocks it has no
  // place.
  for (std::size_t i = 1; clocks.one_machine() && i < profile.phases.size(); ++i) {
    const std::uint64_t ns = profile.phases[i].first_monotonic_ns;
    const double seconds = clocks.Since(0, ns);
    if (ns != 0 && seconds <= line.seconds) line.marks.push_back({i, seconds});
  }
  std::stable_sort(line.marks.begin(), line.marks.end(),
                   [](const TimeMark& a, const TimeMark& b) { return a.seconds < b.seconds; });
  return line;
}

}  // namespace csink::report
