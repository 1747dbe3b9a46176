#include "profil/inside/collector/pauses.h"
#include "profil/inside/collector/thread_sums.h"

/// File: times of events up to now. The kernel updates the page of an event that counts at ticks
/// only, so what is missing since then is estimated.

namespace csink {
namespace {

// How old the times in an event's page may be: a tick at 100 Hz (10 ms) and its delay on a shared
// machine. Times that are further behind mean that the event had no counter.
constexpr std::uint64_t kMostStaleNs = 15'000'000;

// An event's page shows its times as of the kernel's last update. `due`: CPU time in which the
// event should have counted. What is missing up to now is divided in the ratio of the times before
// it, up to kMostStaleNs; beyond that the event had no counter. `sampled`: the thread has samples.
EventAccount::Totals UpTo(EventAccount::Totals now, std::uint64_t due, bool sampled) noexcept {
  if (now.enabled_ns > due) {  // it ran in pauses, too
    now.running_ns -= now.running_ns < now.enabled_ns - due ? now.running_ns : now.enabled_ns - due;
    now.enabled_ns = due;
  }
  const std::uint64_t behind_ns = due - now.enabled_ns;
  const std::uint64_t fresh_ns = behind_ns < kMostStaleNs ? behind_ns : kMostStaleNs;
  if (now.enabled_ns != 0) {
    const double part = static_cast<double>(now.running_ns) / static_cast<double>(now.enabled_ns);
    now.running_ns += static_cast<std::uint64_t>(static_cast<double>(fresh_ns) * part);
  } else if (sampled) {
    now.running_ns += fresh_ns;  // too young for an update, but it counted
  }
  return now;
}

}  // namespace

std::uint64_t SwitchedOffNs(const ThreadSlot& slot, std::uint64_t cpu_ns) noexcept {
  // A reading from before the switch adds nothing.
  const bool inside = slot.switched_off && cpu_ns > slot.off_from_ns;
  return slot.off_ns + (inside ? cpu_ns - slot.off_from_ns : 0);
}

std::uint64_t DueNs(const ThreadSlot& slot, std::uint64_t cpu_ns) noexcept {
  const std::uint64_t not_due =
      slot.armed_cpu_ns + Pauses::NsOf(slot, cpu_ns) + SwitchedOffNs(slot, cpu_ns);
  return cpu_ns > not_due ? cpu_ns - not_due : 0;
}

void ThreadSums::AddEvents(const RingSource& rings, const ThreadSlot& slot, std::uint64_t due,
                           bool own) noexcept {
  // A CPU timer has no counter whose time could be missing; its samples are compared with the CPU
  // time.
  if (slot.ring_count == 0 && slot.soft != nullptr) return;
  due_ns += due;
  for (std::size_t i = 0; i < slot.account_count && i < rings.columns(); ++i) {
    const EventAccount::Totals now = UpTo(rings.AccountOf(slot, i, own), due, slot.samples != 0);
    EventAccount::Totals& sum = events[i];
    // The event was enabled while it was due, whatever its page shows.
    sum.enabled_ns += due;
    sum.running_ns += now.running_ns;
    sum.throttled_ns += now.throttled_ns < now.running_ns ? now.throttled_ns : now.running_ns;
    sum.unsampled += now.unsampled;
  }
  AddRings(rings, slot);
}

void ThreadSums::AddRings(const RingSource& rings, const ThreadSlot& slot) noexcept {
  // The events before account_count have accounts in the slot, which outlive the rings.
  for (std::size_t i = slot.account_count; i < slot.ring_count && i < rings.columns(); ++i) {
    const EventAccount::Totals now = rings.AccountOf(slot, i, false);
    events[i].enabled_ns += now.enabled_ns;
    events[i].running_ns += now.running_ns;
  }
}

}  // namespace csink
