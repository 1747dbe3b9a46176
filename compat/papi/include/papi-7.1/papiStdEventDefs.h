/* The presets of PAPI 7.1 are those of 7.0. */
#include "../papiStdEventDefs.h"
