/* The presets of PAPI 7.3: those of 7.0 and two for numbers of half precision. */
#ifndef _PAPI_ABI
#define _PAPI_ABI 73
#include "../papiStdEventDefs.h"
#undef _PAPI_ABI
#else
#include "../papiStdEventDefs.h"
#endif
#include "papi_components_config_event_defs.h"
