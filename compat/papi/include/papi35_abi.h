/* What PAPI 3.5's face adds to the library, under the names that the library has for it: papi35.h
 * makes 3.5's own names of them. No program includes this by itself; the library does, which is
 * written against 7.0's face.
 *
 * Source of the structures: the manual of PAPI 3.5 ("PAPI_get_substrate_info", "PAPI_get_opt").
 */
#ifndef _PAPI35_ABI
#define _PAPI35_ABI

#include "papi.h"

#pragma GCC visibility push(default)

#ifdef __cplusplus
extern "C" {
#endif

/* Options of PAPI_get_opt() and PAPI_set_opt(): 7.0's number of the nearest one, plus this. */
#define PAPI_35_OPTION 0x3500
#define PAPI_35_MULTIPLEX (PAPI_35_OPTION + 3)      /* multiplex, in us: get, set */
#define PAPI_35_DEFDOM (PAPI_35_OPTION + 4)         /* defdomain of component 0: get, set */
#define PAPI_35_DEFGRN (PAPI_35_OPTION + 6)         /* defgranularity of component 0: get, set */
#define PAPI_35_DEF_MPX_USEC (PAPI_35_OPTION + 8)   /* multiplex.us: get, set; microseconds */
#define PAPI_35_SUBSTRATEINFO (PAPI_35_OPTION + 22) /* sub_info: get */

/* PAPI_ENUM_FIRST of programs under the switch, where 1 is TRUE. */
#define PAPI_35_ENUM_FIRST (PAPI_35_OPTION + 1)

/* The processor's counters, which 3.5 called the substrate, and what they can do here. */
typedef struct _papi_substrate_option {
  char name[PAPI_MAX_STR_LEN];
  char version[PAPI_MIN_STR_LEN];
  char support_version[PAPI_MIN_STR_LEN]; /* of the library it stands on */
  char kernel_version[PAPI_MIN_STR_LEN];
  int num_cntrs;     /* counters that can be used at once */
  int num_mpx_cntrs; /* with multiplexing */
  int num_preset_events;
  int num_native_events;
  int default_domain;
  int available_domains;
  int default_granularity;
  int available_granularities;
  int multiplex_timer_sig; /* 0: the kernel multiplexes */
  int multiplex_timer_num;
  int multiplex_timer_us; /* microseconds of a turn */
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
  unsigned int fast_counter_read : 1; /* without a system call */
  unsigned int fast_real_timer : 1;
  unsigned int fast_virtual_timer : 1;
  unsigned int attach : 1;
  unsigned int attach_must_ptrace : 1;
  unsigned int edge_detect : 1; /* events take the modifier e */
  unsigned int invert : 1;      /* events take the modifier i */
  unsigned int profile_ear : 1;
  unsigned int grouped_cntrs : 1;
  unsigned int reserved_bits : 16;
} PAPI_substrate_info_t;

/* PAPI_option_t::ovf_info: the arguments of PAPI_overflow(). The manual has no option that uses it,
 * and no list of members; these are those of PAPI 2. */
typedef struct _papi_overflow_option {
  int eventset;
  int event;
  long long threshold;
  PAPI_overflow_handler_t handler;
} PAPI_overflow_option_t;

/* What is known of component 0. The library's own, valid until PAPI_shutdown(); null before
 * PAPI_library_init(). Each call brings it up to date. */
const PAPI_substrate_info_t* PAPI_get_substrate_info(void);

/* PAPI_perror() of 3.5: the sentence of `code`, cut to `length` bytes with its end, into
 * destination; with length 0 or no destination to standard error, with the end of a line. Fails:
 * PAPI_EINVAL (no such code, length below 0). Signals: safe with a destination. */
int PAPI_perror_35(int code, char* destination, int length);

/* PAPI_enum_event() of 3.5: as 7.0's, but any modifier that 7.0 does not have for presets, 1 among
 * them, means those that this machine counts, and 1 all native events. The user's own events
 * (PAPI_UE_MASK) come after the presets. */
int PAPI_enum_event_35(int* EventCode, int modifier);

#ifdef __cplusplus
}
#endif

#pragma GCC visibility pop

#endif
