#pragma once

#include <cstdint>
#include <vector>

#include "profil/reading/model/profile.h"
#include "symbolizer/report/tables/waits.h"

namespace csink::report {

/// A sum of blocked time.
struct WaitSum {
  std::uint64_t looks = 0;
  std::uint64_t ns = 0;
  double squared = 0;  ///< As WaitSite::blocked_squared

  void Add(std::uint64_t more_looks, std::uint64_t more_ns, double more_squared);
  void Add(const WaitSite& site) { Add(site.looks, site.blocked_ns, site.blocked_squared); }
};

/// The blocked time of all threads, exact from their first to their last moment (Profile's
/// WallParts), whether anybody looked at them or not.
struct BlockedTotal {
  std::uint64_t threads = 0;  ///< 0: not known
  double seconds = 0;
  double undivided_seconds = 0;  ///< More that may be blocked time, or waiting for a processor
  bool known() const noexcept { return threads != 0; }
};
/// Not known in a profile of one mark: the times are those of the whole run.
BlockedTotal TotalOf(const Profile& profile);

/// The sum of all sites.
WaitSum SumOf(const std::vector<WaitSite>& sites);

/// A part of `all`, with Wilson's 95 % interval of its share. If all of the time is exact, so is
/// the share.
WaitCell CellOf(const WaitSum& part, const WaitSum& all);

}  // namespace csink::report
