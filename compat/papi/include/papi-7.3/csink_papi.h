/* csink_papi.h for programs that use PAPI 7.3's papi.h, which must be included first. */
/* clang-format off */
#include "papi.h"
#include "../csink_papi.h"
/* clang-format on */
