#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include "core/components/component.h"
#include "core/components/perf_event/perf_event_component.h"

namespace csink {

/// The components of this library, in a fixed order: programs remember their numbers.
///
/// To add one: its place in the list of the constructor. Making one opens nothing.
/// Threads: any. Signals: not safe.
class ComponentRegistry {
 public:
  static constexpr std::size_t kMost = 16;

  ComponentRegistry(Kernel& kernel, NativeCatalogue& catalogue);
  /// The process's.
  static ComponentRegistry& Get();
  /// In a forked child, before the sets of the components: connections to devices are the parent's.
  static void ForgetAfterFork() noexcept;

  std::size_t size() const noexcept { return components_.size(); }
  /// nullptr: there is no such number.
  Component* at(std::size_t index) noexcept;
  /// The number of the component of that name; -1: there is none.
  int IndexOf(std::string_view name) const noexcept;

  /// What the component is and can do; with the reason if somebody has disabled it. `index` < size.
  const ComponentInfo& Info(std::size_t index);
  /// The same without what takes a list of all events to know (Component::Basics).
  const ComponentInfo& Basics(std::size_t index) {
    return disabled_by_user(index) ? Info(index) : components_[index]->Basics();
  }

  /// The user does not want it: its events are then refused. False: there is no such number.
  /// Takes effect also when Info was asked before.
  bool Disable(std::size_t index) noexcept;
  void EnableAll() noexcept;
  bool disabled_by_user(std::size_t index) const noexcept {
    return index < size() && disabled_[index].load(std::memory_order_acquire);
  }

 private:
  std::vector<std::unique_ptr<Component>> components_;
  std::array<std::atomic<bool>, kMost> disabled_{};
  std::array<std::once_flag, kMost> disabled_once_;
  std::array<ComponentInfo, kMost> disabled_info_;
};

}  // namespace csink
