/* papi.h of PAPI 7.1, for programs that are linked with libpapi.so.7.1. Use the folder of this file
 * as an include folder (pkg-config papi-7.1) in place of the folder above it. */
#ifndef _PAPI
#define _PAPI_ABI 71
#endif
#include "../papi.h"

#if PAPI_VERSION != PAPI_VERSION_NUMBER(7, 1, 0, 0)
#error "papi.h of another version of PAPI is included already"
#endif
