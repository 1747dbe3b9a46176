#pragma once

/// A part of a program that was built for one version of PAPI, as a plugin is: linked with that
/// libpapi.so.7.x, opened by a program that is linked with another one or with none.
struct ModuleReport {
  int version;               ///< PAPI_VERSION of its papi.h
  int initialized;           ///< What PAPI_library_init answered to it
  int library_version;       ///< PAPI_LIB_VERSION
  unsigned long info_bytes;  ///< Of its PAPI_event_info_t
  bool info_filled;          ///< The library wrote the last bytes of it
  bool behind_is_whole;      ///< And none behind it
  bool branches_listed;      ///< PAPI_PRESET_ENUM_BR gave presets with PAPI_PRESET_BIT_BR alone
  bool component_is_right;   ///< PAPI_get_component_info gave its layout
  int other_set_events;      ///< Events of the event set that it was given
};

using InspectFunction = void(int event_set, ModuleReport* report);
extern "C" [[gnu::visibility("default")]] InspectFunction InspectPapi;
