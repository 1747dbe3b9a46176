#include "symbolizer/report/tables/rank_waits.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "profil/model/main_thread.h"
#include "profil/model/saturating.h"
#include "symbolizer/report/tables/function_key.h"
#include "symbolizer/report/tables/wait_places.h"
#include "symbolizer/report/tables/wait_words.h"
#include "symbolizer/report/wording/numbers.h"

namespace csink::report {
namespace {

/// Blocked time of one rank, in one row or in all.
struct Blocked {
  std::uint64_t looks = 0;
  std::uint64_t ns = 0;
  double squared = 0;
  void Add(const WaitSite& site) {
    AddTo(looks, site.looks);
    AddTo(ns, site.blocked_ns);
    squared += site.blocked_squared;
  }
};
using ByRank = std::map<std::uint32_t, Blocked>;

/// The rank of a main thread; -1: another thread, or no rank.
std::int64_t RankOf(const Profile& profile, std::uint32_t thread) {
  if (thread >= profile.threads.size()) return -1;
  const ThreadRow& row = profile.threads[thread];
  if (row.is_merged || !IsMainThread(profile, row)) return -1;
  return profile.processes[row.process].rank;
}

/// The time of a rank in a row. Its division among rows is sampled, all of it together is not.
RankValue ValueOf(std::uint32_t rank, const Blocked& part, const Blocked& all) {
  const double seconds = Seconds(part.ns);
  RankValue value = {rank, seconds, {seconds, seconds}};
  // Looks at a thread that stood still since the look before are exact, and not in the squares.
  if (all.ns > 0 && all.squared > 0) {
    const auto whole = static_cast<double>(all.ns);
    const Interval share =
        WilsonInterval(static_cast<double>(part.ns) / whole, whole * whole / all.squared);
    value.interval.low = share.low * Seconds(all.ns);
    value.interval.high = share.high * Seconds(all.ns);
  }
  return value;
}

}  // namespace

std::vector<RankWait> MakeRankWaits(const Report& report, const Names& names) {
  const Profile& profile = report.profile;
  const Ranks& ranks = profile.ranks;
  if (ranks.rows.size() < 2 || profile.waits.sites.empty()) return {};
  const WaitStacks stacks(profile, names);
  ByRank all;
  std::map<std::tuple<std::string, std::string, bool>, ByRank> rows;
  for (const WaitSite& site : profile.waits.sites) {
    const std::int64_t rank = RankOf(profile, site.thread);
    if (rank < 0) continue;
    const WaitPlace place = PlaceOfWait(stacks, site);
    const bool in_mpi = !place.mpi_call.empty();
    const std::string call = SystemCallName(profile.waits.machine, site.system_call);
    const std::string function = in_mpi                       ? place.mpi_call
                                 : place.own.function.empty() ? "[unknown]"
                                                              : place.own.function;
    const auto key =
        std::tuple(function, in_mpi ? "" : WaitWords(place.kind, site.descriptor, call), in_mpi);
    rows[key][static_cast<std::uint32_t>(rank)].Add(site);
    all[static_cast<std::uint32_t>(rank)].Add(site);
  }
  std::vector<RankWait> waits;
  for (const auto& [key, by_rank] : rows) {
    RankWait wait;
    std::tie(wait.function, wait.primitive, wait.in_mpi) = key;
    bool first = true;
    for (const RankRow& row : ranks.rows) {
      const auto part = by_rank.find(row.rank);
      const Blocked blocked = part == by_rank.end() ? Blocked() : part->second;
      AddTo(wait.looks, blocked.looks);
      const RankValue value = ValueOf(row.rank, blocked, all[row.rank]);
      wait.mean += value.value / static_cast<double>(ranks.rows.size());
      if (first || value.value < wait.least.value) wait.least = value;
      if (first || value.value > wait.most.value) wait.most = value;
      first = false;
    }
    waits.push_back(std::move(wait));
  }
  std::stable_sort(waits.begin(), waits.end(),
                   [](const RankWait& a, const RankWait& b) { return a.mean > b.mean; });
  return waits;
}

}  // namespace csink::report
