#pragma once

#include <utility>

#include "core/presets/preset_definition.h"

namespace csink {

/// A reference to a definition by which an event set counts. While an active (not resting)
/// reference exists, the event is in use, and PresetTable::DefineAll does not change it.
/// Owns:    one use of the definition, not the definition itself, which the table owns for its
///          life.
/// Threads: one at a time for each object; the number of uses is atomic. Signals: reading is safe.
class DefinitionUse {
 public:
  DefinitionUse() noexcept = default;
  DefinitionUse(const PresetDefinition* definition) noexcept : definition_(definition) { Take(); }
  DefinitionUse(const DefinitionUse& other) noexcept
      : definition_(other.definition_), suspended_(other.suspended_) {
    Take();
  }
  DefinitionUse(DefinitionUse&& other) noexcept
      : definition_(std::exchange(other.definition_, nullptr)), suspended_(other.suspended_) {}
  DefinitionUse& operator=(DefinitionUse other) noexcept {
    std::swap(definition_, other.definition_);
    std::swap(suspended_, other.suspended_);
    return *this;
  }
  ~DefinitionUse() { Give(); }

  /// Ends the use, so that the event may be redefined. The pointer stays valid; after Resume the
  /// definition may be outdated.
  void Suspend() noexcept {
    Give();
    suspended_ = true;
  }
  /// Starts the use again after Suspend.
  void Resume() noexcept {
    if (!std::exchange(suspended_, false)) return;
    Take();
  }

  explicit operator bool() const noexcept { return definition_ != nullptr; }
  const PresetDefinition* operator->() const noexcept { return definition_; }
  const PresetDefinition* get() const noexcept { return definition_; }

 private:
  void Take() noexcept {
    if (definition_ && !suspended_) definition_->users_.fetch_add(1, std::memory_order_relaxed);
  }
  void Give() noexcept {
    if (definition_ && !suspended_) definition_->users_.fetch_sub(1, std::memory_order_relaxed);
  }

  const PresetDefinition* definition_ = nullptr;
  bool suspended_ = false;
};

}  // namespace csink
