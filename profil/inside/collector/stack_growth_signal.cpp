#include "profil/inside/collector/collector.h"

/// File: longer copies of stacks for the threads that need them.

namespace csink {
namespace {

// Samples whose callers were behind the copy, and their least part of a thread's samples, that are
// worth a new event: its larger ring is locked memory.
constexpr std::uint32_t kFewShortStacks = 16;
constexpr std::uint32_t kOneOf = 20;

}  // namespace

void Collector::GrowStack(ThreadSlot& slot) noexcept {
  if (slot.stack_is_final || slot.short_stacks < kFewShortStacks ||
      slot.short_stacks < slot.stack_samples / kOneOf) {
    return;
  }
  // Events with a first period of their own are opened anew soon in any case.
  for (std::size_t i = 0; i < slot.ring_count; ++i) {
    if (!slot.first[i].steady()) return;
  }
  slot.stack_is_final = !rings_.GrowStack(slot, *this);
  slot.short_stacks = slot.stack_samples = 0;
}

}  // namespace csink
