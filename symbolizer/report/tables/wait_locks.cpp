#include "symbolizer/report/tables/wait_locks.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>

#include "profil/reading/model/saturating.h"
#include "profil/statistics/statistics.h"
#include "symbolizer/report/data/wait_objects.h"
#include "symbolizer/report/wording/wait_words.h"

namespace csink::report {
namespace {

using spool::WaitKind;

/// A condition variable is shown as a lock if one thread alone ran during this part of the time.
constexpr double kLeastOfOneRunner = 0.5;

/// A place where a lock was held: function, module, thread's ID and name, state of HolderRecord.
using HolderKey = std::tuple<std::string, std::string, std::uint32_t, std::string, std::uint32_t>;

/// One row while it is summed up.
struct LockSum {
  LockRow row;
  WaitSum sum;
  std::uint64_t known = 0;  ///< Looks at which the holder was known
  std::map<HolderKey, WaitSum> holders;
};

std::string HexOffset(std::uint64_t address) {
  char text[24];
  std::snprintf(text, sizeof text, "+0x%llx", static_cast<unsigned long long>(address));
  return text;
}

class Builder {
 public:
  Builder(const Profile& profile, const Names& names, const std::vector<WaitPlace>& places,
          const WaitSum& all)
      : profile_(profile),
        waits_(profile.waits),
        names_(names),
        places_(places),
        stacks_(profile, names),
        all_(all) {}

  WaitLocks Run() {
    AddLocks();
    AddHolders();
    std::vector<std::size_t> order(sums_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return sums_[a].sum.ns > sums_[b].sum.ns;
    });
    std::vector<std::size_t> place_of(order.size());
    WaitLocks locks;
    for (std::size_t i = 0; i < order.size(); ++i) {
      place_of[order[i]] = i;
      locks.rows.push_back(Finish(sums_[order[i]]));
    }
    for (const std::size_t sum : sum_of_) locks.row_of.push_back(place_of[sum]);
    return locks;
  }

 private:
  /// What threads that wait for a lock say of it.
  struct Told {
    WaitKind kind = WaitKind::kUnknown;
    const WaitPlace* place = nullptr;  ///< The first one with this kind and WaitPlace::told_by
  };
  std::vector<Told> TellLocks() const {
    std::vector<std::map<WaitKind, std::pair<std::uint64_t, const WaitPlace*>>> times(
        waits_.locks.size());
    for (std::size_t i = 0; i < waits_.sites.size(); ++i) {
      const WaitSite& site = waits_.sites[i];
      if (site.lock >= times.size()) continue;
      auto& [ns, place] = times[site.lock][places_[i].kind];
      AddTo(ns, site.blocked_ns);
      if (place == nullptr && !places_[i].told_by.empty()) place = &places_[i];
    }
    std::vector<Told> told;
    for (std::size_t i = 0; i < times.size(); ++i) {
      // A futex of a look without callers is what the other looks say.
      const auto less = [](const auto& a, const auto& b) {
        if ((a.first == WaitKind::kFutex) != (b.first == WaitKind::kFutex)) {
          return a.first == WaitKind::kFutex;
        }
        return a.second.first < b.second.first;
      };
      const auto most = std::max_element(times[i].begin(), times[i].end(), less);
      told.push_back(most == times[i].end() ? Told{waits_.locks[i].kind, nullptr}
                                            : Told{most->first, most->second.second});
    }
    return told;
  }

  /// What a row says of a lock besides its times.
  LockRow Describe(const WaitLock& lock, WaitKind kind, std::uint64_t address) const {
    LockRow row;
    row.kind = kind;
    row.primitive = WaitWords(kind, spool::DescriptorKind::kUnknown, "futex");
    if (lock.module < profile_.modules.size()) {
      row.name = names_.DataName(lock.module, address);
      row.module = DisplayName(profile_.modules[lock.module]);
      if (row.name.empty()) row.name = row.module + HexOffset(address);
    }
    const std::vector<WaitFrame> frames = stacks_.Of(InsideOf(lock), lock.first_caller);
    const std::size_t own = WaitStacks::OwnOf(frames);
    if (own == frames.size()) return row;
    row.first_function = frames[own].function;
    if (frames[own].location != nullptr) {
      row.first_file = frames[own].location->file;
      row.first_line = frames[own].location->line;
    }
    return row;
  }

  void AddLocks() {
    const std::vector<Told> told = TellLocks();
    for (std::size_t i = 0; i < waits_.locks.size(); ++i) {
      const WaitLock& lock = waits_.locks[i];
      const WaitPlace* place = told[i].place;
      const WaitObject object = ObjectOf(lock, told[i].kind, place == nullptr ? "" : place->told_by,
                                         place == nullptr ? "" : place->told_in);
      const std::size_t row = RowOf(lock, told[i].kind, object);
      sum_of_.push_back(row);
      LockSum& sum = sums_[row];
      sum.sum.Add(lock.looks, lock.blocked_ns, lock.blocked_squared);
      AddTo(sum.row.moments, lock.moments);
      AddTo(sum.known, lock.known_holders);
      sum.row.most_waiters = std::max(sum.row.most_waiters, lock.most_waiters);
    }
  }

  /// The index of the lock's row in sums_. All words of one object have the same row.
  std::size_t RowOf(const WaitLock& lock, WaitKind kind, const WaitObject& object) {
    const std::uint32_t process = lock.module == kNoModule ? lock.process : 0;
    const auto [known, is_new_object] = row_of_object_.emplace(
        std::tuple(lock.module, process, object.address, object.is_known), sums_.size());
    if (!is_new_object) return known->second;
    LockRow row = Describe(lock, kind, object.address);
    const auto key = row.name.empty() ? std::tuple(std::string(), row.first_function,
                                                   row.first_file, row.first_line, row.kind)
                                      : std::tuple(row.name, row.module, std::string(),
                                                   std::uint32_t{0}, row.kind);
    const auto [it, is_new] = row_of_name_.emplace(key, sums_.size());
    if (is_new) {
      sums_.push_back({std::move(row), {}, 0, {}});
    } else if (!object.is_waiters_word) {
      ++sums_[it->second].row.objects;
    }
    known->second = it->second;
    return it->second;
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
      sums_[sum_of_[holder.lock]].holders[{function, module, holder.tid, name, holder.state}].Add(
          holder.looks, holder.blocked_ns, 0);
    }
  }

  LockRow Finish(LockSum& sum) const {
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

  const Profile& profile_;
  const Waits& waits_;
  const Names& names_;
  const std::vector<WaitPlace>& places_;
  WaitStacks stacks_;
  const WaitSum& all_;
  std::vector<LockSum> sums_;  ///< In the order of their first lock
  /// By module, process, address and WaitObject::is_known
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint64_t, bool>, std::size_t>
      row_of_object_;
  /// By name and module, or by the place of the first wait; and by kind
  std::map<std::tuple<std::string, std::string, std::string, std::uint32_t, WaitKind>, std::size_t>
      row_of_name_;
  std::vector<std::size_t> sum_of_;  ///< By lock of the profile
};

/// Part of a lock's waiting time in which one thread alone ran.
double OneRunnerShare(const LockRow& lock) {
  double share = 0;
  for (const HolderRow& holder : lock.holders) {
    if (holder.is_only_runner) share += holder.cell.share;
  }
  return share;
}

}  // namespace

WaitLocks MakeWaitLocks(const Profile& profile, const Names& names,
                        const std::vector<WaitPlace>& places, const WaitSum& all) {
  return Builder(profile, names, places, all).Run();
}

bool KeepsThreadsFromRunning(const LockRow& lock) {
  if (lock.kind == WaitKind::kCondition) return OneRunnerShare(lock) >= kLeastOfOneRunner;
  return Is(kHoldsUp, lock.kind);
}

}  // namespace csink::report
