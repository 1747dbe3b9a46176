#include "agent/threads/unloads.h"

#include <link.h>
#include <sys/auxv.h>

#include <cstring>

#include "agent/process/lasting_objects.h"
#include "core/machine/clocks.h"
#include "core/util/signals_blocked.h"
#include "core/util/thread_id.h"

/// File: the work before and after a dlclose. Before it, samples that wait for a spool are assigned
/// to the library while its mapping exists; in a storm, all samples. After it, in a storm, the
/// mappings are marked as changed.

namespace csink::agent {
namespace {

// An address in the loader's code; 0: the program was started by calling the loader.
std::uint64_t InLoader() noexcept {
  const auto base = static_cast<std::uint64_t>(getauxval(AT_BASE));
  if (base == 0) return 0;
  ElfW(Ehdr) header;
  std::memcpy(&header, reinterpret_cast<const void*>(base), sizeof header);
  return base + header.e_entry;
}

}  // namespace

void Unloads::Count() noexcept {
  if (count_++ % kStormUnloads != 0) return;
  const std::uint64_t now = MonotonicNs();
  if (count_ > 1 && now - since_ns_ < kStormNs) {
    storm_ = true;
    // Code that is never unloaded: the loader, the C library and the program. Most samples of such
    // a program lie there, and must not cause the mappings to be read.
    collector_.set_mapping_records_off(
        {InLoader(), reinterpret_cast<std::uint64_t>(&getauxval), getauxval(AT_ENTRY)});
    rings_.set_record_maps(false);
  }
  since_ns_ = now;
}

// Needs neither the lock nor a system call: if the calling thread is the only one, only it uses its
// rings.
bool Unloads::NothingToTakeOut(const ThreadSlot* slot) noexcept {
  if (!storm_ || !slot || slot->records_mappings || registry_.used() != 1 ||
      registry_.ended() != 0 || collector_.waiting()) {
    return false;
  }
  for (std::size_t event = 0; event < slot->ring_count; ++event) {
    if (slot->rings[event].pending_bytes() != 0) return false;
  }
  return true;
}

void Unloads::Before(ThreadSlot* slot) noexcept {
  if (NothingToTakeOut(slot) || !process_.IsOurProcess()) return;
  const SignalsBlocked quiet;
  // Asked before the collector's lock is taken, because the question takes the loader's lock.
  const MayGo may_go = CodeThatMayGo();
  const pid_t tid = slot ? slot->tid.load(std::memory_order_relaxed) : AskTid();
  if (!slot) slot = registry_.Find(tid);
  if (!slot || collector_.lock().HeldBy(tid)) return;
  collector_.lock().Lock(tid);
  // What is unloaded must be known by then, although no ring told of it.
  if (rings_.LookAtAll()) collector_.ReadMapsAgain();
  if (!storm_) Count();
  const RingBuffer& ring = slot->rings[0];
  const bool has_ring = slot->ring_count > 0;
  // A sample that waits for a spool has no mapping yet. Once the library is gone, none would be
  // found.
  if (storm_ || !spool_.open()) collector_.DrainBeforeUnload(may_go);
  if (storm_) {
    if (has_ring && slot->records_mappings) {
      collector_.DrainSlot(*slot);
      if (!rings_.StopRecordingMaps(*slot, tid)) slot->records_mappings = false;
    }
    // The mapping records of a library that is loaded and unloaded fill the ring, so a ring that is
    // a quarter full is drained now.
  } else if (has_ring && ring.pending_bytes() * 4 > ring.data_bytes()) {
    collector_.DrainAll();
  }
  collector_.lock().Unlock();
}

void Unloads::After() noexcept {
  if (storm_) collector_.MapsMayChange();
}

}  // namespace csink::agent
