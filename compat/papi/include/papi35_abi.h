/* Functions, options and structures that PAPI 3.5's interface adds to the library, under the
 * library's names for them. papi35.h gives them 3.5's names. Programs include papi35.h; the
 * library, which is written with 7.0's names, includes this file.
 * Source of the structures: the manual of PAPI 3.5 ("PAPI_get_substrate_info", "PAPI_get_opt"). */
#ifndef _PAPI35_ABI
#define _PAPI35_ABI

#include "papi.h"

#pragma GCC visibility push(default)

#ifdef __cplusplus
extern "C" {
#endif

/* Options of PAPI_get_opt() and PAPI_set_opt(): 7.0's number of the nearest option, plus
 * PAPI_35_OPTION. */
#define PAPI_35_OPTION 0x3500
#define PAPI_35_MULTIPLEX (PAPI_35_OPTION + 3)      /* multiplex, in us: get, set */
#define PAPI_35_DEFDOM (PAPI_35_OPTION + 4)         /* defdomain of component 0: get, set */
#define PAPI_35_DEFGRN (PAPI_35_OPTION + 6)         /* defgranularity of component 0: get, set */
#define PAPI_35_DEF_MPX_USEC (PAPI_35_OPTION + 8)   /* multiplex.us: get, set; microseconds */
#define PAPI_35_SUBSTRATEINFO (PAPI_35_OPTION + 22) /* sub_info: get */

/* PAPI_ENUM_FIRST of programs that use papi35.h, where 1 is TRUE. */
#define PAPI_35_ENUM_FIRST (PAPI_35_OPTION + 1)

/* Description of the processor's counters (component 0), which 3.5 called the substrate. Members
 * have the meaning of PAPI_component_info_t's of the same names. 0: opcode_match_width, the address
 * ranges and grouped_cntrs, which only Itanium and POWER had. */
typedef struct _papi_substrate_option {
  char name[PAPI_MAX_STR_LEN];
  char version[PAPI_MIN_STR_LEN];
  char support_version[PAPI_MIN_STR_LEN]; /* of the supporting library */
  char kernel_version[PAPI_MIN_STR_LEN];
  int num_cntrs;     /* counters that can be used at once */
  int num_mpx_cntrs; /* events that can be multiplexed */
  int num_preset_events;
  int num_native_events;
  int default_domain;
  int available_domains;
  int default_granularity;
  int available_granularities;
  int multiplex_timer_sig; /* 0: the kernel multiplexes */
  int multiplex_timer_num;
  int multiplex_timer_us; /* time slice in microseconds */
  int hardware_intr_sig;  /* the signal of overflows, 0: none */
  int opcode_match_width;
  int reserved_ints[4];
  unsigned int hardware_intr : 1; /* counters can interrupt at an overflow */
  unsigned int precise_intr : 1;
  unsigned int posix1b_timers : 1;
  unsigned int kernel_profile : 1;
  unsigned int kernel_multiplex : 1;
  unsigned int data_address_range : 1;
  unsigned int instr_address_range : 1;
  unsigned int fast_counter_read : 1; /* read without a system call */
  unsigned int fast_real_timer : 1;
  unsigned int fast_virtual_timer : 1;
  unsigned int attach : 1;
  unsigned int attach_must_ptrace : 1;
  unsigned int edge_detect : 1; /* events accept the modifier e */
  unsigned int invert : 1;      /* events accept the modifier i */
  unsigned int profile_ear : 1;
  unsigned int grouped_cntrs : 1;
  unsigned int reserved_bits : 16;
} PAPI_substrate_info_t;

/* PAPI_option_t::ovf_info: the arguments of PAPI_overflow(). The manual has no option that uses
 * this member and does not list its members; these are PAPI 2's. */
typedef struct _papi_overflow_option {
  int eventset;
  int event;
  long long threshold;
  PAPI_overflow_handler_t handler;
} PAPI_overflow_option_t;

/* Describes component 0. The structure is the library's, is updated by each call and valid until
 * PAPI_shutdown(). Null: before PAPI_library_init(), or a failure (PAPI_perror). Threads: any.
 * Signals: not safe. */
const PAPI_substrate_info_t* PAPI_get_substrate_info(void);

/* PAPI_perror() of 3.5: stores the text of `code` in `destination`, cut to `length` bytes including
 * the NUL. With length 0 or a null destination: prints the text and a newline on stderr. PAPI_OK;
 * PAPI_EINVAL: no such code, or a negative length. Threads: any. Signals: safe with a destination.
 */
int PAPI_perror_35(int code, char* destination, int length);

/* PAPI_enum_event() of 3.5: as 7.0's, except: for presets, any modifier that 7.0 does not define
 * for presets (also 1) enumerates the presets that this machine can count; for native events, 1
 * enumerates all. User events (PAPI_UE_MASK) follow the presets. PAPI_OK; PAPI_ENOEVNT at the end;
 * other errors as PAPI_enum_event(). Threads: any. Signals: not safe. */
int PAPI_enum_event_35(int* EventCode, int modifier);

#ifdef __cplusplus
}
#endif

#pragma GCC visibility pop

#endif
