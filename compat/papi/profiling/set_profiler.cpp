#include "compat/papi/profiling/set_profiler.h"

#include <algorithm>
#include <utility>

#include "compat/papi/sets/event_set.h"
#include "core/util/raw_log.h"
#include "core/util/text.h"

/// File: the three ways to profile a set. Rings are mapped at PAPI_start and unmapped at PAPI_stop,
/// so a stopped set costs no locked memory. Events by the set's overflow handler need nothing here:
/// their hits come through OnHit. The timer is that of a second SetOverflow with forced software.

namespace csink::papi {
namespace {

// CPU time of the counted thread between two drains: so much of a profile may be missing while it
// runs.
constexpr std::uint64_t kDrainStepNs = 100'000'000;
// Without a timer tick (threads of another process) rings are drained by PAPI_read and PAPI_stop
// alone, so they are larger.
constexpr std::size_t kUntickedRingBytes = 1024 * 1024;

}  // namespace

void SetProfiler::Put(ProfiledEvent event) {
  Erase(event.event_code);
  events_.push_back(std::move(event));
}

bool SetProfiler::Erase(int event_code) noexcept {
  return std::erase_if(events_,
                       [=](const ProfiledEvent& e) { return e.event_code == event_code; }) != 0;
}

const ProfiledEvent* SetProfiler::Find(int event_code) const noexcept {
  const auto found = std::find_if(events_.begin(), events_.end(), [=](const ProfiledEvent& e) {
    return e.event_code == event_code;
  });
  return found == events_.end() ? nullptr : &*found;
}

std::size_t SetProfiler::CounterOf(const ProfiledEvent& event) const noexcept {
  return set_.events()[static_cast<std::size_t>(set_.IndexOf(event.event_code))].counters[0];
}

Result<void> SetProfiler::OnStart(CounterSet& counters) {
  if (by_software()) return ArmTimer(counters);
  return MapRings(counters);
}

Result<void> SetProfiler::MapRings(CounterSet& counters) {
  // No ring is needed if the overflow handler delivers all events.
  const bool none = std::all_of(events_.begin(), events_.end(),
                                [](const ProfiledEvent& event) { return event.by_handler; });
  if (none) return {};
  // Fails for a thread of another process, for which no timer can be made.
  const bool ticks =
      tick_.Start(RealKernel(), counters.counted_tid(), kDrainStepNs, Tick, this).has_value();
  for (const ProfiledEvent& event : events_) {
    if (event.by_handler) continue;
    Result<void> mapped =
        rings_.Map(counters.fd(CounterOf(event)), ticks ? kProfileRingBytes : kUntickedRingBytes,
                   event.histogram, event.by_data_address);
    if (!mapped) {
      OnStop();
      return mapped;
    }
  }
  return {};
}

Result<void> SetProfiler::ArmTimer(CounterSet& counters) {
  // The counters are open already; the requests only tell Prepare how many there are.
  std::vector<CounterRequest> requests(counters.size());
  std::vector<OverflowArming> armings;
  for (std::size_t i = 0; i < events_.size(); ++i) {
    OverflowArming& arming = armings.emplace_back();
    arming.counter = CounterOf(events_[i]);
    // At most 64 events, which SwitchOn checks (kMaxSoftwareEvents).
    arming.vector = std::uint64_t{1} << i;
    arming.threshold = events_[i].threshold;
    arming.value = ValueOfEvent;
    arming.formula = &set_.events()[static_cast<std::size_t>(set_.IndexOf(events_[i].event_code))];
  }
  overflow_.Release();
  if (Result<void> prepared =
          overflow_.Prepare(requests, armings, OverflowMode::kForcedSoftware, OnOverflow, this);
      !prepared) {
    return prepared;
  }
  return overflow_.Arm(counters);
}

// Also called by OnStart after a failure and by the destructor, so every step accepts that there
// is nothing to do. Unmap drains for the last time.
void SetProfiler::OnStop() noexcept {
  if (overflow_.prepared()) {
    overflow_.Disarm();
    overflow_.Release();
  }
  tick_.Stop();
  rings_.Unmap();
  ReportLosses();
}

void SetProfiler::ReportLosses() noexcept {
  const RingLosses now = rings_.losses();
  // Only losses since the last report.
  if (now.lost == reported_.lost && now.throttled == reported_.throttled) return;
  Text<256> line;
  line.Add("PAPI_profil: ").Number(now.lost - reported_.lost).Add(" samples were lost");
  if (now.throttled != reported_.throttled) {
    line.Add(", the kernel throttled ").Number(now.throttled - reported_.throttled).Add(" times");
  }
  RawLog(LogLevel::kWarn, line.Add("; use a larger threshold").view());
  reported_ = now;
}

bool SetProfiler::OnRemove(int event_code) noexcept {
  Erase(event_code);
  return !events_.empty();
}

void SetProfiler::ForgetAfterFork() noexcept {
  tick_.ForgetAfterFork();
  overflow_.ForgetAfterFork();
  rings_.ForgetAfterFork();
}

}  // namespace csink::papi
