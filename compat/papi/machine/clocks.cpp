#include "compat/papi/boundary/c_boundary.h"
#include "core/counting/system/cycle_clock.h"

namespace {

long long Signed(std::uint64_t value) noexcept { return static_cast<long long>(value); }

// PAPI's manual: virtual time needs an initialised library (PAPI_ECNFLCT).
bool HasVirtualTime() noexcept {
  if (csink::papi::TheLibrary().ready()) [[likely]] {
    return true;
  }
  csink::papi::Failed(PAPI_ECNFLCT);
  return false;
}

}  // namespace

// Real time never fails, also before PAPI_library_init. Monotonic: PAPI's own library uses
// CLOCK_REALTIME, which can be set back.
long long PAPI_get_real_cyc(void) { return Signed(csink::RealCycles()); }
long long PAPI_get_real_nsec(void) { return Signed(csink::RealNs()); }
long long PAPI_get_real_usec(void) { return Signed(csink::RealNs() / 1000); }

// ns * MHz / 1000: the CPU time in cycles of the highest frequency, not cycles that were executed.
long long PAPI_get_virt_cyc(void) {
  if (!HasVirtualTime()) return PAPI_ECNFLCT;
  return Signed(csink::Scaled(csink::ThreadNs(), csink::HostMhz(), 1000));
}

long long PAPI_get_virt_nsec(void) {
  return HasVirtualTime() ? Signed(csink::ThreadNs()) : PAPI_ECNFLCT;
}

long long PAPI_get_virt_usec(void) {
  return HasVirtualTime() ? Signed(csink::ThreadNs() / 1000) : PAPI_ECNFLCT;
}
