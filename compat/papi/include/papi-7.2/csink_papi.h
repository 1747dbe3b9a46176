/* csink_papi.h with papi.h of PAPI 7.2. */
#include "../csink_papi.h"
#include "papi.h"
