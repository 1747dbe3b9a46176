#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <map>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "core/counting/components/component.h"
#include "core/counting/components/perf_event/perf_event_component.h"
#include "core/util/futex_lock.h"

/// File: all components of the process. A component's number is its place in this list.

namespace csink {

/// The components of this library, in a fixed order: programs store their numbers, which are part
/// of event codes.
///
/// A new component is added in the constructor's list, at its end. Constructing a component opens
/// nothing; probing begins with Info, Find or a counter set.
///   ComponentRegistry& all = ComponentRegistry::Get();
///   const int rapl = all.IndexOf("rapl");
///   if (rapl >= 0) set = all.at(rapl)->MakeCounterSet();
/// Owns:    the components. Threads: any. Signals: not safe.
class ComponentRegistry {
 public:
  /// The most components. The arrays have a fixed size, so that they are read without a lock.
  static constexpr std::size_t kMost = 20;

  /// kernel and catalogue must outlive the registry. For tests; programs use Get.
  ComponentRegistry(Kernel& kernel, NativeCatalogue& catalogue);
  /// The registry of the process, made at the first call and never destroyed.
  static ComponentRegistry& Get();
  /// In a forked child, before the components' sets: connections to devices belong to the parent.
  /// Does nothing where Get was never called.
  static void ForgetAfterFork() noexcept;

  std::size_t size() const noexcept { return components_.size(); }
  /// The component with this number; nullptr: there is none.
  Component* at(std::size_t index) noexcept;
  /// The number of the component with this name, in exact case; -1: there is none.
  int IndexOf(std::string_view name) const noexcept;

  /// The component's Info; for one that the program has disabled, its name and that reason. `index`
  /// must be below size().
  const ComponentInfo& Info(std::size_t index);
  /// The same by Component::Basics, without the values that need a list of all events.
  const ComponentInfo& Basics(std::size_t index) {
    return disabled_by_user(index) ? Info(index) : components_[index]->Basics();
  }

  /// Disables a component for the program (PAPI_disable_component): its events are refused by
  /// libpapi. Takes effect also after Info was called. `by` is a part of the reason that is shown,
  /// "the program (PAPI_disable_component)"; it must live as long as the process. Returns false if
  /// there is no such number.
  bool Disable(std::size_t index, const char* by) noexcept;
  /// Ends all Disable, as at PAPI_shutdown.
  void EnableAll() noexcept;
  bool disabled_by_user(std::size_t index) const noexcept {
    return index < size() && disabled_by_[index].load(std::memory_order_acquire) != nullptr;
  }

 private:
  std::vector<std::unique_ptr<Component>> components_;
  /// Who disabled the component; nullptr: nobody.
  std::array<std::atomic<const char*>, kMost> disabled_by_{};
  /// What Info returns of disabled components, by number and by who disabled them. References to
  /// them are handed out, so none is ever changed.
  std::map<std::pair<std::size_t, const char*>, ComponentInfo> disabled_info_;
  FutexLock disabled_lock_;
};

}  // namespace csink
