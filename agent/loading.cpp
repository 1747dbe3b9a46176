#include <link.h>
#include <sys/auxv.h>

#include <cstring>

#include "agent/agent.h"
#include "agent/process/lasting_objects.h"
#include "core/machine/clocks.h"
#include "core/util/signals_blocked.h"

/// File: libraries that go away.
///
/// The rings tell what is mapped, in order with the samples around it. That costs
/// the kernel a microsecond for each mapping, six of them for a library: too much
/// for a program that loads and unloads plugins all day, and a ring full of mappings
/// has no room for samples. Such a program's rings tell nothing any more. Instead all
/// samples are taken out before a library goes, and the first sample after that looks
/// at what is mapped then: order is kept, in other threads, too.

namespace csink::agent {
namespace {

constexpr std::uint64_t kStormUnloads = 64;
constexpr std::uint64_t kStormNs = 250'000'000;

// An address in the loader's code; 0: the program was started by calling the loader.
std::uint64_t InLoader() noexcept {
  const auto base = static_cast<std::uint64_t>(getauxval(AT_BASE));
  if (base == 0) return 0;
  ElfW(Ehdr) header;
  std::memcpy(&header, reinterpret_cast<const void*>(base), sizeof header);
  return base + header.e_entry;
}

}  // namespace

void Agent::CountUnload() noexcept {
  if (unloads_++ % kStormUnloads != 0) return;
  const std::uint64_t now = MonotonicNs();
  if (unloads_ > 1 && now - unloads_since_ns_ < kStormNs) {
    unload_storm_ = true;
    // In such a program most samples fall into these.
    collector_.set_maps_untold(
        {InLoader(), reinterpret_cast<std::uint64_t>(&getauxval), getauxval(AT_ENTRY)});
    rings_.set_tell_maps(false);
  }
  unloads_since_ns_ = now;
}

// Without a lock and a system call: only the thread itself uses its rings where it is the only one.
bool Agent::NothingToTakeOut(const ThreadSlot* slot) noexcept {
  if (!unload_storm_ || !slot || slot->maps_told || registry_.used() != 1 || collector_.waiting()) {
    return false;
  }
  for (std::size_t event = 0; event < slot->ring_count; ++event) {
    if (slot->rings[event].pending_bytes() != 0) return false;
  }
  return true;
}

void Agent::BeforeUnload() noexcept {
  if (!active() || timer_source_ || sandboxed_) return;
  auto* slot = key_made_ ? static_cast<ThreadSlot*>(pthread_getspecific(thread_key_)) : nullptr;
  if (NothingToTakeOut(slot) || !IsOurProcess()) return;
  const SignalsBlocked quiet;
  const MayGo may_go = CodeThatMayGo();
  const pid_t tid = slot ? slot->tid.load(std::memory_order_relaxed) : AskTid();
  if (!slot) slot = registry_.Find(tid);
  if (!slot || collector_.lock().HeldBy(tid)) return;
  collector_.lock().Lock(tid);
  if (!unload_storm_) CountUnload();
  const RingBuffer& ring = slot->rings[0];
  const bool has_ring = slot->ring_count > 0;
  // What waits for a spool has no place yet, and would find none when its library is gone.
  if (unload_storm_ || !spool_.open()) collector_.DrainBeforeUnload(may_go);
  if (unload_storm_) {
    if (has_ring && slot->maps_told) {
      collector_.DrainSlot(*slot);
      if (!rings_.StopTellingMaps(*slot, tid)) slot->maps_told = false;
    }
  } else if (has_ring && ring.pending_bytes() * 4 > ring.data_bytes()) {
    collector_.DrainAll();
  }
  collector_.lock().Unlock();
}

void Agent::AfterUnload() noexcept {
  if (unload_storm_) collector_.MapsMayChange();
}

}  // namespace csink::agent
