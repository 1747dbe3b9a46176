#include "profil/critical/waits.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>

#include "profil/critical/matching.h"
#include "profil/critical/point_index.h"
#include "profil/critical/unseen.h"

namespace csink::critical {
namespace {

/// A writer waits for all readers of a lock; so many are followed.
constexpr std::size_t kMostReaders = 8;
/// The creation of a thread may be noted so much behind the thread's own start or end.
constexpr std::int64_t kCreationLateNs = 20'000'000;

/// Moves a point that was noted late to before `time`, but not before the thread's last moment.
void MoveBefore(CriticalLog& log, std::uint32_t thread, std::uint32_t moment, std::int64_t time) {
  Moment& point = log.moments.rows[moment];
  if (point.start_ns <= time) return;
  std::int64_t least = log.threads[thread].start_ns;
  if (moment > log.moments.begins[thread]) {
    const Moment& before = log.moments.rows[moment - 1];
    least = std::max({least, before.start_ns, before.end_ns});
  }
  point.start_ns = point.end_ns = std::min(point.start_ns, std::max(least, time));
}

/// Threads by a number of their process.
class ThreadIndex {
 public:
  /// `number` of a thread; 0: it has none.
  template <class Number>
  ThreadIndex(const CriticalLog& log, const Number& number) {
    for (std::uint32_t i = 0; i < log.threads.size(); ++i) {
      if (number(log.threads[i]) != 0) {
        entries_.push_back({log.threads[i].process, number(log.threads[i]), i});
      }
    }
    std::sort(entries_.begin(), entries_.end(), [&](const Entry& a, const Entry& b) {
      return std::tuple(a.process, a.number, log.threads[a.thread].start_ns, a.thread) <
             std::tuple(b.process, b.number, log.threads[b.thread].start_ns, b.thread);
    });
  }
  struct Entry {
    std::uint32_t process;
    std::uint64_t number;
    std::uint32_t thread;
  };
  /// Those with the number, by their start: numbers are used again.
  std::span<const Entry> Of(std::uint32_t process, std::uint64_t number) const {
    const Entry key{process, number, 0};
    const auto [first, last] =
        std::equal_range(entries_.begin(), entries_.end(), key, [](const Entry& a, const Entry& b) {
          return std::tie(a.process, a.number) < std::tie(b.process, b.number);
        });
    return {first, last};
  }

 private:
  std::vector<Entry> entries_;
};

/// Fills Waits::waits from the hooks' moments.
class Resolver {
 public:
  Resolver(CriticalLog& log, Waits& waits)
      : log_(log),
        waits_(waits),
        index_(log),
        handles_(log, [](const Thread& thread) { return thread.handle; }),
        tids_(log, [](const Thread& thread) { return std::uint64_t{thread.tid}; }),
        matches_(log.moments.rows.size(), kNone) {
    for (std::uint32_t i = 0; i < log.threads.size(); ++i) {
      auto [first, is_new] = first_of_process_.emplace(log.threads[i].process, i);
      if (!is_new && log.threads[i].start_ns < log.threads[first->second].start_ns) {
        first->second = i;
      }
    }
    for (std::uint32_t i = 0; i < log.processes.size(); ++i) {
      if (log.processes[i].pid != 0) process_of_pid_.emplace(log.processes[i].pid, i);
    }
  }
  void Run() {
    MatchQueues(log_, index_, matches_);
    MatchPipes(log_, index_, matches_);
    MatchBarriers();
    FindCreators();
    waits_.waits.begins.push_back(0);
    for (std::uint32_t thread = 0; thread < log_.threads.size(); ++thread) {
      for (std::size_t i = log_.moments.begins[thread]; i < log_.moments.begins[thread + 1]; ++i) {
        const Moment& moment = log_.moments.rows[i];
        if (!IsPoint(moment.kind)) AddWait(thread, static_cast<std::uint32_t>(i));
      }
      waits_.waits.begins.push_back(waits_.waits.rows.size());
    }
  }

 private:
  /// Adds the wakers of all barrier waits, those of a round once. Nobody leaves a round before the
  /// last one came, so an arrival behind the first leaving belongs to the next round.
  void MatchBarriers() {
    for (const PointIndex::Group& group : index_.groups()) {
      if (group.family != Family::kBarrier) continue;
      const std::span<const Point> arrivals = index_.Of(group);
      std::size_t begin = 0;
      while (begin < arrivals.size()) {
        std::int64_t first_end = log_.moments.rows[arrivals[begin].moment].end_ns;
        std::size_t end = begin + 1;
        while (end < arrivals.size() && arrivals[end].time_ns <= first_end) {
          first_end = std::min(first_end, log_.moments.rows[arrivals[end].moment].end_ns);
          ++end;
        }
        rounds_.push_back({static_cast<std::uint32_t>(waits_.wakers.size()),
                           static_cast<std::uint32_t>(end - begin)});
        for (; begin < end; ++begin) {
          const Point& arrival = arrivals[begin];
          matches_[arrival.moment] = static_cast<std::uint32_t>(rounds_.size() - 1);
          waits_.wakers.push_back(
              {arrival.time_ns, arrival.thread, arrival.moment, At::kStartOfMoment});
        }
      }
    }
  }

  void SetCreator(std::uint32_t thread, std::uint32_t of, std::uint32_t moment) {
    if (waits_.creators[of].thread != kNone || of == thread) return;
    MoveBefore(log_, thread, moment, log_.threads[of].start_ns);
    waits_.creators[of] = {log_.moments.rows[moment].start_ns, thread, moment, At::kStartOfMoment};
  }

  /// The first thread with the number that has no creator yet and had not ended.
  void SetCreator(std::uint32_t thread, std::uint32_t moment, const ThreadIndex& threads,
                  std::uint64_t number) {
    if (number == 0) return;
    const std::int64_t time = log_.moments.rows[moment].start_ns;
    const auto entries = threads.Of(log_.threads[thread].process, number);
    if (entries.empty()) return;
    // A number is used again for a later thread. Its creators are mostly one thread.
    std::size_t& next = next_[entries.data()];
    while (next < entries.size() &&
           log_.threads[entries[next].thread].end_ns < time - kCreationLateNs) {
      ++next;
    }
    if (next < entries.size()) SetCreator(thread, entries[next++].thread, moment);
  }

  void FindCreators() {
    waits_.creators.resize(log_.threads.size());
    for (std::uint32_t thread = 0; thread < log_.threads.size(); ++thread) {
      for (std::size_t i = log_.moments.begins[thread]; i < log_.moments.begins[thread + 1]; ++i) {
        const auto moment = static_cast<std::uint32_t>(i);
        const Moment row = log_.moments.rows[i];
        if (row.kind == MomentKind::kThreadCreated) {
          SetCreator(thread, moment, row.value != 0 ? tids_ : handles_,
                     row.value != 0 ? row.value : row.object);
        } else if (row.kind == MomentKind::kFork) {
          const auto process = process_of_pid_.find(row.value);
          if (process == process_of_pid_.end()) continue;
          const auto first = first_of_process_.find(process->second);
          if (first != first_of_process_.end()) SetCreator(thread, first->second, moment);
        }
      }
    }
  }

  void AddWait(std::uint32_t thread, std::uint32_t moment) {
    const Moment& row = log_.moments.rows[moment];
    Wait wait;
    wait.start_ns = row.start_ns;
    wait.end_ns = row.end_ns;
    wait.object = row.object;
    wait.moment = moment;
    wait.kind = row.kind;
    wait.first_waker = static_cast<std::uint32_t>(waits_.wakers.size());
    if (row.WasEnded()) AddWakers(thread, row, moment, wait);
    if (wait.known == Known::kNot && row.kind != MomentKind::kBarrierWait) {
      wait.wakers = static_cast<std::uint32_t>(waits_.wakers.size()) - wait.first_waker;
      if (wait.wakers > 0) wait.known = Known::kHook;
    }
    AddDisjoint(wait);
  }

  void AddWakers(std::uint32_t thread, const Moment& row, std::uint32_t moment, Wait& wait) {
    const std::uint32_t process = log_.threads[thread].process;
    switch (row.kind) {
      case MomentKind::kMutexWait:
        AddPoint(LastPoint(index_.Of(Family::kMutex, process, row.object),
                           row.start_ns - kWakerBeforeWaitNs, row.end_ns, thread));
        break;
      case MomentKind::kReadWriteLockWait:
        AddReaders(thread, row);
        break;
      case MomentKind::kConditionWait:
        AddCondition(thread, row, moment);
        break;
      case MomentKind::kPipeRead:
      case MomentKind::kSemaphoreWait:
      case MomentKind::kFutexWait:
        AddMatch(moment, row);
        break;
      case MomentKind::kPipeWrite:
        AddPoint(LastPoint(index_.Of(Family::kPipeRead, 0, row.object),
                           row.start_ns - kWakerBeforeWaitNs, row.end_ns, thread),
                 At::kEndOfMoment);
        break;
      case MomentKind::kBarrierWait:
        UseRound(thread, moment, wait);
        break;
      case MomentKind::kJoinWait:
        AddJoin(thread, row);
        break;
      case MomentKind::kChildWait:
        AddChild(row);
        break;
      case MomentKind::kOpenMpIdle:
        AddPoint(
            LastPoint(index_.Of(Family::kOpenMpStart, process, row.object), 0, row.end_ns, thread));
        break;
      case MomentKind::kOpenMpRegion:
        AddMembers(thread, row);
        break;
      case MomentKind::kSleep:
        wait.known = Known::kOutside;
        break;
      default:
        break;
    }
  }

  void AddPoint(const Point* point, At at = At::kStartOfMoment) {
    if (point != nullptr)
      waits_.wakers.push_back({point->time_ns, point->thread, point->moment, at});
  }

  std::uint32_t ThreadOf(std::uint32_t moment) const { return log_.moments.rows[moment].thread; }

  void AddMatch(std::uint32_t moment, const Moment& row) {
    const std::uint32_t match = matches_[moment];
    if (match == kNone) return;
    const std::int64_t time = log_.moments.rows[match].start_ns;
    if (time > row.end_ns + kWakerAfterWaitNs) return;
    MoveBefore(log_, ThreadOf(match), match, row.end_ns);
    waits_.wakers.push_back(
        {log_.moments.rows[match].start_ns, ThreadOf(match), match, At::kStartOfMoment});
  }

  /// The signal, and the unlock of the mutex for which the woken thread waited then.
  void AddCondition(std::uint32_t thread, const Moment& row, std::uint32_t moment) {
    if (matches_[moment] == kNone) return;
    AddMatch(moment, row);
    const std::int64_t signal = log_.moments.rows[matches_[moment]].start_ns;
    AddPoint(LastPoint(index_.Of(Family::kMutex, log_.threads[thread].process, row.value), signal,
                       row.end_ns, thread));
  }

  /// The last unlocks of different threads.
  void AddReaders(std::uint32_t thread, const Moment& row) {
    const auto points = index_.Of(Family::kReadWriteLock, log_.threads[thread].process, row.object);
    const std::size_t first = waits_.wakers.size();
    const Point* point = LastPoint(points, row.start_ns - kWakerBeforeWaitNs, row.end_ns, thread);
    for (std::size_t steps = 0; point != nullptr && steps < 4 * kMostReaders; ++steps) {
      const bool is_new =
          point->time_ns >= row.start_ns - kWakerBeforeWaitNs && point->thread != thread &&
          std::none_of(waits_.wakers.begin() + static_cast<std::ptrdiff_t>(first),
                       waits_.wakers.end(),
                       [&](const Waker& waker) { return waker.thread == point->thread; });
      if (is_new) AddPoint(point);
      if (waits_.wakers.size() - first == kMostReaders || point == points.data()) break;
      --point;
    }
    std::reverse(waits_.wakers.begin() + static_cast<std::ptrdiff_t>(first), waits_.wakers.end());
  }

  void UseRound(std::uint32_t thread, std::uint32_t moment, Wait& wait) {
    const auto [first, count] = rounds_[matches_[moment]];
    wait.first_waker = first;
    wait.wakers = count;
    const Waker& last = waits_.wakers[first + count - 1];
    if (count > 1) wait.known = last.thread == thread ? Known::kOwn : Known::kHook;
  }

  void AddEnd(std::uint32_t thread, const Moment& row) {
    const std::int64_t end = log_.threads[thread].end_ns;
    if (end > row.end_ns + kWakerAfterWaitNs) return;
    waits_.wakers.push_back({end, thread, kNone, At::kEndOfThread});
  }

  void AddJoin(std::uint32_t thread, const Moment& row) {
    const auto targets = handles_.Of(log_.threads[thread].process, row.object);
    // The last one that began before the join ended: handles are used again.
    const auto behind =
        std::partition_point(targets.begin(), targets.end(), [&](const ThreadIndex::Entry& entry) {
          return log_.threads[entry.thread].start_ns <= row.end_ns;
        });
    if (behind == targets.begin()) return;
    const std::uint32_t target = std::prev(behind)->thread;
    if (target != thread) AddEnd(target, row);
  }

  void AddChild(const Moment& row) {
    const auto process = process_of_pid_.find(row.object);
    if (process == process_of_pid_.end()) return;
    const auto first = first_of_process_.find(process->second);
    if (first != first_of_process_.end()) AddEnd(first->second, row);
  }

  /// Ends of the members of the region that has just ended, without the starter's own.
  void AddMembers(std::uint32_t thread, const Moment& row) {
    const std::uint32_t process = log_.threads[thread].process;
    const Point* start =
        LastPoint(index_.Of(Family::kOpenMpStart, process, row.object), 0, row.end_ns, kNone);
    const std::int64_t begin = start == nullptr ? 0 : start->time_ns;
    const auto ends = index_.Of(Family::kOpenMpMemberEnd, process, row.object);
    auto at = std::lower_bound(
        ends.begin(), ends.end(), begin,
        [](const Point& point, std::int64_t time) { return point.time_ns < time; });
    for (; at != ends.end() && at->time_ns <= row.end_ns + kWakerAfterWaitNs; ++at) {
      if (at->thread != thread) AddPoint(&*at);
    }
  }

  /// A hooked function may call another one: of two waits, one inside of the other, the one with
  /// known wakers counts, else the outer one.
  void AddDisjoint(Wait wait) {
    auto& rows = waits_.waits.rows;
    if (rows.size() == waits_.waits.begins.back() || wait.start_ns >= rows.back().end_ns) {
      rows.push_back(wait);
      return;
    }
    Wait& outer = rows.back();
    if (wait.end_ns > outer.end_ns) {
      wait.start_ns = outer.end_ns;
      rows.push_back(wait);
    } else if (outer.known == Known::kNot && wait.known != Known::kNot &&
               wait.end_ns > outer.start_ns) {
      // The outer wait may have been cut by one before it.
      wait.start_ns = std::max(wait.start_ns, outer.start_ns);
      outer = wait;
    }
  }

  struct Round {
    std::uint32_t first = 0;
    std::uint32_t count = 0;
  };
  CriticalLog& log_;
  Waits& waits_;
  PointIndex index_;
  ThreadIndex handles_;
  ThreadIndex tids_;
  Matches matches_;  ///< Of barrier waits: index into rounds_
  std::vector<Round> rounds_;
  std::unordered_map<std::uint32_t, std::uint32_t> first_of_process_;
  std::unordered_map<std::uint64_t, std::uint32_t> process_of_pid_;
  /// The first of the threads with a number whose creator is not known yet
  std::unordered_map<const ThreadIndex::Entry*, std::size_t> next_;
};

}  // namespace

const Waker* Waits::LatestWaker(std::uint32_t thread, const Wait& wait) const noexcept {
  const std::span<const Waker> all = WakersOf(wait);
  for (std::size_t i = all.size(); i > 0; --i) {
    const Waker& waker = all[i - 1];
    if (waker.time_ns < wait.start_ns - kWakerBeforeWaitNs) return nullptr;
    if (waker.thread != thread) return &waker;
  }
  return nullptr;
}

Waits ResolveWaits(CriticalLog& log) {
  Waits waits;
  Resolver(log, waits).Run();
  AddUnseenWaits(log, waits);
  InferWakers(log, waits);
  return waits;
}

}  // namespace csink::critical
