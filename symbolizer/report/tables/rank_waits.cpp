#include "symbolizer/report/tables/rank_waits.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "profil/reading/model/main_thread.h"
#include "profil/reading/model/saturating.h"
#include "symbolizer/report/tables/wait_sum.h"
#include "symbolizer/report/wording/numbers.h"

namespace csink::report {
namespace {

/// Blocked time of the ranks, in one row or in all.
using ByRank = std::map<std::uint32_t, WaitSum>;

/// The rank of a main thread; -1: another thread, or no rank.
std::int64_t RankOf(const Profile& profile, std::uint32_t thread) {
  if (thread >= profile.threads.size()) return -1;
  const ThreadRow& row = profile.threads[thread];
  if (row.is_merged || !IsMainThread(profile, row)) return -1;
  return profile.processes[row.process].rank;
}

/// The time of a rank in a row. Its division among rows is sampled, all of it together is not.
RankValue ValueOf(std::uint32_t rank, const WaitSum& part, const WaitSum& all) {
  const WaitCell cell = CellOf(part, all);
  const double whole = Seconds(all.ns);
  return {rank, cell.seconds, {cell.low * whole, cell.high * whole}};
}

}  // namespace

std::vector<RankWait> MakeRankWaits(const Profile& profile, const std::vector<WaitPlace>& places) {
  const Ranks& ranks = profile.ranks;
  if (ranks.rows.size() < 2) return {};
  ByRank all;
  std::map<std::tuple<std::string, std::string, bool>, ByRank> rows;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const WaitSite& site = profile.waits.sites[i];
    const WaitPlace& place = places[i];
    const std::int64_t rank = RankOf(profile, site.thread);
    // Helper threads of MPI are blocked all the time, so only main threads are compared.
    if (rank < 0) continue;
    // In MPI the row is the function of MPI that the program called: the functions inside of MPI
    // mean nothing to the program's author.
    const bool in_mpi = !place.mpi_call.empty();
    const auto key = in_mpi ? std::tuple(place.mpi_call, std::string(), true)
                            : std::tuple(place.own.function, place.primitive, false);
    rows[key][static_cast<std::uint32_t>(rank)].Add(site);
    all[static_cast<std::uint32_t>(rank)].Add(site);
  }
  std::vector<RankWait> waits;
  for (const auto& [key, by_rank] : rows) {
    RankWait wait;
    std::tie(wait.function, wait.primitive, wait.in_mpi) = key;
    // Ranks rise, and only a larger or smaller value replaces the first: of equal ranks the lowest
    // number stays.
    bool first = true;
    for (const RankRow& row : ranks.rows) {
      // A rank that never waited there counts as 0, in the mean and as the least.
      const auto part = by_rank.find(row.rank);
      const WaitSum blocked = part == by_rank.end() ? WaitSum() : part->second;
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
