#include "symbolizer/report/tables/wait_sum.h"

#include <algorithm>

#include "profil/reading/model/saturating.h"
#include "profil/statistics/statistics.h"
#include "symbolizer/report/wording/numbers.h"

/// File: see the header.

namespace csink::report {

void WaitSum::Add(std::uint64_t more_looks, std::uint64_t more_ns, double more_squared) {
  // Saturates: the numbers are from files.
  AddTo(looks, more_looks);
  AddTo(ns, more_ns);
  squared += more_squared;
}

BlockedTotal TotalOf(const Profile& profile) {
  BlockedTotal total;
  if (!profile.only_phase.empty()) return total;
  std::uint64_t blocked = 0;
  std::uint64_t undivided = 0;
  for (const ProcessRow& process : profile.processes) {
    if (!process.wall.known()) continue;
    AddTo(total.threads, process.wall.threads);
    AddTo(blocked, process.wall.BlockedNs());
    AddTo(undivided, process.wall.undivided_ns);
  }
  total.seconds = Seconds(blocked);
  total.undivided_seconds = Seconds(undivided);
  return total;
}

WaitSum SumOf(const std::vector<WaitSite>& sites) {
  WaitSum sum;
  for (const WaitSite& site : sites) sum.Add(site);
  return sum;
}

WaitCell CellOf(const WaitSum& part, const WaitSum& all) {
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

}  // namespace csink::report
