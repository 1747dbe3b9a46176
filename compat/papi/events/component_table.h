#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string_view>

#include "compat/papi/include/papi.h"
#include "compat/papi/threads/thread_context.h"
#include "core/counting/components/component.h"
#include "core/util/result.h"

namespace csink::papi {

/// The components by PAPI's numbers, and what PAPI keeps for each of them: default domain and
/// granularity, and whether the program disabled it. The components themselves belong to
/// ComponentRegistry, which outlives PAPI_shutdown.
///
/// One object (Components()), initialised at compile time. Components are probed by the first call
/// that needs them.
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
  /// Disables a component. `by`: as ComponentRegistry::Disable.
  void Disable(int index, const char* by) noexcept;
  /// Disables those that PAPI_DISABLE_COMPONENTS names, as PAPI 7.3 does: separated by ',' or ':'.
  /// Names that no component has are passed over.
  void DisableByEnvironment();
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

  /// The code of the native event `name`: in the component named before ":::", otherwise in the
  /// first component that knows it (components of devices need the prefix). Errors: those of
  /// Component::Find, with a message (Complaint).
  Result<int> FindNative(std::string_view name);

  /// Restores the defaults, enables all components and closes the events that are kept open.
  void Reset() noexcept;

 private:
  struct Entry {
    std::atomic<int> domain{PAPI_DOM_USER};
    std::atomic<int> granularity{PAPI_GRN_THR};
  };
  Entry& Get(int index) noexcept { return entries_[static_cast<std::size_t>(index)]; }
  const Entry& Get(int index) const noexcept { return entries_[static_cast<std::size_t>(index)]; }

  std::array<Entry, kMaxComponents> entries_;
  std::atomic<int> default_inherit_{PAPI_INHERIT_NONE};
};

/// The PAPI_DOM_* bits of a domain.
int DomainsOf(const CountingDomain& domain) noexcept;

/// The components of this process.
extern constinit ComponentTable g_components [[gnu::visibility("hidden")]];
inline ComponentTable& Components() noexcept { return g_components; }

/// Describes a component in PAPI 7.0's structure, at an address that never changes for a component;
/// each call writes the structure anew. nullptr: no such component. Counts the presets of
/// component 0, which resolves every preset at the first call (milliseconds). Throws
/// std::bad_alloc.
/// Threads: under the library's lock, until the caller has copied what it needs.
/// Signals: not safe.
const PAPI_component_info_t* DescribeComponent(int index);

}  // namespace csink::papi
