#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "core/presets/preset_definition.h"
#include "core/presets/standard_presets.h"

namespace csink {

/// The largest number of user events.
inline constexpr std::size_t kMaxUserEvents = 1024;

/// Maps codes and names to the latest definition.
/// Owns:    all definitions; a definition that was replaced stays readable until the end.
/// Threads: reading is lock-free at any time; Install needs the caller's lock. Signals: reading is
///          safe.
class EventIndex {
 public:
  /// The definition with this code; nullptr: there is none.
  const PresetDefinition* ByCode(std::uint32_t code) const noexcept;
  /// The code of a preset or a user event; 0: the name is neither.
  std::uint32_t CodeOf(std::string_view name) const noexcept;
  std::size_t user_event_count() const noexcept {
    return user_count_.load(std::memory_order_acquire);
  }

  /// Gives `definition` its code (that of its name, or a new one), makes it visible to readers and
  /// returns the code. 0: there are kMaxUserEvents user events already, and the definition is
  /// dropped.
  std::uint32_t Install(std::unique_ptr<PresetDefinition> definition);

 private:
  static constexpr std::size_t kSlots = 4 * kMaxUserEvents;
  using Pointer = std::atomic<const PresetDefinition*>;

  /// The slot of a user event's name, or the empty slot where it would be stored.
  std::size_t SlotOf(std::string_view name) const noexcept;

  Pointer standard_[kStandardPresetCount] = {};
  Pointer user_[kMaxUserEvents] = {};
  std::atomic<std::size_t> user_count_{0};
  /// A hash table with open addressing; a slot holds the number of a user event + 1, 0: empty.
  /// Names are never removed.
  std::atomic<std::uint16_t> slots_[kSlots] = {};
  std::vector<std::unique_ptr<PresetDefinition>> owned_;
};

}  // namespace csink
