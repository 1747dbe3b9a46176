/* csink_papi.h with papi.h of PAPI 7.2. */
#include "papi.h"

#include "../csink_papi.h"
