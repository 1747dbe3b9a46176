#include "symbolizer/commands/load/sample_counts.h"

#include <algorithm>

#include "profil/reading/model/saturating.h"

namespace csink::tool {

std::uint64_t MissedSamples(const Profile& profile) {
  // About the agent's default period (core/events/event_spec.h).
  constexpr std::uint64_t kUsualPeriodNs = 1'000'000;
  std::uint64_t missed_ns = 0;
  for (const ProcessRow& process : profile.processes) {
    AddTo(missed_ns, process.lost_ns[static_cast<std::size_t>(spool::Loss::kNoRing)]);
    AddTo(missed_ns, process.lost_ns[static_cast<std::size_t>(spool::Loss::kShortThread)]);
    AddTo(missed_ns, process.unseen_ns);
  }
  return missed_ns / kUsualPeriodNs;
}

std::uint64_t MostSamples(const Profile& profile) {
  std::uint64_t samples = 0;
  for (const EventTotals& event : profile.events) samples = std::max(samples, event.samples);
  return samples;
}

std::uint64_t LooksAtWaits(const Profile& profile) {
  std::uint64_t looks = 0;
  for (const WaitSite& site : profile.waits.sites) AddTo(looks, site.looks);
  return looks;
}

}  // namespace csink::tool
