#include "symbolizer/report/tables/thread_trace.h"

#include <algorithm>
#include <map>
#include <utility>

#include "profil/critical/log.h"
#include "profil/critical/waits.h"
#include "symbolizer/report/tables/critical_log.h"
#include "symbolizer/report/tables/waits.h"

namespace csink::report {
namespace {

using critical::MomentKind;
using spool::WaitKind;

std::uint64_t Ns(std::int64_t ns) { return ns < 0 ? 0 : static_cast<std::uint64_t>(ns); }

/// A kind of moment in words, and the kinds that the observer of blocked threads (CSINK_WAIT) gives
/// such waits.
struct KindWords {
  const char* words;
  std::vector<WaitKind> kinds;
};

KindWords WordsOf(MomentKind kind) {
  switch (kind) {
    case MomentKind::kMutexWait:
      return {"mutex", {WaitKind::kMutex}};
    case MomentKind::kConditionWait:
      return {"condition variable", {WaitKind::kCondition}};
    case MomentKind::kJoinWait:
      return {"join of a thread", {WaitKind::kJoin}};
    case MomentKind::kBarrierWait:
      return {"barrier", {WaitKind::kBarrier}};
    case MomentKind::kSemaphoreWait:
      return {"semaphore", {WaitKind::kSemaphore}};
    case MomentKind::kReadWriteLockWait:
      return {"rwlock", {WaitKind::kReadLock, WaitKind::kWriteLock}};
    case MomentKind::kFutexWait:
      return {"futex", {WaitKind::kFutex}};
    case MomentKind::kPipeRead:
      return {"read of a pipe", {WaitKind::kRead}};
    case MomentKind::kPipeWrite:
      return {"write to a pipe", {WaitKind::kWrite}};
    case MomentKind::kSocketRead:
      return {"read of a socket", {WaitKind::kRead, WaitKind::kReceive, WaitKind::kAccept}};
    case MomentKind::kPollWait:
      return {"poll", {WaitKind::kPoll}};
    case MomentKind::kSleep:
      return {"sleep", {WaitKind::kSleep}};
    case MomentKind::kChildWait:
      return {"end of a process", {WaitKind::kChild}};
    case MomentKind::kOpenMpIdle:
      return {"OpenMP: no work", {}};
    case MomentKind::kOpenMpRegion:
      return {"OpenMP: end of a region", {}};
    case MomentKind::kMpiWait:
      return {"MPI", {}};
    case MomentKind::kSpinWait:
      return {"spinning loop", {}};
    default:
      return {"unknown", {}};
  }
}

/// The one place where threads of a group block for such an object.
class Sites {
 public:
  Sites(const Report& report, std::vector<std::string>& sites) : sites_(sites) {
    if (!report.waits) return;
    for (const WaitGroup& group : report.waits->groups) {
      for (const WaitThread& member : group.members) group_of_[member.thread] = &group;
    }
  }
  std::uint32_t Of(std::uint32_t thread, const KindWords& kind) {
    const auto group = group_of_.find(thread);
    if (group == group_of_.end()) return 0;
    const auto [it, is_new] = known_.try_emplace({group->second, kind.words}, 0);
    if (is_new) it->second = Find(*group->second, kind.kinds);
    return it->second;
  }

 private:
  std::uint32_t Find(const WaitGroup& group, const std::vector<WaitKind>& kinds) {
    std::map<std::string, double> seconds;
    double all = 0;
    for (const WaitRow& row : group.rows) {
      if (std::find(kinds.begin(), kinds.end(), row.kind) == kinds.end()) continue;
      std::string place = row.function;
      if (!row.file.empty()) {
        place += " " + row.file + (row.line != 0 ? ":" + std::to_string(row.line) : "");
      }
      seconds[place] += row.cell.seconds;
      all += row.cell.seconds;
    }
    constexpr double kNearlyAll = 0.95;
    for (const auto& [place, own] : seconds) {
      if (own <= 0 || own < kNearlyAll * all) continue;
      sites_.push_back(place);
      return static_cast<std::uint32_t>(sites_.size() - 1);
    }
    return 0;
  }

  std::vector<std::string>& sites_;
  std::map<std::uint32_t, const WaitGroup*> group_of_;
  std::map<std::pair<const WaitGroup*, const char*>, std::uint32_t> known_;
};

/// Adds a slice, or nothing if it has no length.
void Push(std::vector<StateSlice>& slices, std::uint64_t begin, std::uint64_t end,
          ThreadState state, std::uint32_t wait = kNoTraced) {
  if (end > begin) slices.push_back({begin, end, state, wait});
}

/// The time between two times on a processor: a thread that blocked is runnable from the moment at
/// which it was woken.
void PushBlocked(TracedThread& thread, std::uint64_t begin, std::uint64_t end, std::size_t& from) {
  const auto& waits = thread.waits;
  while (from < waits.size() && waits[from].end_ns <= begin) ++from;
  if (from == waits.size() || waits[from].begin_ns >= end) {
    return Push(thread.slices, begin, end, ThreadState::kBlocked);
  }
  const TracedWait& wait = waits[from];
  const std::uint64_t woken = wait.woken_ns == 0 ? end : std::clamp(wait.woken_ns, begin, end);
  Push(thread.slices, begin, woken, ThreadState::kBlocked, static_cast<std::uint32_t>(from));
  Push(thread.slices, woken, end, ThreadState::kRunnable);
}

void AddSlices(TracedThread& thread, std::span<const critical::OnProcessor> on) {
  std::uint64_t until = thread.begin_ns;
  // Before its first time on a processor a thread is new; without switches it waits.
  bool blocked = !thread.waits.empty() && thread.waits.front().begin_ns <= until;
  std::size_t from = 0;
  for (const critical::OnProcessor& time : on) {
    const std::uint64_t begin = Ns(time.begin_ns), end = Ns(time.end_ns);
    if (blocked) {
      PushBlocked(thread, until, begin, from);
    } else {
      Push(thread.slices, until, begin, ThreadState::kRunnable);
    }
    Push(thread.slices, begin, end, ThreadState::kRunning);
    until = std::max(until, end);
    blocked = time.blocked;
  }
  if (blocked) {
    PushBlocked(thread, until, thread.end_ns, from);
  } else {
    Push(thread.slices, until, thread.end_ns, ThreadState::kRunnable);
  }
}

/// Whether two slices show the same.
bool AreAlike(const TracedThread& thread, const StateSlice& a, const StateSlice& b) {
  if (a.state != b.state) return false;
  if (a.wait == b.wait) return true;
  if (a.wait == kNoTraced || b.wait == kNoTraced) return false;
  const TracedWait& one = thread.waits[a.wait];
  const TracedWait& other = thread.waits[b.wait];
  return one.what == other.what && one.object == other.object && one.waker == other.waker;
}

/// Makes slices shorter than `shortest` part of the one before; those that are alike become one.
void Coarsen(TracedThread& thread, std::uint64_t shortest) {
  std::vector<StateSlice> kept;
  for (const StateSlice& slice : thread.slices) {
    const bool follows = !kept.empty() && kept.back().end_ns == slice.begin_ns;
    const bool is_short = slice.end_ns - slice.begin_ns < shortest;
    if (follows && (is_short || AreAlike(thread, kept.back(), slice))) {
      kept.back().end_ns = slice.end_ns;
    } else {
      kept.push_back(slice);
    }
  }
  thread.slices = std::move(kept);
}

std::uint64_t CountSlices(const ThreadTrace& trace) {
  std::uint64_t sum = 0;
  for (const TracedThread& thread : trace.threads) sum += thread.slices.size();
  return sum;
}

}  // namespace

const TracedThread* ThreadTrace::Of(std::uint32_t thread) const {
  if (thread == kNoThread) return nullptr;
  const auto found = std::find_if(threads.begin(), threads.end(), [&](const TracedThread& traced) {
    return traced.thread == thread;
  });
  return found == threads.end() ? nullptr : &*found;
}

ThreadTrace MakeThreadTrace(const Report& report, std::size_t most) {
  const Profile& profile = report.profile;
  ThreadTrace trace;
  if (profile.timed.counts.recorded == 0) return trace;
  // Places are of no interest here.
  const std::vector<std::uint32_t> no_functions(profile.places.size(), kNoFunction);
  critical::CriticalLog log = critical::MakeLog(CriticalLogOf(report, no_functions, {}));
  const critical::Waits waits = critical::ResolveWaits(log);
  trace.has_switches = log.has_switches;

  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> rows;
  for (std::uint32_t i = 0; i < profile.threads.size(); ++i) {
    const ThreadRow& row = profile.threads[i];
    if (row.HasOwnTid()) rows.try_emplace({profile.processes[row.process].pid, row.tid}, i);
  }
  std::map<std::uint32_t, std::size_t> process_of_pid;
  for (std::size_t i = 0; i < profile.processes.size(); ++i) {
    process_of_pid.try_emplace(profile.processes[i].pid, i);
  }
  Sites sites(report, trace.sites);
  for (std::uint32_t i = 0; i < log.threads.size(); ++i) {
    const critical::Thread& from = log.threads[i];
    TracedThread& thread = trace.threads.emplace_back();
    thread.pid = log.processes[from.process].pid;
    thread.tid = from.tid;
    const auto process = process_of_pid.find(thread.pid);
    thread.process = process == process_of_pid.end() ? 0 : process->second;
    const auto row = rows.find({thread.pid, thread.tid});
    if (row != rows.end()) {
      thread.thread = row->second;
      thread.name = profile.threads[row->second].name;
    }
    thread.begin_ns = Ns(from.start_ns);
    thread.end_ns = Ns(from.end_ns);
    for (const critical::Wait& wait : waits.waits.Of(i)) {
      const KindWords words = WordsOf(wait.kind);
      TracedWait& traced = thread.waits.emplace_back();
      traced.begin_ns = Ns(wait.start_ns);
      traced.end_ns = Ns(wait.end_ns);
      traced.what = words.words;
      traced.object = wait.object;
      traced.is_inferred = wait.known == critical::Known::kInferred;
      if (const critical::Waker* waker = waits.LatestWaker(i, wait)) {
        traced.waker = waker->thread;
        traced.woken_ns = Ns(waker->time_ns);
      }
      if (thread.thread != kNoThread) traced.site = sites.Of(thread.thread, words);
    }
    AddSlices(thread, log.on.Of(i));
  }
  trace.slices = CountSlices(trace);
  for (std::uint64_t shortest = 1'000; trace.slices > most && shortest < (1ull << 40);
       shortest *= 2) {
    for (TracedThread& thread : trace.threads) Coarsen(thread, shortest);
    trace.shortest_ns = shortest;
    trace.slices = CountSlices(trace);
  }
  return trace;
}

}  // namespace csink::report
