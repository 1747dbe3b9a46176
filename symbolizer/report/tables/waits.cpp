#include "symbolizer/report/tables/waits.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <set>
#include <tuple>

#include "profil/model/main_thread.h"
#include "profil/model/saturating.h"
#include "profil/statistics/statistics.h"
#include "symbolizer/report/tables/callers.h"
#include "symbolizer/report/tables/function_key.h"
#include "symbolizer/report/tables/names.h"
#include "symbolizer/report/tables/report.h"
#include "symbolizer/report/tables/wait_places.h"
#include "symbolizer/report/tables/wait_sum.h"
#include "symbolizer/report/tables/wait_words.h"
#include "symbolizer/report/wording/numbers.h"
#include "symbolizer/report/wording/shorten.h"

/// File: sums the places of waiting threads. Each place is first turned into a row of a group: the
/// program's own function on its stack, and what it waits for, which for futexes the inner
/// functions tell. Then the locks are summed, then the groups are ordered by who waits for whom.

namespace csink::report {
namespace {

using spool::WaitKind;

/// A condition variable is shown as a lock if one thread alone ran during this part of the time.
constexpr double kLeastOfOneRunner = 0.5;

/// Whether a thread that waits so may just have nothing to do.
bool WaitsForWork(WaitKind kind) {
  switch (kind) {
    case WaitKind::kCondition:
    case WaitKind::kSemaphore:
    case WaitKind::kFutex:
    case WaitKind::kPoll:
    case WaitKind::kSleep:
    case WaitKind::kAccept:
    case WaitKind::kReceive:
    case WaitKind::kRead:
    case WaitKind::kChild:
    case WaitKind::kSignal:
      return true;
    default:
      return false;
  }
}

/// The group of a thread, by name.
std::string GroupName(const Profile& profile, const Names& names, std::uint32_t thread) {
  if (thread >= profile.threads.size()) return "threads without a record";
  const ThreadRow& row = profile.threads[thread];
  if (row.is_merged) return "threads without a record";
  if (IsMainThread(profile, row)) return "main thread";
  const std::string routine = names.RoutineName(row.start_routine);
  if (!routine.empty()) return routine.find('(') == std::string::npos ? routine + "()" : routine;
  return row.name.empty() ? "unnamed threads" : "threads named " + row.name;
}

/// One row while it is summed up.
struct RowSum {
  WaitRow row;
  WaitSum sum;
  std::map<std::vector<std::string>, WaitSum> paths;
  std::map<std::pair<std::string, std::uint32_t>, std::uint64_t> lines;
};
struct ThreadSum {
  WaitSum sum;
  std::map<std::size_t, std::uint64_t> rows;  ///< Time by row
};
struct GroupSum {
  WaitGroup group;
  WaitSum sum;
  std::vector<RowSum> rows;
  std::map<std::tuple<std::string, std::string, std::string, std::string, std::size_t>, std::size_t>
      row_index;
  std::map<std::uint32_t, ThreadSum> threads;
  std::map<std::size_t, std::uint64_t> waited_for;  ///< Time by lock of the profile
};
struct LockSum {
  LockRow row;
  WaitSum sum;
  std::uint64_t known = 0;
  std::map<std::tuple<std::string, std::string, std::uint32_t, std::string, std::uint32_t>, WaitSum>
      holders;  ///< By function, module, thread's ID and name, state of HolderRecord
};

class Builder {
 public:
  Builder(const Report& report, const Names& names, const std::vector<WaitPlace>& places)
      : profile_(report.profile),
        waits_(profile_.waits),
        names_(names),
        stacks_(profile_, names),
        placed_(places) {}

  WaitTables Run() {
    for (const WaitSite& site : waits_.sites) all_.Add(site);
    AddLocks();
    AddSites();
    AddHolders();
    MarkCritical();
    return Finish();
  }

 private:
  /// The kind of a lock: what most of the time was waited for.
  std::vector<WaitKind> KindsOfLocks() const {
    std::vector<std::map<WaitKind, std::uint64_t>> times(waits_.locks.size());
    for (std::size_t i = 0; i < waits_.sites.size(); ++i) {
      const WaitSite& site = waits_.sites[i];
      if (site.lock < times.size()) AddTo(times[site.lock][placed_[i].kind], site.blocked_ns);
    }
    std::vector<WaitKind> kinds;
    for (std::size_t i = 0; i < times.size(); ++i) {
      const auto most =
          std::max_element(times[i].begin(), times[i].end(),
                           [](const auto& a, const auto& b) { return a.second < b.second; });
      kinds.push_back(most == times[i].end() ? waits_.locks[i].kind : most->first);
    }
    return kinds;
  }

  void AddLocks() {
    const std::vector<WaitKind> kinds = KindsOfLocks();
    std::map<std::tuple<std::string, std::string, std::string, std::uint32_t, WaitKind>,
             std::size_t>
        index;
    for (std::size_t i = 0; i < waits_.locks.size(); ++i) {
      const WaitLock& lock = waits_.locks[i];
      const std::vector<WaitFrame> frames = stacks_.Of(InsideOf(lock), lock.first_caller);
      const std::size_t own = WaitStacks::OwnOf(frames);
      LockRow row;
      row.kind = kinds[i];
      row.primitive = WaitWords(row.kind, spool::DescriptorKind::kUnknown, "futex");
      if (lock.module < profile_.modules.size()) {
        row.name = names_.DataName(lock.module, lock.address);
        row.module = DisplayName(profile_.modules[lock.module]);
        if (row.name.empty()) row.name = row.module + HexOffset(lock.address);
      }
      if (own < frames.size()) {
        row.first_function = frames[own].function;
        if (frames[own].location != nullptr) {
          row.first_file = frames[own].location->file;
          row.first_line = frames[own].location->line;
        }
      }
      // Locks without a symbol are told apart by their place alone: a table of 1,000 of them is one
      // row.
      const auto key = row.name.empty() ? std::tuple(std::string(), row.first_function,
                                                     row.first_file, row.first_line, row.kind)
                                        : std::tuple(row.name, row.module, std::string(),
                                                     std::uint32_t{0}, row.kind);
      const auto [it, is_new] = index.emplace(key, locks_.size());
      if (is_new) {
        locks_.push_back({std::move(row), {}, 0, {}});
      } else {
        ++locks_[it->second].row.objects;
      }
      lock_of_.push_back(it->second);
      LockSum& sum = locks_[it->second];
      sum.sum.Add(lock.looks, lock.blocked_ns, lock.blocked_squared);
      AddTo(sum.row.moments, lock.moments);
      AddTo(sum.known, lock.known_holders);
      sum.row.most_waiters = std::max(sum.row.most_waiters, lock.most_waiters);
    }
  }
  static std::string HexOffset(std::uint64_t address) {
    char text[24];
    std::snprintf(text, sizeof text, "+0x%llx", static_cast<unsigned long long>(address));
    return text;
  }

  GroupSum& GroupOf(std::uint32_t thread) { return groups_[GroupIndexOf(thread)]; }
  std::size_t GroupIndexOf(std::uint32_t thread) {
    const auto known = group_of_thread_.find(thread);
    if (known != group_of_thread_.end()) return known->second;
    const std::string name = GroupName(profile_, names_, thread);
    const auto [it, is_new] = group_index_.emplace(name, groups_.size());
    if (is_new) {
      groups_.emplace_back();
      groups_.back().group.name = name;
    }
    group_of_thread_[thread] = it->second;
    if (thread < profile_.threads.size() && IsMainThread(profile_, profile_.threads[thread])) {
      groups_[it->second].group.is_critical = true;
    }
    return it->second;
  }

  void AddSites() {
    for (std::size_t i = 0; i < waits_.sites.size(); ++i) {
      const WaitSite& site = waits_.sites[i];
      const WaitPlace& placed = placed_[i];
      GroupSum& group = GroupOf(site.thread);
      WaitRow row;
      row.kind = placed.kind;
      row.call = placed.call;
      row.primitive = placed.primitive;
      row.function = placed.own.function;
      if (placed.own.module != nullptr) row.module = DisplayName(*placed.own.module);
      row.lock = site.lock < lock_of_.size() ? lock_of_[site.lock] : WaitRow::kNoRow;
      const auto [it, is_new] = group.row_index.emplace(
          std::tuple(row.function, row.module, row.primitive, row.call, row.lock),
          group.rows.size());
      if (is_new) group.rows.push_back({std::move(row), {}, {}, {}});
      RowSum& sum = group.rows[it->second];
      sum.sum.Add(site);
      sum.row.longest_seconds = std::max(sum.row.longest_seconds, Seconds(site.longest_ns));
      sum.paths[placed.path].Add(site);
      if (placed.own.location != nullptr && placed.own.location->line != 0) {
        AddTo(sum.lines[{placed.own.location->file, placed.own.location->line}], site.blocked_ns);
      }
      group.sum.Add(site);
      ThreadSum& thread = group.threads[site.thread];
      thread.sum.Add(site);
      AddTo(thread.rows[it->second], site.blocked_ns);
      if (site.lock < waits_.locks.size()) AddTo(group.waited_for[site.lock], site.blocked_ns);
    }
  }

  void AddHolders() {
    for (const WaitHolder& holder : waits_.holders) {
      const std::vector<WaitFrame> frames = stacks_.Of(InsideOf(holder), holder.caller);
      const std::size_t own = WaitStacks::OwnOf(frames);
      std::string function;
      std::string module;
      if (own < frames.size()) {
        function = frames[own].function;
        if (frames[own].module != nullptr) module = DisplayName(*frames[own].module);
      }
      std::string name;
      if (holder.thread < profile_.threads.size()) name = profile_.threads[holder.thread].name;
      // Waiting time of others; how it is divided is sampled at each look.
      locks_[lock_of_[holder.lock]].holders[{function, module, holder.tid, name, holder.state}].Add(
          holder.looks, holder.blocked_ns, 0);
    }
  }

  /// From the main threads along locks and joins to the groups that they wait for.
  void MarkCritical() {
    // By lock of the profile: time by group of the holder.
    std::map<std::size_t, std::map<std::size_t, std::uint64_t>> held;
    for (const WaitHolder& holder : waits_.holders) {
      const auto group = group_of_thread_.find(holder.thread);
      if (holder.state == spool::kOnlyRunner) continue;
      // A holder that never waited itself has no group to show.
      if (group == group_of_thread_.end()) continue;
      AddTo(held[holder.lock][group->second], holder.blocked_ns);
    }
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      if (groups_[i].group.is_critical) open.push_back(i);
    }
    while (!open.empty()) {
      const GroupSum& waiting = groups_[open.back()];
      open.pop_back();
      std::map<std::size_t, double> waited;
      for (const auto& [lock, ns] : waiting.waited_for) {
        const auto by_group = held.find(lock);
        if (by_group == held.end()) continue;
        const double all =
            static_cast<double>(std::max<std::uint64_t>(1, waits_.locks[lock].blocked_ns));
        for (const auto& [group, held_ns] : by_group->second) {
          waited[group] +=
              static_cast<double>(ns) * std::min(1.0, static_cast<double>(held_ns) / all);
        }
      }
      for (const auto& [group, ns] : waited) {
        if (groups_[group].group.is_critical) continue;
        if (ns < kLeastCritical * static_cast<double>(waiting.sum.ns)) continue;
        groups_[group].group.is_critical = true;
        open.push_back(group);
      }
    }
  }

  static void FinishRow(RowSum& sum, const WaitSum& whole) {
    sum.row.cell = CellOf(sum.sum, whole);
    std::uint64_t most = 0;
    for (const auto& [where, ns] : sum.lines) {
      if (!sum.row.file.empty() && ns <= most) continue;
      most = ns;
      sum.row.file = where.first;
      sum.row.line = where.second;
    }
    for (const auto& [functions, path] : sum.paths) {
      sum.row.paths.push_back({functions, CellOf(path, sum.sum)});
    }
    std::stable_sort(
        sum.row.paths.begin(), sum.row.paths.end(),
        [](const WaitPath& a, const WaitPath& b) { return a.cell.seconds > b.cell.seconds; });
    if (sum.row.paths.size() > kMostWaitPaths) sum.row.paths.resize(kMostWaitPaths);
  }

  WaitGroup FinishGroup(GroupSum& sum) const {
    WaitGroup& group = sum.group;
    group.cell = CellOf(sum.sum, all_);
    group.threads = sum.threads.size();
    std::vector<std::size_t> order(sum.rows.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      const RowSum& x = sum.rows[a];
      const RowSum& y = sum.rows[b];
      if (x.sum.ns != y.sum.ns) return x.sum.ns > y.sum.ns;
      return std::tie(x.row.function, x.row.primitive) < std::tie(y.row.function, y.row.primitive);
    });
    std::vector<std::size_t> place_of(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
      place_of[order[i]] = i;
      FinishRow(sum.rows[order[i]], sum.sum);
      group.rows.push_back(std::move(sum.rows[order[i]].row));
    }
    for (const auto& [thread, part] : sum.threads) {
      const auto most =
          std::max_element(part.rows.begin(), part.rows.end(),
                           [](const auto& a, const auto& b) { return a.second < b.second; });
      WaitThread member;
      member.thread = thread;
      member.cell = CellOf(part.sum, sum.sum);
      member.row = place_of[most->first];
      if (part.sum.ns > 0) {
        member.row_share = static_cast<double>(most->second) / static_cast<double>(part.sum.ns);
      }
      group.members.push_back(member);
    }
    std::stable_sort(
        group.members.begin(), group.members.end(),
        [](const WaitThread& a, const WaitThread& b) { return a.cell.seconds > b.cell.seconds; });
    FindIdlePlace(group);
    return std::move(group);
  }

  static void FindIdlePlace(WaitGroup& group) {
    if (group.is_critical) return;
    std::map<std::tuple<std::string, std::string, std::string, std::string>, double> shares;
    for (const WaitRow& row : group.rows) {
      if (WaitsForWork(row.kind)) shares[PlaceOf(row)] += row.cell.share;
    }
    for (std::size_t i = 0; i < group.rows.size(); ++i) {
      const WaitRow& row = group.rows[i];
      if (!WaitsForWork(row.kind) || shares[PlaceOf(row)] < kLeastIdle) continue;
      group.is_idle = true;
      group.idle_share = std::min(1.0, shares[PlaceOf(row)]);
      group.idle_row = i;
      return;
    }
  }
  static std::tuple<std::string, std::string, std::string, std::string> PlaceOf(
      const WaitRow& row) {
    return {row.function, row.module, row.primitive, row.call};
  }

  LockRow FinishLock(LockSum& sum) const {
    LockRow& row = sum.row;
    row.cell = CellOf(sum.sum, all_);
    const auto looks = static_cast<double>(sum.sum.looks);
    if (looks > 0) row.known_share = std::min(1.0, static_cast<double>(sum.known) / looks);
    for (const auto& [key, part] : sum.holders) {
      HolderRow holder;
      std::uint32_t state = 0;
      std::tie(holder.function, holder.module, holder.tid, holder.thread, state) = key;
      holder.is_blocked = state == spool::kHolderBlocked;
      holder.is_only_runner = state == spool::kOnlyRunner;
      holder.cell = CellOf(part, sum.sum);
      // The holder is sampled at each look, whether the waiting time is exact or not.
      const Interval interval = WilsonInterval(holder.cell.share, looks);
      holder.cell.low = interval.low;
      holder.cell.high = interval.high;
      row.holders.push_back(std::move(holder));
    }
    std::stable_sort(
        row.holders.begin(), row.holders.end(),
        [](const HolderRow& a, const HolderRow& b) { return a.cell.seconds > b.cell.seconds; });
    return std::move(row);
  }

  /// Whether the lock keeps threads from running. Joins are in the tables of the threads alone, and
  /// so are most condition variables.
  static bool IsLock(const LockRow& lock) {
    switch (lock.kind) {
      case WaitKind::kMutex:
      case WaitKind::kReadLock:
      case WaitKind::kWriteLock:
      case WaitKind::kSemaphore:
      case WaitKind::kFutex:
        return true;
      case WaitKind::kCondition:
        return OneRunnerShare(lock) >= kLeastOfOneRunner;
      default:
        return false;
    }
  }
  static double OneRunnerShare(const LockRow& lock) {
    double share = 0;
    for (const HolderRow& holder : lock.holders) {
      if (holder.is_only_runner) share += holder.cell.share;
    }
    return share;
  }

  WaitTables Finish() {
    WaitTables tables;
    tables.blocked_seconds = Seconds(all_.ns);
    tables.looks = all_.looks;
    const auto whole = static_cast<double>(all_.ns);
    tables.effective_looks =
        all_.squared > 0 ? whole * whole / all_.squared : static_cast<double>(all_.looks);
    // The order of the locks is kept while rows refer to them by index; sorted, they get new ones.
    std::vector<std::size_t> order(locks_.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return locks_[a].sum.ns > locks_[b].sum.ns;
    });
    std::vector<std::size_t> place_of(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
      place_of[order[i]] = i;
      tables.locks.push_back(FinishLock(locks_[order[i]]));
    }
    for (GroupSum& sum : groups_) {
      tables.groups.push_back(FinishGroup(sum));
      for (WaitRow& row : tables.groups.back().rows) {
        if (row.lock == WaitRow::kNoRow) continue;
        row.lock = place_of[row.lock];
        LockRow& lock = tables.locks[row.lock];
        // A queue of work keeps no thread from running.
        const bool is_queue = lock.kind == WaitKind::kCondition && tables.groups.back().is_idle;
        if (!is_queue && IsLock(lock)) lock.is_lock = true;
      }
    }
    const auto rank = [](const WaitGroup& group) {
      return group.name == "main thread" ? 0 : group.is_critical ? 1 : group.is_idle ? 3 : 2;
    };
    std::stable_sort(tables.groups.begin(), tables.groups.end(),
                     [&](const WaitGroup& a, const WaitGroup& b) {
                       if (rank(a) != rank(b)) return rank(a) < rank(b);
                       return a.cell.seconds > b.cell.seconds;
                     });
    return tables;
  }

  const Profile& profile_;
  const Waits& waits_;
  const Names& names_;
  WaitStacks stacks_;
  WaitSum all_;
  const std::vector<WaitPlace>& placed_;  ///< By site
  std::vector<LockSum> locks_;            ///< Rows
  std::vector<std::size_t> lock_of_;      ///< Row by lock of the profile
  std::vector<GroupSum> groups_;
  std::map<std::string, std::size_t> group_index_;
  std::map<std::uint32_t, std::size_t> group_of_thread_;
};

}  // namespace

std::optional<WaitTables> MakeWaits(const Report& report, const Names& names,
                                    const std::vector<WaitPlace>& places) {
  if (!report.profile.waits.recorded()) return std::nullopt;
  return Builder(report, names, places).Run();
}

std::string LockText(const LockRow& lock) {
  std::string text = lock.objects == 1 ? "" : Grouped(lock.objects) + " x ";
  text += lock.primitive;
  if (!lock.name.empty()) return text + " " + lock.name;
  text += " first waited for in ";
  text += lock.first_function.empty() ? "unknown code" : lock.first_function;
  if (lock.first_line != 0) {
    text += " " + BaseName(lock.first_file) + ":" + std::to_string(lock.first_line);
  }
  return text;
}

std::vector<std::string> WaitVerdict(const Profile& profile) {
  const Waits& waits = profile.waits;
  if (!waits.recorded()) return {};
  const spool::WaitObserver& observer = waits.observer;
  WaitSum all;
  for (const WaitSite& site : waits.sites) all.Add(site);
  std::vector<std::string> lines;
  std::string line = "waiting: " + Count(all.looks, "look", "looks") +
                     " at blocked threads divide " + Duration(Seconds(all.ns));
  // The exact time of the threads that were looked at; what was not seen again is in no row.
  if (observer.blocked_ns > 0 && profile.only_phase.empty()) {
    const double seen = static_cast<double>(all.ns) / static_cast<double>(observer.blocked_ns);
    line += ", " + Percent(std::min(1.0, seen)) + " of their blocked time";
  }
  if (observer.cpu_ns > 0) line += "; observing cost " + Duration(Seconds(observer.cpu_ns));
  lines.push_back(line);
  const auto part = [&](std::uint64_t looks) {
    return observer.looks == 0 ? 0
                               : static_cast<double>(looks) / static_cast<double>(observer.looks);
  };
  if (part(observer.cut) >= 0.01) {
    lines.push_back("waiting: the call chains of " + Percent(part(observer.cut)) +
                    " of the looks are cut (frames without a frame pointer or unwind rows)");
  }
  if (observer.no_site > 0) {
    lines.push_back("waiting: the table of places was full: " +
                    Count(observer.no_site, "look is", "looks are") + " in no row, " +
                    Duration(Seconds(observer.no_site_ns)));
  }
  if (observer.no_lock > 0) {
    lines.push_back("waiting: the table of locks was full: " +
                    Count(observer.no_lock, "look has", "looks have") + " no lock");
  }
  if (observer.state == 2) {
    std::string why = "waiting: observing stopped early";
    if (observer.stopped_errno != 0) {
      why += std::string(" (") + std::strerror(static_cast<int>(observer.stopped_errno)) + ")";
    }
    lines.push_back(why);
  }
  return lines;
}

}  // namespace csink::report
