/// File: functions about components, and the functions that libsde calls.

#include <cstdint>

#include "compat/papi/boundary/c_boundary.h"
#include "compat/papi/boundary/library_state.h"
#include "compat/papi/calls/calls.h"
#include "compat/papi/events/component_table.h"
#include "compat/papi/events/event_codes.h"
#include "compat/papi/events/preset_events.h"
#include "compat/papi/sets/event_set_table.h"
#include "core/counting/components/sde/sde_component.h"

using csink::papi::AtCBoundary;
using csink::papi::AtCBoundaryOfLibrary;
using csink::papi::Components;
using csink::papi::EventSet;
using csink::papi::Sets;
using csink::papi::TheLibrary;

namespace {

/// Components can be disabled before PAPI_library_init only: a component that was opened cannot be
/// closed again.
int SwitchOff(int index) {
  if (Components().At(index) == nullptr) return PAPI_ENOCMP;
  if (TheLibrary().ready()) {
    return csink::papi::Complain(PAPI_ENOINIT,
                                 "PAPI_disable_component must be called before PAPI_library_init");
  }
  Components().Disable(index, "the program (PAPI_disable_component)");
  return PAPI_OK;
}

}  // namespace

/// The list is fixed, so it can be read before PAPI_library_init.
int PAPI_num_components(void) { return Components().count(); }

/// Works before PAPI_library_init. The lock protects the structure, which each call writes anew.
const PAPI_component_info_t* csink::papi::GetComponentInfo(int component) noexcept {
  const PAPI_component_info_t* info = nullptr;
  AtCBoundary([&] {
    const LibraryLock held;
    if (!held.held()) return kBusy;
    info = DescribeComponent(component);
    return info ? PAPI_OK : PAPI_ENOCMP;
  });
  return info;
}

int PAPI_get_component_index(const char* name) {
  return AtCBoundary([&] {
    if (name == nullptr) return PAPI_EINVAL;
    const int index = Components().IndexOf(name);
    return index < 0 ? PAPI_ENOCMP : index;
  });
}

int PAPI_disable_component(int cidx) {
  return AtCBoundary([&] { return SwitchOff(cidx); });
}

int PAPI_disable_component_by_name(const char* name) {
  return AtCBoundary([&] { return name ? SwitchOff(Components().IndexOf(name)) : PAPI_EINVAL; });
}

int PAPI_num_cmp_hwctrs(int cidx) {
  if (!TheLibrary().ready()) return 0;  // 0 instead of an error: PAPI's documentation
  return csink::papi::GetComponentOption(PAPI_MAX_HWCTRS, nullptr, cidx);
}

int PAPI_num_hwctrs(void) { return PAPI_num_cmp_hwctrs(0); }

int PAPI_get_event_component(int EventCode) {
  return AtCBoundaryOfLibrary([&]() -> int {
    switch (csink::papi::FamilyOf(EventCode)) {
      case csink::papi::EventFamily::kNative: {
        // From the code alone; whether the event exists is not asked.
        const int index = csink::papi::NativeComponent(EventCode);
        return Components().At(index) ? index : PAPI_ENOEVNT;
      }
      case csink::papi::EventFamily::kPreset:
      case csink::papi::EventFamily::kUser: {
        // A preset that this machine cannot count belongs to component 0, as all presets do.
        const auto preset = csink::papi::Presets().Find(EventCode);
        return preset && preset->component >= 0 ? preset->component : 0;
      }
      case csink::papi::EventFamily::kNone:
        break;
    }
    return PAPI_ENOEVNT;
  });
}

int PAPI_get_eventset_component(int handle) {
  return AtCBoundaryOfLibrary([&]() -> int {
    const EventSet* set = Sets().Find(handle);
    if (set == nullptr) return PAPI_ENOEVST;
    return set->component() < 0 ? PAPI_ENOCMP : set->component();
  });
}

int PAPI_assign_eventset_component(int handle, int cidx) {
  return AtCBoundaryOfLibrary([&]() -> int {
    EventSet* set = Sets().Find(handle);
    if (set == nullptr) return PAPI_ENOEVST;
    if (Components().At(cidx) == nullptr) return PAPI_ENOCMP;
    if (set->component() >= 0) {
      return csink::papi::Complain(PAPI_EINVAL, "the event set has a component already");
    }
    // Asks the component, unlike PAPI_add_event: a program that names a component wants to know
    // now.
    const int usable = Components().CheckUsable(cidx);
    if (usable == PAPI_OK) set->Bind(cidx);
    return usable;
  });
}

// ---- libsde -------------------------------------------------------------------------------------
// libsde.so.1 looks the functions up by name when a library calls papi_sde_init; libsde.a takes
// them from the two pointers. So neither library depends on the other. They stand in this file
// because a program that links libpapi.a refers to none of them: the linker takes them with the
// rest. Source of names and arguments: Debian's libsde1 and libsde.a 7.0.0, found by nm and by
// tracing the calls. Threads: any. Signals: as safe as libsde and the program's overflow handler
// are.

#pragma GCC visibility push(default)
extern "C" {

/// Called by libsde when a created counter (papi_sde_create_counter) has changed to `latest`, in
/// the thread that counts. libsde 7.0.0 holds its lock during the call.
void papi_sde_check_overflow_status(std::uint32_t number, long long latest) {
  csink::sde::Counted(number, latest);
}

/// Called by libsde when an event with an overflow threshold is registered as a variable of the
/// library. Returns 0.
int papi_sde_set_timer_for_overflow(void) {
  csink::sde::LookAtVariables();
  return 0;
}

/// The same functions for libsde.a. Initialised statically.
void (*papi_sde_check_overflow_status_ptr)(std::uint32_t,
                                           long long) = papi_sde_check_overflow_status;
int (*papi_sde_set_timer_for_overflow_ptr)(void) = papi_sde_set_timer_for_overflow;
}
#pragma GCC visibility pop
