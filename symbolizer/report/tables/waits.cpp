#include "symbolizer/report/tables/waits.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "profil/reading/model/main_thread.h"
#include "profil/reading/model/openmp_runtime.h"
#include "profil/reading/model/saturating.h"
#include "symbolizer/report/tables/names.h"
#include "symbolizer/report/tables/report.h"
#include "symbolizer/report/tables/wait_locks.h"
#include "symbolizer/report/tables/wait_places.h"
#include "symbolizer/report/tables/wait_sum.h"
#include "symbolizer/report/wording/library_code.h"
#include "symbolizer/report/wording/numbers.h"
#include "symbolizer/report/wording/shorten.h"
#include "symbolizer/report/wording/thread_function.h"
#include "symbolizer/report/wording/wait_words.h"

/// File: sums the places of waiting threads. Each place is first turned into a row of a group: the
/// program's own function on its stack, and what it waits for, which for futexes the inner
/// functions tell. Then the groups are marked critical or idle and put in order.

namespace csink::report {
namespace {

using spool::WaitKind;

/// The group of a thread, by name.
std::string GroupName(const Profile& profile, const Names& names, std::uint32_t thread) {
  if (thread >= profile.threads.size()) return "threads without a record";
  const ThreadRow& row = profile.threads[thread];
  if (row.is_merged) return "threads without a record";
  if (IsMainThread(profile, row)) return "main thread";
  // What a thread of libomp runs changes with each parallel region.
  const std::uint32_t module = row.start_routine.module;
  if (module < profile.modules.size() && IsOpenMpRuntime(profile.modules[module].path)) {
    return "threads of " + BaseName(profile.modules[module].path);
  }
  const std::string routine = names.RoutineName(row.start_routine);
  const bool is_java = IsHotSpotStart(routine) && !row.name.empty();
  if (is_java) return "threads named " + NameWithoutNumber(row.name);
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
class Builder {
 public:
  Builder(const Report& report, const Names& names, const std::vector<WaitPlace>& places)
      : profile_(report.profile),
        waits_(profile_.waits),
        names_(names),
        all_(SumOf(waits_.sites)),
        placed_(places),
        locks_(MakeWaitLocks(profile_, names, places, all_)) {}

  WaitTables Run() {
    AddSites();
    MarkCritical();
    return Finish();
  }

 private:
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
      row.lock = site.lock < locks_.row_of.size() ? locks_.row_of[site.lock] : WaitRow::kNoRow;
      // Other looks with callers say what this word belongs to.
      if (row.kind == WaitKind::kFutex && row.lock != WaitRow::kNoRow) {
        row.kind = locks_.rows[row.lock].kind;
        row.primitive = locks_.rows[row.lock].primitive;
      }
      const auto [it, is_new] = group.row_index.emplace(
          std::tuple(row.function, row.module, row.primitive, row.call, row.lock),
          group.rows.size());
      if (is_new) group.rows.push_back({std::move(row), {}, {}, {}});
      RowSum& sum = group.rows[it->second];
      sum.sum.Add(site);
      sum.row.longest_seconds = std::max(sum.row.longest_seconds, Seconds(site.longest_ns));
      sum.paths[placed.path].Add(site);
      if (placed.own.location != nullptr && placed.own.location->line != 0) {
        Position line = OwnPosition(*placed.own.location);
        if (line.second == 0) line = {placed.own.location->file, placed.own.location->line};
        AddTo(sum.lines[std::move(line)], site.blocked_ns);
      }
      group.sum.Add(site);
      ThreadSum& thread = group.threads[site.thread];
      thread.sum.Add(site);
      AddTo(thread.rows[it->second], site.blocked_ns);
      if (site.lock < waits_.locks.size()) AddTo(group.waited_for[site.lock], site.blocked_ns);
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
      if (Is(kForWork, row.kind)) shares[PlaceOf(row)] += row.cell.share;
    }
    for (std::size_t i = 0; i < group.rows.size(); ++i) {
      const WaitRow& row = group.rows[i];
      if (!Is(kForWork, row.kind) || shares[PlaceOf(row)] < kLeastIdle) continue;
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

  WaitTables Finish() {
    WaitTables tables;
    tables.blocked_seconds = Seconds(all_.ns);
    tables.looks = all_.looks;
    const BlockedTotal total = TotalOf(profile_);
    tables.all_threads = total.threads;
    tables.all_blocked_seconds = total.seconds;
    tables.undivided_seconds = total.undivided_seconds;
    if (total.known()) {
      tables.not_looked_seconds = std::max(0.0, total.seconds - tables.blocked_seconds);
    }
    const auto whole = static_cast<double>(all_.ns);
    tables.effective_looks =
        all_.squared > 0 ? whole * whole / all_.squared : static_cast<double>(all_.looks);
    tables.locks = std::move(locks_.rows);
    for (GroupSum& sum : groups_) {
      tables.groups.push_back(FinishGroup(sum));
      for (const WaitRow& row : tables.groups.back().rows) {
        if (row.lock == WaitRow::kNoRow) continue;
        LockRow& lock = tables.locks[row.lock];
        const bool is_queue = lock.kind == WaitKind::kCondition && tables.groups.back().is_idle;
        if (!is_queue && KeepsThreadsFromRunning(lock)) lock.is_lock = true;
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
  WaitSum all_;
  const std::vector<WaitPlace>& placed_;  ///< By site
  WaitLocks locks_;
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

}  // namespace csink::report
