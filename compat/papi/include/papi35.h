/* PAPI 3.5's interface, as its manual documents it, implemented by this library.
 *
 * For programs that were written to that manual: include this header instead of papi.h, or define
 * PAPI_API_35 before papi.h (cc -DPAPI_API_35). Names, arguments and meanings are then the manual's
 * where PAPI 7.0 changed them, and 7.0's otherwise. Programs of both kinds link with one library.
 *
 * What the switch changes:
 *  - PAPI_perror() has three arguments; PAPI_profil() takes its offset as a number or a pointer.
 *  - PAPI_enum_event() accepts TRUE; PAPI_ipc() counts from its first call.
 *  - Options of PAPI_get_opt() and PAPI_set_opt(): PAPI_DEF_MPX_USEC, PAPI_SUBSTRATEINFO;
 *    PAPI_MULTIPLEX in microseconds; PAPI_DEFDOM and PAPI_DEFGRN without a component.
 *  - Members event_note, multiplex.us, multiplex.max_degree, sub_info, ovf_info; addresses are
 *    char*.
 *  - Names that PAPI 7.0 removed.
 * PAPI_VER_CURRENT stays the library's. Structures have 7.0's layouts: programs must be recompiled;
 * binaries built for 3.5 do not work.
 */
#ifndef _PAPI35
#define _PAPI35

#ifndef PAPI_API_35
#define PAPI_API_35
#endif
#include "papi.h"

/* ---- Names ---------------------------------------------------------------------------------- */

/* These options have another meaning than in 7.0, so they have numbers of their own. */
#undef PAPI_MULTIPLEX
#define PAPI_MULTIPLEX PAPI_35_MULTIPLEX
#undef PAPI_DEFDOM
#define PAPI_DEFDOM PAPI_35_DEFDOM
#undef PAPI_DEFGRN
#define PAPI_DEFGRN PAPI_35_DEFGRN
#define PAPI_DEF_MPX_USEC PAPI_35_DEF_MPX_USEC
#define PAPI_SUBSTRATEINFO PAPI_35_SUBSTRATEINFO

/* States of an event set that 3.5 reserved; no function sets them. */
#define PAPI_ACCUMULATING 0x10000000
#define PAPI_HWPROFILING 0x20000000

/* PAPI_ENUM_FIRST is 1 in 7.0, which 3.5's programs pass as TRUE. So PAPI_enum_event() and
 * PAPI_enum_cmp_event() use another number for the first event. */
#define PAPI_ENUM_FIRST PAPI_35_ENUM_FIRST

/* Modifiers of PAPI_enum_event() for certain machines. A group of the Pentium 4 was an event; its
 * bits are unit masks. */
#define PAPI_PENT4_ENUM_GROUPS PAPI_ENUM_EVENTS
#define PAPI_PENT4_ENUM_COMBOS PAPI_NTV_ENUM_UMASK_COMBOS
#define PAPI_PENT4_ENUM_BITS PAPI_NTV_ENUM_UMASKS
#define PAPI_ITA_ENUM_IARR PAPI_NTV_ENUM_IARR
#define PAPI_ITA_ENUM_DARR PAPI_NTV_ENUM_DARR
#define PAPI_ITA_ENUM_OPCM PAPI_NTV_ENUM_OPCM
#define PAPI_ITA_ENUM_IEAR PAPI_NTV_ENUM_IEAR
#define PAPI_ITA_ENUM_DEAR PAPI_NTV_ENUM_DEAR
#define PAPI_PWR4_ENUM_GROUPS PAPI_NTV_ENUM_GROUPS

#define PAPI_SYS PAPI_ESYS /* as the manual's page of PAPI_get_dmem_info() spells it */

typedef PAPI_preload_info_t PAPI_preload_option_t;

/* ---- Functions ------------------------------------------------------------------------------ */

#pragma GCC visibility push(default)

#ifdef __cplusplus
extern "C" {
#endif

/* 7.0 has other functions with these names, so these are linked to other symbols. */
int PAPI_perror(int code, char* destination, int length) __asm__("PAPI_perror_35");
int PAPI_enum_event(int* EventCode, int modifier) __asm__("PAPI_enum_event_35");
int PAPI_ipc(float* rtime, float* ptime, long long* ins, float* ipc) __asm__("PAPI_ipc_35");
/* The same symbol as 7.0's: the ABI passes a number like a pointer. */
int PAPI_profil(void* buf, unsigned bufsiz, unsigned long offset, unsigned scale, int EventSet,
                int EventCode, int threshold, int flags);

#ifdef __cplusplus
}

extern "C++" {
/* The same with the address of code, as 7.0 has it. */
template <class Code>
inline int PAPI_profil(void* buf, unsigned bufsiz, Code* offset, unsigned scale, int EventSet,
                       int EventCode, int threshold, int flags) {
  return PAPI_profil(buf, bufsiz, reinterpret_cast<unsigned long>(offset), scale, EventSet,
                     EventCode, threshold, flags);
}
}
#else
/* The same with the address of code. #undef it before a function of this name is defined. */
#define PAPI_profil(buf, bufsiz, offset, scale, EventSet, EventCode, threshold, flags) \
  PAPI_profil(buf, bufsiz, (unsigned long)(offset), scale, EventSet, EventCode, threshold, flags)
#endif

#pragma GCC visibility pop

#endif
