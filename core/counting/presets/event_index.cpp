#include "core/counting/presets/event_index.h"

#include "core/counting/presets/name_hash.h"

namespace csink {

const PresetDefinition* EventIndex::ByCode(std::uint32_t code) const noexcept {
  // The user mask contains the preset mask's bit, so it is compared first.
  if ((code & kUserEventMask) == kUserEventMask) {
    const std::uint32_t number = code & ~kUserEventMask;
    return number < kMaxUserEvents ? user_[number].load(std::memory_order_acquire) : nullptr;
  }
  const std::uint32_t index = code & ~kPresetMask;
  if ((code & kPresetMask) == 0 || index >= kStandardPresetCount) return nullptr;
  return standard_[index].load(std::memory_order_acquire);
}

std::size_t EventIndex::SlotOf(std::string_view name) const noexcept {
  // Linear probing. Acquire pairs with the release in Install: a reader that sees a number also
  // sees the definition with that number.
  std::size_t at = NameHash(name) % kSlots;
  while (true) {
    const std::uint16_t number = slots_[at].load(std::memory_order_acquire);
    if (number == 0 || user_[number - 1].load(std::memory_order_acquire)->name == name) return at;
    at = (at + 1) % kSlots;
  }
}

std::uint32_t EventIndex::CodeOf(std::string_view name) const noexcept {
  const std::size_t index = StandardPresetIndex(name);
  if (index < kStandardPresetCount) return kPresetMask | static_cast<std::uint32_t>(index);
  // Most programs have no user events, and most names are natives.
  if (user_event_count() == 0) return 0;
  const std::uint16_t number = slots_[SlotOf(name)].load(std::memory_order_acquire);
  return number == 0 ? 0 : kUserEventMask | (number - 1u);
}

std::uint32_t EventIndex::Install(std::unique_ptr<PresetDefinition> definition) {
  // A later definition of the same name replaces the pointer; readers have either the old one or
  // the new one.
  const std::size_t index = StandardPresetIndex(definition->name);
  if (index < kStandardPresetCount) {
    definition->code = kPresetMask | static_cast<std::uint32_t>(index);
    // Kept before it becomes visible: the list may throw for lack of memory.
    standard_[index].store(owned_.emplace_back(std::move(definition)).get(),
                           std::memory_order_release);
  } else {
    const std::size_t slot = SlotOf(definition->name);
    std::size_t number = slots_[slot].load(std::memory_order_relaxed);
    // Relaxed: only Install changes these, under the caller's lock.
    const std::size_t count = user_count_.load(std::memory_order_relaxed);
    if (number == 0 && count == kMaxUserEvents) return 0;
    const bool is_new = number == 0;
    if (is_new) number = count + 1;
    definition->code = kUserEventMask | static_cast<std::uint32_t>(number - 1);
    // The definition is stored before its name becomes visible: a reader that finds the name reads
    // the definition's name.
    user_[number - 1].store(owned_.emplace_back(std::move(definition)).get(),
                            std::memory_order_release);
    if (is_new) {
      slots_[slot].store(static_cast<std::uint16_t>(number), std::memory_order_release);
      user_count_.store(count + 1, std::memory_order_release);
    }
  }
  return owned_.back()->code;
}

}  // namespace csink
