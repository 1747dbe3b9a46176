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
#include "symbolizer/report/tables/wait_words.h"
#include "symbolizer/report/wording/numbers.h"
#include "symbolizer/report/wording/shorten.h"

/// File: sums the places of waiting threads. Each place is first turned into a row of a group: the
/// program's own function on its stack, and what it waits for, which for futexes the inner
/// functions tell. Then the locks are summed, then the groups are ordered by who waits for whom.

namespace csink::report {
namespace {

using spool::WaitKind;

/// Sums of places.
struct Sum {
  std::uint64_t looks = 0;
  std::uint64_t ns = 0;
  double squared = 0;
  void Add(std::uint64_t more_looks, std::uint64_t more_ns, double more_squared) {
    AddTo(looks, more_looks);
    AddTo(ns, more_ns);
    squared += more_squared;
  }
  void Add(const Sum& more) { Add(more.looks, more.ns, more.squared); }
  void Add(const WaitSite& site) { Add(site.looks, site.blocked_ns, site.blocked_squared); }
};

WaitCell CellOf(const Sum& part, const Sum& all) {
  WaitCell cell;
  cell.looks = part.looks;
  cell.seconds = Seconds(part.ns);
  const auto whole = static_cast<double>(all.ns);
  cell.share = whole > 0 ? std::min(1.0, static_cast<double>(part.ns) / whole) : 0;
  cell.low = cell.high = cell.share;
  // Looks at a thread that stood still since the look before are exact, and not in the squares.
  if (all.squared > 0) {
    const Interval interval = WilsonInterval(cell.share, whole * whole / all.squared);
    cell.low = interval.low;
    cell.high = interval.high;
  }
  return cell;
}

/// A function on a stack.
struct Frame {
  const symbolizer::Location* location = nullptr;
  const Module* module = nullptr;
  std::string function;
};

/// The stacks of places.
class Stacks {
 public:
  Stacks(const Profile& profile, const Names& names) : profile_(profile), names_(names) {}

  /// From `inner` outwards.
  std::vector<Frame> Of(const CodeAddress& inner, std::uint32_t caller) const {
    std::vector<Frame> frames;
    if (inner.module < profile_.modules.size()) frames.push_back(FrameAt(inner));
    const std::vector<Caller>& callers = profile_.waits.callers;
    // A parent has a smaller index than its child, so that the walk ends.
    for (std::uint32_t at = caller; at != 0 && at < callers.size(); at = callers[at].parent) {
      if (!callers[at].IsEmpty()) frames.push_back(FrameAt(CallSite(callers[at])));
      if (callers[at].IsCut()) frames.push_back({nullptr, nullptr, kCutName});
    }
    return frames;
  }

  /// The index of the program's own nearest named function; without one, of the first frame outside
  /// the runtime, else of the innermost. frames.size() without any frame.
  static std::size_t OwnOf(const std::vector<Frame>& frames) {
    std::size_t unnamed = frames.size();
    for (std::size_t i = 0; i < frames.size(); ++i) {
      if (frames[i].module == nullptr) continue;
      if (IsRuntimeModule(DisplayName(*frames[i].module))) continue;
      if (IsStandardFunction(frames[i].function)) continue;
      if (IsNamed(frames[i])) return i;
      if (unnamed == frames.size()) unnamed = i;
    }
    if (unnamed != frames.size()) return unnamed;
    return 0;
  }

 private:
  static bool IsNamed(const Frame& frame) {
    const auto source = frame.location->source;
    return source == symbolizer::NameSource::kSymbol || source == symbolizer::NameSource::kPerfMap;
  }
  Frame FrameAt(const CodeAddress& address) const {
    const Module& module = profile_.modules[address.module];
    const symbolizer::Location& location = names_.Of(address);
    std::string name = location.function;
    if (IsNameless(module, location)) name = kAnonymousCode;
    if (name.empty()) name = DisplayName(module);
    return {&location, &module, std::move(name)};
  }

  const Profile& profile_;
  const Names& names_;
};

/// Where and for what a place waits.
struct Placed {
  Frame own;
  WaitKind kind = WaitKind::kUnknown;
  std::vector<std::string> path;  ///< Callers of `own`
};

Placed PlaceOf(const Stacks& stacks, const WaitSite& site) {
  const std::vector<Frame> frames = stacks.Of(InsideOf(site), site.caller);
  Placed placed;
  placed.kind = site.kind;
  const std::size_t own = Stacks::OwnOf(frames);
  if (own >= frames.size()) return placed;
  placed.own = frames[own];
  // The agent knows the objects of glibc; the others are told by the functions that wait.
  for (std::size_t i = 0; site.kind == WaitKind::kFutex && i <= own; ++i) {
    const WaitKind kind = KindOfFunction(frames[i].function);
    if (kind == WaitKind::kUnknown) continue;
    placed.kind = kind;
    break;
  }
  for (std::size_t i = own + 1; i < frames.size(); ++i) {
    // Direct recursion is one step.
    const std::string& name = frames[i].function;
    if (placed.path.empty() ? name != placed.own.function : name != placed.path.back()) {
      placed.path.push_back(name);
    }
  }
  return placed;
}

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
  Sum sum;
  std::map<std::vector<std::string>, Sum> paths;
  std::map<std::pair<std::string, std::uint32_t>, std::uint64_t> lines;
};
struct ThreadSum {
  Sum sum;
  std::map<std::size_t, std::uint64_t> rows;  ///< Time by row
};
struct GroupSum {
  WaitGroup group;
  Sum sum;
  std::vector<RowSum> rows;
  std::map<std::tuple<std::string, std::string, std::string, std::string, std::size_t>, std::size_t>
      row_index;
  std::map<std::uint32_t, ThreadSum> threads;
  std::map<std::size_t, std::uint64_t> waited_for;  ///< Time by lock of the profile
};
struct LockSum {
  LockRow row;
  Sum sum;
  std::uint64_t known = 0;
  std::map<std::tuple<std::string, std::string, std::uint32_t, std::string, bool>, Sum> holders;
};

class Builder {
 public:
  Builder(const Report& report, const Names& names)
      : profile_(report.profile), waits_(profile_.waits), names_(names), stacks_(profile_, names) {}

  WaitTables Run() {
    for (const WaitSite& site : waits_.sites) all_.Add(site);
    PlaceSites();
    AddLocks();
    AddSites();
    AddHolders();
    MarkCritical();
    return Finish();
  }

 private:
  void PlaceSites() {
    for (const WaitSite& site : waits_.sites) placed_.push_back(PlaceOf(stacks_, site));
  }

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
      const std::vector<Frame> frames = stacks_.Of(InsideOf(lock), lock.first_caller);
      const std::size_t own = Stacks::OwnOf(frames);
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
      const Placed& placed = placed_[i];
      GroupSum& group = GroupOf(site.thread);
      WaitRow row;
      row.kind = placed.kind;
      row.call = waits_.machine == 0 ? "" : SystemCallName(waits_.machine, site.system_call);
      row.primitive = WaitWords(placed.kind, site.descriptor, row.call);
      row.function = placed.own.function.empty() ? "[unknown]" : placed.own.function;
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
      const std::vector<Frame> frames = stacks_.Of(InsideOf(holder), holder.caller);
      const std::size_t own = Stacks::OwnOf(frames);
      std::string function;
      std::string module;
      if (own < frames.size()) {
        function = frames[own].function;
        if (frames[own].module != nullptr) module = DisplayName(*frames[own].module);
      }
      std::string name;
      if (holder.thread < profile_.threads.size()) name = profile_.threads[holder.thread].name;
      // Waiting time of others; how it is divided is sampled at each look.
      locks_[lock_of_[holder.lock]]
          .holders[{function, module, holder.tid, name, holder.state == 2}]
          .Add(holder.looks, holder.blocked_ns, 0);
    }
  }

  /// From the main threads along locks and joins to the groups that they wait for.
  void MarkCritical() {
    // By lock of the profile: time by group of the holder.
    std::map<std::size_t, std::map<std::size_t, std::uint64_t>> held;
    for (const WaitHolder& holder : waits_.holders) {
      const auto group = group_of_thread_.find(holder.thread);
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

  static void FinishRow(RowSum& sum, const Sum& whole) {
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
    group.is_idle = !group.is_critical && !group.rows.empty() && WaitsForWork(group.rows[0].kind) &&
                    group.rows[0].cell.share >= kLeastIdle;
    return std::move(group);
  }

  LockRow FinishLock(LockSum& sum) const {
    LockRow& row = sum.row;
    row.cell = CellOf(sum.sum, all_);
    const auto looks = static_cast<double>(sum.sum.looks);
    if (looks > 0) row.known_share = std::min(1.0, static_cast<double>(sum.known) / looks);
    for (const auto& [key, part] : sum.holders) {
      HolderRow holder;
      std::tie(holder.function, holder.module, holder.tid, holder.thread, holder.is_blocked) = key;
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
        if (row.lock != WaitRow::kNoRow) row.lock = place_of[row.lock];
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
  Stacks stacks_;
  Sum all_;
  std::vector<Placed> placed_;        ///< By site
  std::vector<LockSum> locks_;        ///< Rows
  std::vector<std::size_t> lock_of_;  ///< Row by lock of the profile
  std::vector<GroupSum> groups_;
  std::map<std::string, std::size_t> group_index_;
  std::map<std::uint32_t, std::size_t> group_of_thread_;
};

}  // namespace

std::optional<WaitTables> MakeWaits(const Report& report, const Names& names) {
  if (!report.profile.waits.recorded()) return std::nullopt;
  return Builder(report, names).Run();
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
  Sum all;
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
