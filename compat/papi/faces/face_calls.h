#pragma once

/// \file The calls whose meaning depends on the version of PAPI that the caller was built for.
/// libpapi.so.7.0 defines them; its own entries and those of libpapi.so.7.1 and libpapi.so.7.2 pass
/// on what they were given. docs/design/papi-faces.md says why there is one core.
///
/// `entered`: the version of the entry that was called, 70, 71 or 72. `caller`: the address that
/// the entry returns to. A module that is linked with another libpapi.so.7.x than the entered one
/// gets the layout it was linked with (caller_face.h).
///
/// Threads: any. Signals: not safe. papi_face_strerror is, for all codes but PAPI_PARTIAL, and
/// papi_face_get_opt for the options of which csink_papi.h says it.

extern "C" {
#pragma GCC visibility push(default)

/// Says that libpapi.so.7.x of version `face` is loaded. Callers are looked up only after that.
void papi_face_loaded(int face);

int papi_face_library_init(int entered, const void* caller, int version);
/// `option`: PAPI_option_t of any version; they are the same but for what cmp_info points to.
int papi_face_get_opt(int entered, const void* caller, int option, void* value);
int papi_face_get_cmp_opt(int entered, const void* caller, int option, void* value, int cidx);
int papi_face_enum_event(int entered, const void* caller, int* code, int modifier);
int papi_face_enum_cmp_event(int entered, const void* caller, int* code, int modifier, int cidx);
/// `info`: the PAPI_event_info_t of the caller's version. A failure leaves it as it is.
int papi_face_get_event_info(int entered, const void* caller, int code, void* info);
/// The PAPI_component_info_t of the caller's version; null: there is no such component.
const void* papi_face_get_component_info(int entered, const void* caller, int cidx);
char* papi_face_strerror(int entered, const void* caller, int code);

#pragma GCC visibility pop
}
