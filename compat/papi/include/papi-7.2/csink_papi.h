/* csink_papi.h with papi.h of PAPI 7.2, which must come first. */
/* clang-format off */
#include "papi.h"
#include "../csink_papi.h"
/* clang-format on */
