#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string_view>

#include "compat/papi/faces/layout_72.h"
#include "compat/papi/include/papi.h"
#include "compat/papi/thread_context.h"
#include "core/components/component.h"
#include "core/util/result.h"

namespace csink::papi {

/// The components, and what PAPI keeps for each of them: default domain and granularity, whether
/// the program disabled it, and its description in PAPI's layout. The components themselves belong
/// to ComponentRegistry, which outlives PAPI_shutdown.
/// Threads: any, except where a function says otherwise. Signals: not safe.
class ComponentTable {
 public:
  /// Number of components, at most kMaxComponents.
  int count() noexcept;
  /// The component with this index; nullptr: no such component.
  Component* At(int index) noexcept;
  /// Index of the component with this full name; -1: none.
  int IndexOf(std::string_view name) noexcept;

  /// Description and abilities of a component, which must exist. If the program disabled it: with
  /// that reason. May need a list of all events; the first call can take milliseconds.
  const ComponentInfo& InfoOf(int index);
  /// As InfoOf, without the numbers that need a list of all events (Component::Basics).
  const ComponentInfo& BasicsOf(int index);
  /// Disables a component for PAPI_disable_component.
  void Disable(int index) noexcept;
  /// PAPI_OK; PAPI_ENOCMP; PAPI_ECMP_DISABLED with a message. Asks the component, which may take
  /// milliseconds the first time.
  int CheckUsable(int index);
  /// As CheckUsable, but only looks whether the program disabled the component: takes no time.
  int CheckSwitchedOn(int index);

  /// The PAPI_DOM_* and PAPI_GRN_* with which new sets of a component begin. `index` must be below
  /// count().
  int default_domain(int index) const noexcept { return Get(index).domain.load(); }
  int default_granularity(int index) const noexcept { return Get(index).granularity.load(); }
  void set_default_domain(int index, int domain) noexcept { Get(index).domain.store(domain); }
  void set_default_granularity(int index, int granularity) noexcept {
    Get(index).granularity.store(granularity);
  }
  /// The PAPI_INHERIT_* of new sets whose component can inherit. Only PAPIF_set_inherit changes it.
  int default_inherit() const noexcept { return default_inherit_.load(); }
  void set_default_inherit(int inherit) noexcept { default_inherit_.store(inherit); }
  /// The PAPI_DOM_* bits that the component supports.
  int AvailableDomains(int index);

  /// The description in PAPI 7.0's layout, at an address that never changes; each call writes it
  /// anew. nullptr: no such component. The caller holds the library's lock.
  const PAPI_component_info_t* Describe(int index);
  /// As Describe, in PAPI 7.2's layout.
  const ComponentInfo72* Describe72(int index);

  /// The code of the native event `name`: in the component named before ":::", otherwise in the
  /// first component that knows it (components of devices need the prefix). Errors: those of
  /// Component::Find, with a message (Complaint).
  Result<int> FindNative(std::string_view name);

  /// Restores the defaults, enables all components and closes the events that are kept open.
  void Reset() noexcept;

 private:
  /// Allocated on first use, because it is large.
  struct Description {
    PAPI_component_info_t info = {};
    std::array<std::array<char, PAPI_MIN_STR_LEN>, PAPI_PMU_MAX> pmu_names = {};
  };
  /// `described` and `described_72` are written under the library's lock, the others are atomic.
  struct Entry {
    std::atomic<int> domain{PAPI_DOM_USER};
    std::atomic<int> granularity{PAPI_GRN_THR};
    std::unique_ptr<Description> described;
    std::unique_ptr<ComponentInfo72> described_72;
  };
  Entry& Get(int index) noexcept { return entries_[static_cast<std::size_t>(index)]; }
  const Entry& Get(int index) const noexcept { return entries_[static_cast<std::size_t>(index)]; }
  /// Writes entries_[index].described from the component's present state.
  void Fill(int index);

  std::array<Entry, kMaxComponents> entries_;
  std::atomic<int> default_inherit_{PAPI_INHERIT_NONE};
};

}  // namespace csink::papi
