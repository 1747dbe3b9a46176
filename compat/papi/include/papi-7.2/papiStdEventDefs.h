/* The presets of PAPI 7.2 are those of 7.0. */
#include "../papiStdEventDefs.h"
#include "papi_components_config_event_defs.h"
