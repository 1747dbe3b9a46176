/* PAPI 7.2 lists the presets of components here, those of one build. No component of ours has any.
 */
#ifndef _PAPICOMPCFGEVENTDEFS
#define _PAPICOMPCFGEVENTDEFS
#endif
