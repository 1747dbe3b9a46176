/* csink_papi.h with papi.h of PAPI 7.1. */
#include "../csink_papi.h"
#include "papi.h"
