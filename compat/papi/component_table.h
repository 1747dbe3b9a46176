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

/// The components with what PAPI keeps beside each: its defaults, whether the program switched it
/// off, and the description in PAPI's own layout.
/// Threads: any. Signals: not safe.
class ComponentTable {
 public:
  int count() noexcept;
  /// nullptr: no such component.
  Component* At(int index) noexcept;
  /// By its full name; -1: none.
  int IndexOf(std::string_view name) noexcept;

  /// What it is and can do; with the reason when the program switched it off. `index` exists.
  const ComponentInfo& InfoOf(int index);
  /// The same without what takes a list of all events to know (Component::Basics).
  const ComponentInfo& BasicsOf(int index);
  /// PAPI_disable_component.
  void Disable(int index) noexcept;
  /// PAPI_OK, PAPI_ENOCMP, or PAPI_ECMP_DISABLED with a sentence. Asks the component, which may
  /// cost milliseconds the first time.
  int CheckUsable(int index);
  /// The same, but only whether the program switched it off: costs nothing.
  int CheckSwitchedOn(int index);

  int default_domain(int index) const noexcept { return Get(index).domain.load(); }
  int default_granularity(int index) const noexcept { return Get(index).granularity.load(); }
  void set_default_domain(int index, int domain) noexcept { Get(index).domain.store(domain); }
  void set_default_granularity(int index, int granularity) noexcept {
    Get(index).granularity.store(granularity);
  }
  /// PAPI_INHERIT_* of sets whose component can inherit; PAPIF_set_inherit alone changes it.
  int default_inherit() const noexcept { return default_inherit_.load(); }
  void set_default_inherit(int inherit) noexcept { default_inherit_.store(inherit); }
  /// PAPI_DOM_* that the component can be asked for.
  int AvailableDomains(int index);

  /// In PAPI's layout, at an address that stays; nullptr: no such component. Under the library's
  /// lock.
  const PAPI_component_info_t* Describe(int index);
  /// The same in PAPI 7.2's layout.
  const ComponentInfo72* Describe72(int index);

  /// The code of a native event by name, in the component named before ":::" or else in the first
  /// that knows it.
  Result<int> FindNative(std::string_view name);

  /// Defaults and switched-off components are as at the start.
  void Reset() noexcept;

 private:
  /// Made when it is asked for: it is large.
  struct Description {
    PAPI_component_info_t info = {};
    std::array<std::array<char, PAPI_MIN_STR_LEN>, PAPI_PMU_MAX> pmu_names = {};
  };
  struct Entry {
    std::atomic<int> domain{PAPI_DOM_USER};
    std::atomic<int> granularity{PAPI_GRN_THR};
    std::unique_ptr<Description> described;
    std::unique_ptr<ComponentInfo72> described_72;
  };
  Entry& Get(int index) noexcept { return entries_[static_cast<std::size_t>(index)]; }
  const Entry& Get(int index) const noexcept { return entries_[static_cast<std::size_t>(index)]; }
  void Fill(int index);

  std::array<Entry, kMaxComponents> entries_;
  std::atomic<int> default_inherit_{PAPI_INHERIT_NONE};
};

}  // namespace csink::papi
