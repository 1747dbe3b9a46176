#include "profil/critical/shares.h"

#include <algorithm>
#include <utility>

namespace csink::critical {
namespace {

std::size_t PlacesIn(const CriticalLog& log) {
  std::uint32_t most = 0;
  for (const Sample& sample : log.samples.rows) {
    for (const std::uint32_t place : log.chains[sample.chain]) {
      if (place != kNone) most = std::max(most, place + 1);
    }
  }
  return most;
}

/// The number of threads between changes of +1 and -1, by time.
class Steps {
 public:
  void Add(std::int64_t begin, std::int64_t end) {
    if (end <= begin) return;
    changes_.emplace_back(begin, 1);
    changes_.emplace_back(end, -1);
  }
  const std::vector<std::pair<std::int64_t, int>>& Sort() {
    std::sort(changes_.begin(), changes_.end());
    return changes_;
  }

 private:
  std::vector<std::pair<std::int64_t, int>> changes_;
};

/// All samples of all threads by time.
std::vector<Sample> SamplesByTime(const CriticalLog& log) {
  std::vector<Sample> all = log.samples.rows;
  std::stable_sort(all.begin(), all.end(),
                   [](const Sample& a, const Sample& b) { return a.time_ns < b.time_ns; });
  return all;
}

class Counter {
 public:
  explicit Counter(const CriticalLog& log)
      : log_(log), by_time_(SamplesByTime(log)), seen_(PlacesIn(log)) {
    shares_.places.resize(seen_.size());
  }

  Shares Run(const std::vector<Segment>& path) {
    CountAll();
    for (const Segment& segment : path) {
      const std::int64_t length = segment.end_ns - segment.begin_ns;
      shares_.times.inferred += segment.inferred_ns;
      switch (segment.kind) {
        case SegmentKind::kRun:
          CountRun(segment);
          break;
        case SegmentKind::kWoken:
        case SegmentKind::kStarting:
          shares_.times.woken += length;
          CountGap(segment.begin_ns, segment.end_ns);
          break;
        case SegmentKind::kSleep:
          shares_.times.sleep += length;
          break;
        case SegmentKind::kUnknown:
          shares_.times.unknown += length;
          break;
      }
    }
    if (log_.root != kNone) {
      // A thread whose creator is not known ends the path before the start of the run.
      const Thread& root = log_.threads[log_.root];
      const std::int64_t first = path.empty() ? root.end_ns : path.back().begin_ns;
      shares_.times.unknown += std::max<std::int64_t>(0, first - root.start_ns);
    }
    return std::move(shares_);
  }

 private:
  /// Calls `count` for each place of the sample's chain, for a place that is there several times
  /// once.
  template <class Count>
  void ForChain(const Sample& sample, const Count& count) {
    ++mark_;
    for (const std::uint32_t place : log_.chains[sample.chain]) {
      if (place == kNone || seen_[place] == mark_) continue;
      seen_[place] = mark_;
      count(shares_.places[place]);
    }
  }
  PlaceSamples* Inner(const Sample& sample) {
    const std::uint32_t place = log_.chains[sample.chain].front();
    return place == kNone ? nullptr : &shares_.places[place];
  }

  void CountAll() {
    Steps running;
    for (const OnProcessor& time : log_.on.rows) running.Add(time.begin_ns, time.end_ns);
    const auto& changes = running.Sort();
    std::size_t next = 0;
    std::int64_t threads = 0;
    shares_.samples = by_time_.size();
    for (const Sample& sample : by_time_) {
      for (; next < changes.size() && changes[next].first <= sample.time_ns; ++next) {
        threads += changes[next].second;
      }
      const double part = 1.0 / static_cast<double>(std::max<std::int64_t>(1, threads));
      shares_.latency += part;
      ForChain(sample, [](PlaceSamples& place) { ++place.total; });
      if (PlaceSamples* place = Inner(sample)) {
        ++place->cpu;
        place->latency += part;
      }
    }
  }

  void CountRun(const Segment& segment) {
    const auto samples = log_.samples.Of(segment.thread);
    for (std::size_t i = FirstAt(samples, segment.begin_ns);
         i < samples.size() && samples[i].time_ns < segment.end_ns; ++i) {
      ForChain(samples[i], [](PlaceSamples& place) { place.path_total += 1; });
      if (PlaceSamples* place = Inner(samples[i])) {
        place->path += 1;
        place->path_plus += 1;
      }
    }
    const auto on = log_.on.Of(segment.thread);
    auto time = std::partition_point(on.begin(), on.end(), [&](const OnProcessor& row) {
      return row.end_ns <= segment.begin_ns;
    });
    std::int64_t since = segment.begin_ns;
    for (; time != on.end() && time->begin_ns < segment.end_ns; ++time) {
      const std::int64_t begin = std::max(time->begin_ns, segment.begin_ns);
      Preempted(since, begin);
      since = std::min(time->end_ns, segment.end_ns);
      shares_.times.work += since - begin;
    }
    Preempted(since, segment.end_ns);
  }
  void Preempted(std::int64_t begin, std::int64_t end) {
    if (end <= begin) return;
    shares_.times.preempted += end - begin;
    CountGap(begin, end);
  }
  void CountGap(std::int64_t begin, std::int64_t end) {
    const double part = 1.0 / log_.processors;
    for (std::size_t i = FirstAt(by_time_, begin); i < by_time_.size() && by_time_[i].time_ns < end;
         ++i) {
      if (PlaceSamples* place = Inner(by_time_[i])) place->path_plus += part;
    }
  }

  const CriticalLog& log_;
  Shares shares_;
  std::vector<Sample> by_time_;
  std::vector<std::uint64_t> seen_;  ///< By place: the last sample that counted it
  std::uint64_t mark_ = 0;
};

}  // namespace

Shares SharesOf(const CriticalLog& log, const std::vector<Segment>& path) {
  return Counter(log).Run(path);
}

std::int64_t CrowdedNs(const CriticalLog& log, const Waits& waits) {
  Steps ready;
  for (std::uint32_t thread = 0; thread < log.threads.size(); ++thread) {
    const Waker& creator = waits.creators[thread];
    std::int64_t since = log.threads[thread].start_ns;
    if (creator.thread != kNone) since = std::min(since, creator.time_ns);
    for (const Wait& wait : waits.waits.Of(thread)) {
      ready.Add(since, wait.start_ns);
      const Waker* waker = waits.LatestWaker(thread, wait);
      since =
          waker == nullptr ? wait.end_ns : std::clamp(waker->time_ns, wait.start_ns, wait.end_ns);
    }
    ready.Add(since, log.threads[thread].end_ns);
  }
  std::int64_t crowded = 0;
  std::int64_t threads = 0;
  std::int64_t since = 0;
  for (const auto& [time, change] : ready.Sort()) {
    if (threads > log.processors) crowded += time - since;
    threads += change;
    since = time;
  }
  return crowded;
}

}  // namespace csink::critical
