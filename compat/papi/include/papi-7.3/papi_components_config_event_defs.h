/* From PAPI 7.2 on this file lists the presets of the components that were built. Our components
 * have none. */
#ifndef _PAPICOMPCFGEVENTDEFS
#define _PAPICOMPCFGEVENTDEFS
#endif
