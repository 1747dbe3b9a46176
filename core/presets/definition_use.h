#pragma once

#include <utility>

#include "core/presets/preset_definition.h"

namespace csink {

/// A definition that an event set counts by: while anybody holds one of these, the event is in use
/// and PresetTable::DefineAll does not change it.
/// Owns:    one count of the definition's uses, not the definition; the table outlives it.
/// Threads: as a pointer; the count itself is atomic. Signals: reading is safe.
class DefinitionUse {
 public:
  DefinitionUse() noexcept = default;
  DefinitionUse(const PresetDefinition* definition) noexcept : definition_(definition) { Take(); }
  DefinitionUse(const DefinitionUse& other) noexcept : DefinitionUse(other.definition_) {}
  DefinitionUse(DefinitionUse&& other) noexcept
      : definition_(std::exchange(other.definition_, nullptr)) {}
  DefinitionUse& operator=(DefinitionUse other) noexcept {
    std::swap(definition_, other.definition_);
    return *this;
  }
  ~DefinitionUse() {
    if (definition_) definition_->users_.fetch_sub(1, std::memory_order_relaxed);
  }

  explicit operator bool() const noexcept { return definition_ != nullptr; }
  const PresetDefinition* operator->() const noexcept { return definition_; }

 private:
  void Take() noexcept {
    if (definition_) definition_->users_.fetch_add(1, std::memory_order_relaxed);
  }

  const PresetDefinition* definition_ = nullptr;
};

}  // namespace csink
