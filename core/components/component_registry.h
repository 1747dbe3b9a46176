#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <mutex>
#include <string_view>

#include "core/components/component.h"
#include "core/components/perf_event_component.h"

namespace csink {

/// The components of this library, in a fixed order: programs remember their numbers.
///
/// To add one: a member, and its place in the list of the constructor.
/// Threads: any. Signals: not safe.
class ComponentRegistry {
 public:
  static constexpr std::size_t kCount = 3;

  ComponentRegistry(Kernel& kernel, NativeCatalogue& catalogue);
  /// The process's.
  static ComponentRegistry& Get();

  std::size_t size() const noexcept { return kCount; }
  /// nullptr: there is no such number.
  Component* at(std::size_t index) noexcept;
  /// The number of the component of that name; -1: there is none.
  int IndexOf(std::string_view name) const noexcept;

  /// What the component is and can do; with the reason if somebody has disabled it. `index` < size.
  const ComponentInfo& Info(std::size_t index);

  /// The user does not want it: its events are then refused. False: there is no such number.
  /// Takes effect also when Info was asked before.
  bool Disable(std::size_t index) noexcept;
  void EnableAll() noexcept;
  bool disabled_by_user(std::size_t index) const noexcept {
    return index < kCount && disabled_[index].load(std::memory_order_acquire);
  }

 private:
  PerfEventComponent perf_event_;
  PerfEventComponent perf_event_uncore_;
  std::unique_ptr<Component> sysdetect_;
  std::array<Component*, kCount> components_;
  std::array<std::atomic<bool>, kCount> disabled_{};
  std::array<std::once_flag, kCount> disabled_once_;
  std::array<ComponentInfo, kCount> disabled_info_;
};

}  // namespace csink
