#pragma once

#include "compat/papi/include/papi.h"

namespace csink::papi {

/// \file The calls that the faces translate, as PAPI 7.0 has them; the entries are in
/// faces/face_calls.cpp. Answers, errors and threads as papi.h says.

/// `face`: 70, 71 or 72, whose number `version` must be.
int InitializeLibrary(int version, int face) noexcept;
int GetOption(int option, PAPI_option_t* value) noexcept;
int GetComponentOption(int option, PAPI_option_t* value, int component) noexcept;
int EnumerateEvents(int* code, int modifier) noexcept;
int EnumerateEventsOf(int* code, int modifier, int component) noexcept;
int GetEventInfo(int code, PAPI_event_info_t* info) noexcept;
const PAPI_component_info_t* GetComponentInfo(int component) noexcept;

}  // namespace csink::papi
