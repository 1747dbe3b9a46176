#pragma once

/// \file The functions whose meaning depends on the version of PAPI that the caller was built for.
/// libpapi.so.7.0 defines them. Its own entry points and those of libpapi.so.7.1 to libpapi.so.7.3
/// pass their arguments to them. docs/design/papi-abis.md explains why there is one core.
/// `entered`: version of the entry point that was called: 70 to 73. `caller`: the return
/// address of the entry point. A module that is linked with another libpapi.so.7.x than the entered
/// one gets the layout that it is linked with (caller_abi.h).
/// Errors:  as papi.h documents for the function without the prefix papi_abi_.
/// Threads: any. Signals: not safe, except papi_abi_strerror (all codes but PAPI_PARTIAL) and
///          papi_abi_get_opt (the options that csink_papi.h names).

extern "C" {
#pragma GCC visibility push(default)

/// Tells that libpapi.so.7.x of version `abi` is loaded. Callers are looked up only after that.
void papi_abi_loaded(int abi);

int papi_abi_library_init(int entered, const void* caller, int version);
/// `value`: a PAPI_option_t of any version; they differ only in what cmp_info points to.
int papi_abi_get_opt(int entered, const void* caller, int option, void* value);
int papi_abi_get_cmp_opt(int entered, const void* caller, int option, void* value, int cidx);
int papi_abi_enum_event(int entered, const void* caller, int* code, int modifier);
int papi_abi_enum_cmp_event(int entered, const void* caller, int* code, int modifier, int cidx);
/// `info`: the PAPI_event_info_t of the caller's version. Unchanged on an error.
int papi_abi_get_event_info(int entered, const void* caller, int code, void* info);
/// The PAPI_component_info_t of the caller's version; null: no such component.
const void* papi_abi_get_component_info(int entered, const void* caller, int cidx);
char* papi_abi_strerror(int entered, const void* caller, int code);

#pragma GCC visibility pop
}
