/// File: PAPI_get_substrate_info: component 0 in PAPI 3.5's structure. Source: its manual.

#include <cstring>

#include "compat/papi/abi35/event_modifiers.h"
#include "compat/papi/boundary/c_boundary.h"
#include "compat/papi/calls/calls.h"
#include "compat/papi/events/component_table.h"
#include "compat/papi/include/papi35_abi.h"
#include "compat/papi/threads/last_error.h"

namespace csink::papi {
namespace {

constexpr int kSubstrate = 0;  // perf_event
constexpr int kNsPerUs = 1000;

void CopyNumbers(const PAPI_component_info_t& from, PAPI_substrate_info_t& to) {
  to.num_cntrs = from.num_cntrs;
  to.num_mpx_cntrs = from.num_mpx_cntrs;
  to.num_preset_events = from.num_preset_events;
  to.num_native_events = from.num_native_events;
  to.default_domain = from.default_domain;
  to.available_domains = from.available_domains;
  to.default_granularity = from.default_granularity;
  to.available_granularities = from.available_granularities;
  to.hardware_intr_sig = from.hardware_intr_sig;
}

// Member by member: bit fields of two structures cannot be copied as a block.
void CopyBits(const PAPI_component_info_t& from, PAPI_substrate_info_t& to) {
  to.hardware_intr = from.hardware_intr;
  to.precise_intr = from.precise_intr;
  to.posix1b_timers = from.posix1b_timers;
  to.kernel_profile = from.kernel_profile;
  to.kernel_multiplex = from.kernel_multiplex;
  to.fast_counter_read = from.fast_counter_read;
  to.fast_real_timer = from.fast_real_timer;
  to.fast_virtual_timer = from.fast_virtual_timer;
  to.attach = from.attach;
  to.attach_must_ptrace = from.attach_must_ptrace;
}

PAPI_substrate_info_t SubstrateOf(const PAPI_component_info_t& from) {
  static_assert(sizeof(PAPI_substrate_info_t::name) == sizeof from.name &&
                sizeof(PAPI_substrate_info_t::version) == sizeof from.version);
  // Fields that stay 0: address ranges, opcode matching and counter groups (Itanium and POWER
  // only), and the signal of the multiplexing timer (the kernel multiplexes).
  PAPI_substrate_info_t to = {};
  std::memcpy(to.name, from.name, sizeof to.name);
  std::memcpy(to.version, from.version, sizeof to.version);
  std::memcpy(to.support_version, from.support_version, sizeof to.support_version);
  std::memcpy(to.kernel_version, from.kernel_version, sizeof to.kernel_version);
  CopyNumbers(from, to);
  CopyBits(from, to);
  to.multiplex_timer_us = TheLibrary().timer.interval_ns.load() / kNsPerUs;
  // PAPI_PROFIL_DATA_EAR: samples contain the data address, if the event delivers one.
  to.profile_ear = from.hardware_intr;
  return to;
}

}  // namespace
}  // namespace csink::papi

const PAPI_substrate_info_t* PAPI_get_substrate_info(void) {
  using namespace csink::papi;
  // One structure for the process; each call writes it anew.
  static PAPI_substrate_info_t info;  // written under the library's lock
  const int code = AtCBoundaryOfLibrary([]() -> int {
    const PAPI_component_info_t* component = GetComponentInfo(kSubstrate);
    if (component == nullptr) return LastFailure();
    // Before the lock is taken: the first event may have to be looked up in libpfm4.
    const EventModifiers modifiers = FindEventModifiers(*Components().At(kSubstrate));
    const LibraryLock held;
    if (!held.held()) return kBusy;
    info = SubstrateOf(*component);
    info.edge_detect = modifiers.edge;
    info.invert = modifiers.invert;
    return PAPI_OK;
  });
  return code == PAPI_OK ? &info : nullptr;
}
