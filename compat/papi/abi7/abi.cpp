/// File: the functions that libpapi.so.7.1 to libpapi.so.7.3 translate, compiled once for each
/// version (CSINK_PAPI_ABI) with that version's papi.h. Each passes the version and the return
/// address to the core (libpapi.so.7.0), which does the translation.
#include <papi.h>

#include "compat/fortran/spellings.h"
#include "compat/papi/abi7/abi_calls.h"

static_assert(PAPI_VERSION_MAJOR(PAPI_VERSION) * 10 + PAPI_VERSION_MINOR(PAPI_VERSION) ==
              CSINK_PAPI_ABI);

namespace {

// The loader runs the constructors of a library before those of the modules that need it, so the
// core knows of the ABI before such a module can call it.
[[gnu::constructor]] void SayLoaded() { papi_abi_loaded(CSINK_PAPI_ABI); }

}  // namespace

int PAPI_library_init(int version) {
  return papi_abi_library_init(CSINK_PAPI_ABI, __builtin_return_address(0), version);
}

int PAPI_get_opt(int option, PAPI_option_t* ptr) {
  return papi_abi_get_opt(CSINK_PAPI_ABI, __builtin_return_address(0), option, ptr);
}

int PAPI_get_cmp_opt(int option, PAPI_option_t* ptr, int cidx) {
  return papi_abi_get_cmp_opt(CSINK_PAPI_ABI, __builtin_return_address(0), option, ptr, cidx);
}

int PAPI_enum_event(int* EventCode, int modifier) {
  return papi_abi_enum_event(CSINK_PAPI_ABI, __builtin_return_address(0), EventCode, modifier);
}

int PAPI_enum_cmp_event(int* EventCode, int modifier, int cidx) {
  return papi_abi_enum_cmp_event(CSINK_PAPI_ABI, __builtin_return_address(0), EventCode, modifier,
                                 cidx);
}

int PAPI_get_event_info(int EventCode, PAPI_event_info_t* info) {
  return papi_abi_get_event_info(CSINK_PAPI_ABI, __builtin_return_address(0), EventCode, info);
}

const PAPI_component_info_t* PAPI_get_component_info(int cidx) {
  return static_cast<const PAPI_component_info_t*>(
      papi_abi_get_component_info(CSINK_PAPI_ABI, __builtin_return_address(0), cidx));
}

char* PAPI_strerror(int code) {
  return papi_abi_strerror(CSINK_PAPI_ABI, __builtin_return_address(0), code);
}

// The return address is in the Fortran program's module, too. Hidden and not static: clang 19
// gives a static function a name of C++, which an alias does not find.
extern "C" {

__attribute__((visibility("hidden"))) void papif_library_init(int& check) {
  check = papi_abi_library_init(CSINK_PAPI_ABI, __builtin_return_address(0), check);
}

__attribute__((visibility("hidden"))) void papif_enum_event(int& code, const int& modifier,
                                                            int& check) {
  check = papi_abi_enum_event(CSINK_PAPI_ABI, __builtin_return_address(0), &code, modifier);
}
}
CSINK_FORTRAN_SPELLINGS(papif_library_init, PAPIF_LIBRARY_INIT)
CSINK_FORTRAN_SPELLINGS(papif_enum_event, PAPIF_ENUM_EVENT)
