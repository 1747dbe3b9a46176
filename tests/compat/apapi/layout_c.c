/* apapi.h in C. */
#include "layout.h"

int ApapiFieldsInC(void);
int ApapiFieldsInC(void) { return APAPI_FIELDS; }
