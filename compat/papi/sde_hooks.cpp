#include "compat/papi/sde_hooks.h"

#include "core/components/sde/sde_component.h"

/// File: libsde's calls, passed to the component sde. libsde finds the functions by name
/// (libsde.so) or by the two pointers (libsde.a), so neither library depends on the other.

void papi_sde_check_overflow_status(std::uint32_t number, long long latest) {
  csink::sde::Counted(number, latest);
}

int papi_sde_set_timer_for_overflow(void) {
  csink::sde::LookAtVariables();
  return 0;
}

void (*papi_sde_check_overflow_status_ptr)(std::uint32_t,
                                           long long) = papi_sde_check_overflow_status;
int (*papi_sde_set_timer_for_overflow_ptr)(void) = papi_sde_set_timer_for_overflow;
