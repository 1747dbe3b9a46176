#pragma once

#include <utility>

#include "core/counting/presets/preset_definition.h"

/// File: counts how many event sets use a definition. Used by libpapi's event sets
/// (compat/papi/sets/event_set.h).

namespace csink {

/// A reference to a definition by which an event set counts. While a reference exists that is not
/// suspended, the event is in use, and PresetTable::DefineAll does not change it. Copies count as
/// uses of their own; a moved-from object refers to nothing.
/// Owns:    one use of the definition, not the definition itself, which the table owns for its
/// life.
/// Threads: one at a time for each object; the number of uses is atomic. Signals: reading is safe.
class DefinitionUse {
 public:
  DefinitionUse() noexcept = default;
  /// Not explicit, so that an event set can store what a look-up returned. nullptr: no definition.
  DefinitionUse(const PresetDefinition* definition) noexcept : definition_(definition) { Take(); }
  /// A copy of a suspended use is suspended.
  DefinitionUse(const DefinitionUse& other) noexcept
      : definition_(other.definition_), suspended_(other.suspended_) {
    Take();
  }
  /// Passes the use on; the count does not change.
  DefinitionUse(DefinitionUse&& other) noexcept
      : definition_(std::exchange(other.definition_, nullptr)), suspended_(other.suspended_) {}
  /// Copy and swap: the old use ends with `other`.
  DefinitionUse& operator=(DefinitionUse other) noexcept {
    std::swap(definition_, other.definition_);
    std::swap(suspended_, other.suspended_);
    return *this;
  }
  ~DefinitionUse() { Give(); }

  /// Ends the use, so that the event may be redefined. The pointer stays valid; after Resume the
  /// definition may be outdated. A second Suspend has no effect.
  void Suspend() noexcept {
    Give();
    suspended_ = true;
  }
  /// Starts the use again after Suspend. Without a Suspend before it, nothing happens.
  void Resume() noexcept {
    if (!std::exchange(suspended_, false)) return;
    Take();
  }

  /// Whether there is a definition, suspended or not.
  explicit operator bool() const noexcept { return definition_ != nullptr; }
  /// Requires a definition. Valid as long as the table, also while suspended.
  const PresetDefinition* operator->() const noexcept { return definition_; }
  const PresetDefinition* get() const noexcept { return definition_; }

 private:
  /// Relaxed: the count is compared with 0 under the table's lock only, and orders no other data.
  void Take() noexcept {
    if (definition_ && !suspended_) definition_->users_.fetch_add(1, std::memory_order_relaxed);
  }
  /// Ends the use that Take began.
  void Give() noexcept {
    if (definition_ && !suspended_) definition_->users_.fetch_sub(1, std::memory_order_relaxed);
  }

  const PresetDefinition* definition_ = nullptr;
  /// Suspend was called, and Resume not yet: the definition is known but not counted as used.
  bool suspended_ = false;
};

}  // namespace csink
