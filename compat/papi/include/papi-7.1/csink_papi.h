/* csink_papi.h with papi.h of PAPI 7.1. */
#include "papi.h"

#include "../csink_papi.h"
