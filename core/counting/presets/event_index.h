#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "core/counting/presets/preset_definition.h"
#include "core/counting/presets/standard_presets.h"

/// File: the look-up of definitions by code and by name, which libpapi does without a lock.

namespace csink {

/// The largest number of user events. The arrays are of fixed size, so that readers without a lock
/// never see them move.
inline constexpr std::size_t kMaxUserEvents = 1024;

/// Maps codes and names to the latest definition. An event keeps its code when its definition is
/// replaced.
/// Owns:    all definitions; a definition that was replaced stays readable until the end, because a
/// reader or an event set may use it.
/// Threads: reading is lock-free at any time; Install needs the caller's lock. Signals: reading is
/// safe.
class EventIndex {
 public:
  /// The latest definition with this code (kPresetMask | index or kUserEventMask | number);
  /// nullptr: there is none, or the bits are no such code.
  const PresetDefinition* ByCode(std::uint32_t code) const noexcept;
  /// The code of a preset, defined or not, or of a user event; 0: the name is neither. Names are
  /// compared with case.
  std::uint32_t CodeOf(std::string_view name) const noexcept;
  /// User events have the numbers 0 to user_event_count() - 1, in the order of their first Install.
  std::size_t user_event_count() const noexcept {
    return user_count_.load(std::memory_order_acquire);
  }

  /// Gives `definition` its code (that of its name, or a new one), makes it visible to readers and
  /// returns the code. The definition must not be changed afterwards. 0: there are kMaxUserEvents
  /// user events already, and the definition is dropped; a known name can still be replaced.
  std::uint32_t Install(std::unique_ptr<PresetDefinition> definition);

 private:
  /// Four slots for each event: a search ends at the next empty slot, and there always is one.
  static constexpr std::size_t kSlots = 4 * kMaxUserEvents;
  using Pointer = std::atomic<const PresetDefinition*>;

  /// The slot of a user event's name, or the empty slot where it would be stored.
  std::size_t SlotOf(std::string_view name) const noexcept;

  /// By index of the preset and by number of the user event; nullptr: not defined.
  Pointer standard_[kStandardPresetCount] = {};
  Pointer user_[kMaxUserEvents] = {};
  std::atomic<std::size_t> user_count_{0};
  /// A hash table with open addressing; a slot holds the number of a user event + 1, 0: empty.
  /// Names are never removed.
  std::atomic<std::uint16_t> slots_[kSlots] = {};
  /// All definitions, also those that were replaced.
  std::vector<std::unique_ptr<PresetDefinition>> owned_;
};

}  // namespace csink
