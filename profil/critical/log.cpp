#include "profil/critical/log.h"

#include <algorithm>
#include <utility>

namespace csink::critical {
namespace {

/// 146 years; a time behind it is damage, and sums of two such times do not overflow.
constexpr std::int64_t kLatest = std::int64_t{1} << 62;

/// Ids of places behind it are damage.
constexpr std::uint32_t kMostPlaces = 1u << 22;

bool IsTime(std::int64_t time) { return time >= 0 && time < kLatest; }

bool IsKind(MomentKind kind) {
  const auto number = static_cast<std::uint32_t>(kind);
  return (number >= 1 && number <= 16) || (number >= kFirstPoint && number <= 78);
}

/// Rows with a thread and a time in the order of threads, then times. `make` turns an element of
/// `in` into a row.
template <class Row, class In, class Make, class Time>
ByThread<Row> Sorted(std::vector<In> in, std::size_t threads, const Make& make, const Time& time) {
  ByThread<Row> by;
  by.begins.assign(threads + 1, 0);
  for (const In& row : in) ++by.begins[row.thread + 1];
  for (std::size_t i = 0; i < threads; ++i) by.begins[i + 1] += by.begins[i];
  by.rows.resize(in.size());
  std::vector<std::size_t> next(by.begins.begin(), by.begins.end() - 1);
  for (const In& row : in) by.rows[next[row.thread]++] = make(row);
  const auto earlier = [&](const Row& a, const Row& b) { return time(a) < time(b); };
  for (std::size_t i = 0; i < threads; ++i) {
    const auto rows = by.Of(i);
    if (!std::is_sorted(rows.begin(), rows.end(), earlier)) {
      std::stable_sort(rows.begin(), rows.end(), earlier);
    }
  }
  return by;
}

template <class Row, class Is>
std::uint64_t Drop(std::vector<Row>& rows, std::size_t threads, const Is& is_good) {
  const std::size_t before = rows.size();
  std::erase_if(rows, [&](const Row& row) { return row.thread >= threads || !is_good(row); });
  return before - rows.size();
}

std::uint64_t DropBad(RawLog& raw) {
  const std::size_t threads = raw.threads.size();
  std::uint64_t dropped = Drop(raw.moments, threads, [](const Moment& moment) {
    return IsKind(moment.kind) && IsTime(moment.start_ns) &&
           (IsPoint(moment.kind) || IsTime(moment.end_ns));
  });
  for (Moment& moment : raw.moments) {
    if (IsPoint(moment.kind) || moment.end_ns < moment.start_ns) moment.end_ns = moment.start_ns;
  }
  dropped += Drop(raw.samples, threads, [&](const RawSample& sample) {
    return sample.chain < raw.chains.size() && !raw.chains[sample.chain].empty() &&
           IsTime(sample.time_ns);
  });
  dropped += Drop(raw.switches, threads, [](const RawSwitch& change) {
    return IsTime(change.time_ns) && change.kind >= SwitchKind::kIn &&
           change.kind <= SwitchKind::kOutPreempted;
  });
  dropped += Drop(raw.lost_switches, threads, [](const LostSwitches& lost) {
    return IsTime(lost.begin_ns) && IsTime(lost.end_ns);
  });
  return dropped;
}

/// When a thread began and ended: as it was noted, else its first and last record.
class Lives {
 public:
  explicit Lives(const RawLog& raw) : seen_(raw.threads.size()) {
    for (const RawSample& row : raw.samples) See(row.thread, row.time_ns, row.time_ns);
    for (const RawSwitch& row : raw.switches) See(row.thread, row.time_ns, row.time_ns);
    for (const Moment& row : raw.moments) {
      See(row.thread, row.start_ns, row.end_ns);
      Seen& seen = seen_[row.thread];
      seen.first_moment = std::min(seen.first_moment, row.start_ns);
      seen.last_moment = std::max(seen.last_moment, row.end_ns);
      if (row.kind == MomentKind::kThreadStart && seen.start == 0) seen.start = row.start_ns;
      if (row.kind == MomentKind::kThreadEnd || row.kind == MomentKind::kProcessEnd) {
        seen.end = std::max(seen.end, row.start_ns);
      }
    }
  }
  Thread Of(const RawThread& raw, std::size_t index) const {
    const Seen& seen = seen_[index];
    Thread thread{raw.process, raw.tid, raw.handle, seen.start, seen.end};
    if (thread.start_ns == 0 && IsTime(raw.start_ns)) thread.start_ns = raw.start_ns;
    if (thread.end_ns == 0 && IsTime(raw.end_ns)) thread.end_ns = raw.end_ns;
    if (thread.start_ns == 0) thread.start_ns = seen.first == kLatest ? 0 : seen.first;
    if (thread.end_ns == 0) thread.end_ns = seen.last;
    // Moments are never outside of their thread's life.
    thread.start_ns = std::min(thread.start_ns, seen.first_moment);
    thread.end_ns = std::max({thread.end_ns, seen.last_moment, thread.start_ns});
    return thread;
  }

 private:
  struct Seen {
    std::int64_t first = kLatest, last = 0, first_moment = kLatest, last_moment = 0;
    std::int64_t start = 0, end = 0;
  };
  void See(std::uint32_t thread, std::int64_t begin, std::int64_t end) {
    seen_[thread].first = std::min(seen_[thread].first, begin);
    seen_[thread].last = std::max(seen_[thread].last, end);
  }
  std::vector<Seen> seen_;
};

using Times = std::vector<OnProcessor>;

/// What the switches of a thread say. It runs at its start and to its end.
Times TimesOfSwitches(std::span<const RawSwitch> switches, const Thread& thread) {
  Times times;
  std::int64_t since = thread.start_ns;
  bool runs = true;
  for (const RawSwitch& change : switches) {
    const std::int64_t at = std::clamp(change.time_ns, thread.start_ns, thread.end_ns);
    if (change.kind == SwitchKind::kIn) {
      if (!runs) since = at;
      runs = true;
    } else if (runs) {
      times.push_back({since, at, change.kind == SwitchKind::kOutBlocked});
      runs = false;
    }
  }
  if (runs) times.push_back({since, thread.end_ns, false});
  return times;
}

/// Without switches: the thread runs where it does not wait.
Times TimesOutsideWaits(std::span<const Moment> moments, const Thread& thread) {
  Times times;
  std::int64_t since = thread.start_ns;
  for (const Moment& moment : moments) {
    if (IsPoint(moment.kind)) continue;
    if (moment.start_ns > since) times.push_back({since, moment.start_ns, true});
    since = std::max(since, moment.end_ns);
  }
  if (thread.end_ns > since) times.push_back({since, thread.end_ns, false});
  return times;
}

/// `times` cut to [begin, end], added to `to`.
void AddWithin(const Times& times, std::int64_t begin, std::int64_t end, std::size_t& from,
               Times& to) {
  while (from < times.size() && times[from].end_ns <= begin) ++from;
  for (std::size_t i = from; i < times.size() && times[i].begin_ns < end; ++i) {
    const bool is_whole = times[i].end_ns <= end;
    to.push_back({std::max(times[i].begin_ns, begin), is_whole ? times[i].end_ns : end,
                  is_whole && times[i].blocked});
  }
}

/// Switches, but where some were lost the waits alone. `lost` is sorted by its begin.
Times TimesOf(std::span<const RawSwitch> switches, std::span<const Moment> moments,
              std::span<const LostSwitches> lost, const Thread& thread) {
  if (switches.empty()) return TimesOutsideWaits(moments, thread);
  const Times seen = TimesOfSwitches(switches, thread);
  if (lost.empty()) return seen;
  const Times waits = TimesOutsideWaits(moments, thread);
  Times times;
  std::size_t seen_from = 0;
  std::size_t waits_from = 0;
  std::int64_t until = thread.start_ns;
  for (const LostSwitches& window : lost) {
    const std::int64_t begin = std::clamp(window.begin_ns, until, thread.end_ns);
    const std::int64_t end = std::clamp(window.end_ns, begin, thread.end_ns);
    AddWithin(seen, until, begin, seen_from, times);
    AddWithin(waits, begin, end, waits_from, times);
    until = end;
  }
  AddWithin(seen, until, thread.end_ns, seen_from, times);
  return times;
}

/// Takes the samples of spinning code out and adds a wait for each run of them, half a period
/// around it. A pause of several periods between two samples ends a run.
std::vector<Moment> TakeSpins(RawLog& raw, std::uint64_t& taken) {
  constexpr std::int64_t kPause = 4;
  const std::int64_t period = std::max<std::int64_t>(raw.period_ns, 1);
  std::vector<Moment> waits;
  const auto spins = [&](const RawSample& sample) {
    return sample.chain < raw.spins.size() && raw.spins[sample.chain];
  };
  if (std::none_of(raw.samples.begin(), raw.samples.end(), spins)) return waits;
  std::stable_sort(raw.samples.begin(), raw.samples.end(),
                   [](const RawSample& a, const RawSample& b) {
                     return std::pair(a.thread, a.time_ns) < std::pair(b.thread, b.time_ns);
                   });
  const RawSample* last = nullptr;
  for (const RawSample& sample : raw.samples) {
    if (spins(sample)) {
      const bool goes_on = last != nullptr && last->thread == sample.thread &&
                           sample.time_ns - last->time_ns <= kPause * period;
      if (!goes_on) {
        waits.push_back({std::max<std::int64_t>(0, sample.time_ns - period / 2), 0, 0, 0,
                         sample.thread, MomentKind::kSpinWait});
      }
      waits.back().end_ns = sample.time_ns + period / 2;
      last = &sample;
    } else {
      last = nullptr;
    }
  }
  taken = std::erase_if(raw.samples, spins);
  return waits;
}

/// The thread that began first, in the process that began first.
std::uint32_t RootOf(const CriticalLog& log) {
  std::uint32_t root = kNone;
  for (std::uint32_t i = 0; i < log.threads.size(); ++i) {
    if (log.threads[i].end_ns == 0) continue;  // no record at all
    if (root == kNone || log.threads[i].start_ns < log.threads[root].start_ns) root = i;
  }
  return root;
}

std::int64_t EstimatedPeriod(const CriticalLog& log) {
  if (log.samples.rows.empty()) return 0;
  std::int64_t on = 0;
  for (const OnProcessor& time : log.on.rows) on += time.end_ns - time.begin_ns;
  return on / static_cast<std::int64_t>(log.samples.rows.size());
}

}  // namespace

CriticalLog MakeLog(RawLog raw) {
  CriticalLog log;
  // Threads of no process have one of their own.
  const auto processes = static_cast<std::uint32_t>(raw.processes.size());
  for (RawThread& thread : raw.threads) {
    if (thread.process < processes) continue;
    thread.process = processes;
    raw.processes.resize(processes + 1);
  }
  log.dropped = DropBad(raw);
  const std::size_t threads = raw.threads.size();
  const std::vector<Moment> spins = TakeSpins(raw, log.spin_samples);
  raw.moments.insert(raw.moments.end(), spins.begin(), spins.end());
  const Lives lives(raw);
  for (std::size_t i = 0; i < threads; ++i) log.threads.push_back(lives.Of(raw.threads[i], i));
  log.has_switches = !raw.switches.empty();
  const auto same = [](const auto& row) { return row; };
  log.moments = Sorted<Moment>(std::move(raw.moments), threads, same,
                               [](const Moment& row) { return row.start_ns; });
  log.samples = Sorted<Sample>(
      std::move(raw.samples), threads,
      [](const RawSample& row) {
        return Sample{row.time_ns, row.chain};
      },
      [](const Sample& row) { return row.time_ns; });
  const auto switches = Sorted<RawSwitch>(std::move(raw.switches), threads, same,
                                          [](const RawSwitch& row) { return row.time_ns; });
  const auto lost = Sorted<LostSwitches>(std::move(raw.lost_switches), threads, same,
                                         [](const LostSwitches& row) { return row.begin_ns; });
  log.on.begins.push_back(0);
  for (std::size_t i = 0; i < threads; ++i) {
    for (const OnProcessor& time :
         TimesOf(switches.Of(i), log.moments.Of(i), lost.Of(i), log.threads[i])) {
      if (time.end_ns > time.begin_ns) log.on.rows.push_back(time);
    }
    log.on.begins.push_back(log.on.rows.size());
  }
  log.processes = std::move(raw.processes);
  for (Chain& chain : raw.chains) {
    for (std::uint32_t& place : chain) {
      if (place >= kMostPlaces) place = kNone;
    }
  }
  log.chains = std::move(raw.chains);
  log.processors = std::max(1u, raw.processors);
  log.root = RootOf(log);
  log.period_ns = raw.period_ns > 0 ? raw.period_ns : EstimatedPeriod(log);
  return log;
}

std::int64_t OnProcessorNs(std::span<const OnProcessor> on, std::int64_t begin, std::int64_t end,
                           std::size_t& from) noexcept {
  while (from < on.size() && on[from].end_ns <= begin) ++from;
  std::int64_t sum = 0;
  for (std::size_t i = from; i < on.size() && on[i].begin_ns < end; ++i) {
    sum += std::min(on[i].end_ns, end) - std::max(on[i].begin_ns, begin);
  }
  return sum;
}

std::size_t FirstAt(std::span<const Sample> samples, std::int64_t time) noexcept {
  const auto earlier = [](const Sample& sample, std::int64_t at) { return sample.time_ns < at; };
  return static_cast<std::size_t>(std::lower_bound(samples.begin(), samples.end(), time, earlier) -
                                  samples.begin());
}

}  // namespace csink::critical
