#include "profil/reading/reader/timed.h"

#include <algorithm>

#include "profil/reading/reader/bytes.h"

/// File: records with times are kept as they are in the file; only what a reader would use as an
/// index, or take a difference of, is checked.

namespace csink::spool {
namespace {

bool Fits(const Spool& spool, const TimedSampleRecord& sample) {
  if (sample.region >= spool.regions.size()) return false;
  const Region& region = spool.regions[sample.region];
  return (region.flags & kRegionUnknown) != 0 ||
         (sample.pc >= region.start && sample.pc < region.end);
}

/// Removes what `is_bad` is true for; returns whether there was any.
template <class T, class IsBad>
bool Remove(std::vector<T>& records, IsBad&& is_bad) {
  const auto end = std::remove_if(records.begin(), records.end(), is_bad);
  const bool any = end != records.end();
  records.erase(end, records.end());
  return any;
}

}  // namespace

void CheckTimed(Spool& spool) {
  Timed& timed = spool.timed;
  bool damaged = Remove(timed.moments,
                        [](const MomentRecord& moment) { return moment.end_ns < moment.start_ns; });
  damaged |= Remove(timed.samples, [&](const TimedSampleRecord& sample) {
    return sample.event >= spool.header.event_count;
  });
  for (TimedSampleRecord& sample : timed.samples) {
    if (!Fits(spool, sample)) sample.region = kNone;
    if (sample.chain > spool.chains.size()) sample.chain = 0;
  }
  if (damaged && spool.header.state != State::kLive) {
    AddProblem(spool, "some records of waits and samples with their times are damaged");
  }
}

}  // namespace csink::spool
