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

/// User events one table can hold.
inline constexpr std::size_t kMaxUserEvents = 1024;

/// Codes and names -> the newest definition.
/// Owns:    all definitions it was given, to its end; a definition replaced by another of the
///          same name stays readable.
/// Threads: reading is lock-free at any time; Install needs the caller's lock.
class EventIndex {
 public:
  const PresetDefinition* ByCode(std::uint32_t code) const noexcept;
  std::uint32_t CodeOf(std::string_view name) const noexcept;
  std::size_t user_event_count() const noexcept {
    return user_count_.load(std::memory_order_acquire);
  }

  /// Gives `definition` its code, that of its name or a new one, and lets readers see it.
  /// 0: there are kMaxUserEvents already; the definition is dropped.
  std::uint32_t Install(std::unique_ptr<PresetDefinition> definition);

 private:
  static constexpr std::size_t kSlots = 4 * kMaxUserEvents;
  using Pointer = std::atomic<const PresetDefinition*>;

  /// The slot of a user event's name, or the empty slot where it belongs.
  std::size_t SlotOf(std::string_view name) const noexcept;

  Pointer standard_[kStandardPresetCount] = {};
  Pointer user_[kMaxUserEvents] = {};
  std::atomic<std::size_t> user_count_{0};
  /// Open addressing by name; the number of a user event + 1, 0: empty. Names never go.
  std::atomic<std::uint16_t> slots_[kSlots] = {};
  std::vector<std::unique_ptr<PresetDefinition>> owned_;
};

}  // namespace csink
