/* papi.h of PAPI 7.2, for programs that are linked with libpapi.so.7.2. Use the folder of this file
 * as an include folder (pkg-config papi-7.2) in place of the folder above it. */
#ifndef _PAPI
#define _PAPI_ABI 72
#endif
#include "../papi.h"
#include "papi_components_config_event_defs.h"

#if PAPI_VERSION != PAPI_VERSION_NUMBER(7, 2, 0, 0)
#error "papi.h of another version of PAPI is included already"
#endif
