/* papi.h of PAPI 7.3, for programs that are linked with libpapi.so.7.3. Use the folder of this file
 * as an include folder (pkg-config papi-7.3) in place of the folder above it. */
#ifndef _PAPI
#define _PAPI_ABI 73
#endif
#include "../papi.h"
#include "papi_components_config_event_defs.h"

#if PAPI_VERSION != PAPI_VERSION_NUMBER(7, 3, 0, 0)
#error "papi.h of another version of PAPI is included already"
#endif
