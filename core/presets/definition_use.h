#pragma once

#include <utility>

#include "core/presets/preset_definition.h"

namespace csink {

/// A definition that an event set counts by: while anybody holds one of these that does not rest,
/// the event is in use and PresetTable::DefineAll does not change it.
/// Owns:    one count of the definition's uses, not the definition; the table outlives it.
/// Threads: as a pointer; the count itself is atomic. Signals: reading is safe.
class DefinitionUse {
 public:
  DefinitionUse() noexcept = default;
  DefinitionUse(const PresetDefinition* definition) noexcept : definition_(definition) { Take(); }
  DefinitionUse(const DefinitionUse& other) noexcept
      : definition_(other.definition_), rests_(other.rests_) {
    Take();
  }
  DefinitionUse(DefinitionUse&& other) noexcept
      : definition_(std::exchange(other.definition_, nullptr)), rests_(other.rests_) {}
  DefinitionUse& operator=(DefinitionUse other) noexcept {
    std::swap(definition_, other.definition_);
    std::swap(rests_, other.rests_);
    return *this;
  }
  ~DefinitionUse() { Give(); }

  /// The event may be defined anew; the definition stays known, and may be an old one at Wake.
  void Rest() noexcept {
    Give();
    rests_ = true;
  }
  void Wake() noexcept {
    if (!std::exchange(rests_, false)) return;
    Take();
  }

  explicit operator bool() const noexcept { return definition_ != nullptr; }
  const PresetDefinition* operator->() const noexcept { return definition_; }
  const PresetDefinition* get() const noexcept { return definition_; }

 private:
  void Take() noexcept {
    if (definition_ && !rests_) definition_->users_.fetch_add(1, std::memory_order_relaxed);
  }
  void Give() noexcept {
    if (definition_ && !rests_) definition_->users_.fetch_sub(1, std::memory_order_relaxed);
  }

  const PresetDefinition* definition_ = nullptr;
  bool rests_ = false;
};

}  // namespace csink
