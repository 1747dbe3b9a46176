#include "symbolizer/report/tables/wait_verdict.h"

#include <algorithm>
#include <cstring>

#include "symbolizer/report/tables/wait_sum.h"
#include "symbolizer/report/verdict/chain_grade.h"
#include "symbolizer/report/wording/numbers.h"

namespace csink::report {
namespace {

/// A smaller part of the blocked time that may also be other time is not mentioned.
constexpr double kNotedShare = 0.01;

}  // namespace

std::vector<std::string> WaitVerdict(const Profile& profile) {
  const Waits& waits = profile.waits;
  if (!waits.recorded()) return {};
  const spool::WaitObserver& observer = waits.observer;
  const WaitSum all = SumOf(waits.sites);
  std::vector<std::string> lines;
  std::string line = "waiting: " + Count(all.looks, "look", "looks") +
                     " at blocked threads divide " + Duration(Seconds(all.ns));
  const BlockedTotal total = TotalOf(profile);
  if (total.seconds > 0) {
    const double rest = std::max(0.0, total.seconds - Seconds(all.ns));
    line += ", " + Percent(std::min(1.0, Seconds(all.ns) / total.seconds)) + " of the " +
            Duration(total.seconds) + " for which " + Count(total.threads, "thread", "threads") +
            (total.threads == 1 ? " was" : " were") + " blocked; not looked at: " + Duration(rest);
    if (total.undivided_seconds >= kNotedShare * total.seconds) {
      line += ", and what is blocked of " + Duration(total.undivided_seconds) + " not divided";
    }
  } else if (observer.blocked_ns > 0 && profile.only_phase.empty()) {
    // Older spools have only the time of the threads that were looked at.
    const double seen = static_cast<double>(all.ns) / static_cast<double>(observer.blocked_ns);
    line += ", " + Percent(std::min(1.0, seen)) + " of their blocked time";
  }
  if (observer.cpu_ns > 0) line += "; observing cost " + Duration(Seconds(observer.cpu_ns));
  lines.push_back(line);
  const auto part = [&](std::uint64_t looks) {
    return observer.looks == 0 ? 0
                               : static_cast<double>(looks) / static_cast<double>(observer.looks);
  };
  // Spools of older agents: newer ones have the ends of chains (GradeChains).
  if (part(observer.cut) >= 0.01 && !GradeChains(profile, /*of_looks=*/true)) {
    lines.push_back("waiting: the call chains of " + Percent(part(observer.cut)) +
                    " of the looks are cut; the causes were not recorded");
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
