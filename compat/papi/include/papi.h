/* Counting, sampling and timing of programs: the interface of PAPI 7.0, implemented by Countersink.
 * papi.h in papi-7.1, papi-7.2 and papi-7.3 is this file with the differences of these versions.
 *
 * Names, values and layouts are PAPI's ABI: a program that was built with either header runs with
 * either library. The text and the library are Countersink's own.
 *
 * These rules hold for every function unless its comment says otherwise:
 *  - It returns PAPI_OK, a result >= 0, or one of the negative codes below. A call that fails
 *    changes nothing.
 *  - PAPI_library_init() must be called first; otherwise PAPI_ENOINIT. Functions that need no
 *    counters work before it: clocks of real time, locks, PAPI_set_debug(), memory and devices of
 *    the machine, and the list of components.
 *  - An unknown event set is PAPI_ENOEVST; a null pointer or an unknown option is PAPI_EINVAL.
 *  - Threads: any thread may call, also one that never called before. Calls of two threads for one
 *    event set must not overlap.
 *  - Signals: not safe in signal handlers. Exceptions are marked "Signals: safe".
 *
 * With PAPI_API_35 defined before it, this header declares PAPI 3.5's interface where the two
 * differ: see papi35.h.
 */
#ifndef _PAPI
#define _PAPI

#include <limits.h>
#include <signal.h>
#include <sys/types.h>

/* Set by papi.h in papi-7.1, papi-7.2 and papi-7.3; undefined at the end of this file. */
#ifndef _PAPI_ABI
#define _PAPI_ABI 70
#endif

#include "papiStdEventDefs.h"

#ifdef PAPI_API_35
#if _PAPI_ABI > 71
#error "PAPI 3.5's interface goes with papi.h of PAPI 7.0"
#endif
#define _PAPI_SPEAKS_35
/* A structure member under its names of 7.0 and of 3.5. */
#define PAPI_35_ALSO(member, older) \
  __extension__ union {             \
    member;                         \
    older;                          \
  }
#else
#define PAPI_35_ALSO(member, older) member
#endif

#pragma GCC visibility push(default)

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Version ------------------------------------------------------------------------------- */

#define PAPI_VERSION_NUMBER(maj, min, rev, inc) \
  (((maj) << 24) | ((min) << 16) | ((rev) << 8) | (inc))
#define PAPI_VERSION_MAJOR(x) (((x) >> 24) & 0xff)
#define PAPI_VERSION_MINOR(x) (((x) >> 16) & 0xff)
#define PAPI_VERSION_REVISION(x) (((x) >> 8) & 0xff)
#define PAPI_VERSION_INCREMENT(x) ((x)&0xff)

#if _PAPI_ABI == 73
#define PAPI_VERSION PAPI_VERSION_NUMBER(7, 3, 0, 0)
#elif _PAPI_ABI == 72
#define PAPI_VERSION PAPI_VERSION_NUMBER(7, 2, 0, 0)
#elif _PAPI_ABI == 71
#define PAPI_VERSION PAPI_VERSION_NUMBER(7, 1, 0, 0)
#else
#define PAPI_VERSION PAPI_VERSION_NUMBER(7, 0, 0, 0)
#endif
#define PAPI_VER_CURRENT (PAPI_VERSION & 0xffff0000) /* argument of PAPI_library_init() */

/* The kind of event that a code denotes; papiStdEventDefs.h describes the bits. */
#define IS_NATIVE(EventCode) (((EventCode)&PAPI_NATIVE_MASK) && !((EventCode)&PAPI_PRESET_MASK))
#define IS_PRESET(EventCode) (((EventCode)&PAPI_PRESET_MASK) && !((EventCode)&PAPI_NATIVE_MASK))
#define IS_USER_DEFINED(EventCode) \
  (((EventCode)&PAPI_PRESET_MASK) && ((EventCode)&PAPI_NATIVE_MASK))

/* ---- Return codes --------------------------------------------------------------------------- */

/* PAPI_strerror() has a text for each. This library does not return PAPI_ENOCNTR, PAPI_EBUF,
 * PAPI_EDELAY_INIT and PAPI_EMULPASS; they are PAPI's and keep their numbers. */
#define PAPI_OK 0
#define PAPI_EINVAL (-1)         /* an argument is wrong */
#define PAPI_ENOMEM (-2)         /* no memory */
#define PAPI_ESYS (-3)           /* a system call failed; errno says why */
#define PAPI_ECMP (-4)           /* the component cannot do this */
#define PAPI_ESBSTR (-4)         /* older name of PAPI_ECMP */
#define PAPI_ECLOST (-5)         /* the counters were lost */
#define PAPI_EBUG (-6)           /* internal error of the library */
#define PAPI_ENOEVNT (-7)        /* no such event on this machine */
#define PAPI_ECNFLCT (-8)        /* cannot be counted together with the other events */
#define PAPI_ENOTRUN (-9)        /* the event set is stopped */
#define PAPI_EISRUN (-10)        /* the event set is running */
#define PAPI_ENOEVST (-11)       /* no such event set */
#define PAPI_ENOTPRESET (-12)    /* not a preset event */
#define PAPI_ENOCNTR (-13)       /* no counters */
#define PAPI_EMISC (-14)         /* other errors */
#define PAPI_EPERM (-15)         /* not permitted */
#define PAPI_ENOINIT (-16)       /* the library is not initialized */
#define PAPI_ENOCMP (-17)        /* no such component, or the set has none yet */
#define PAPI_ENOSUPP (-18)       /* not supported here */
#define PAPI_ENOIMPL (-19)       /* not implemented */
#define PAPI_EBUF (-20)          /* the buffer is too small */
#define PAPI_EINVAL_DOM (-21)    /* the component does not count in that domain */
#define PAPI_EATTR (-22)         /* umasks or modifiers missing or wrong */
#define PAPI_ECOUNT (-23)        /* too many events or attributes */
#define PAPI_ECOMBO (-24)        /* attributes that exclude each other */
#define PAPI_ECMP_DISABLED (-25) /* the component is disabled; disabled_reason says why */
#define PAPI_EDELAY_INIT (-26)   /* the component starts at its first use */
#define PAPI_EMULPASS (-27)      /* the events need several passes */
#if _PAPI_ABI >= 72
#define PAPI_PARTIAL (-28) /* the component works in part; partially_disabled_reason says why */
#define PAPI_NUM_ERRORS 29
#else
#define PAPI_NUM_ERRORS 28
#endif

/* Results of PAPI_is_initialized(), or-ed. */
#define PAPI_NOT_INITED 0
#define PAPI_LOW_LEVEL_INITED 1
#define PAPI_HIGH_LEVEL_INITED 2
#define PAPI_THREAD_LEVEL_INITED 4

/* ---- Constants ------------------------------------------------------------------------------ */

#define PAPI_NULL (-1) /* no event set; no event */

/* Domains: in which modes of the processor an event counts. Or-ed. SUPERVISOR is the mode of a
 * hypervisor. OTHER and HWSPEC are PAPI's names for modes that no machine here has; they count
 * nothing. A modifier in an event's name (":u=1:k=1") has precedence over the domain of its set. */
#define PAPI_DOM_USER 0x1
#define PAPI_DOM_MIN PAPI_DOM_USER
#define PAPI_DOM_KERNEL 0x2
#define PAPI_DOM_OTHER 0x4
#define PAPI_DOM_SUPERVISOR 0x8
#define PAPI_DOM_ALL (PAPI_DOM_USER | PAPI_DOM_KERNEL | PAPI_DOM_OTHER | PAPI_DOM_SUPERVISOR)
#define PAPI_DOM_MAX PAPI_DOM_ALL
#define PAPI_DOM_HWSPEC 0x80000000

/* Tags of PAPI_set_thr_specific(). PAPI_TLS_ALL_THREADS is or-ed to a tag. All three tags are the
 * program's: the library keeps nothing under them. */
#define PAPI_USR1_TLS 0x0
#define PAPI_USR2_TLS 0x1
#define PAPI_TLS_HIGH_LEVEL 0x2
#define PAPI_NUM_TLS 0x3
#define PAPI_TLS_USR1 PAPI_USR1_TLS
#define PAPI_TLS_USR2 PAPI_USR2_TLS
#define PAPI_TLS_NUM PAPI_NUM_TLS
#define PAPI_TLS_ALL_THREADS 0x10

/* Locks of PAPI_lock(). */
#define PAPI_USR1_LOCK 0x0
#define PAPI_USR2_LOCK 0x1
#define PAPI_NUM_LOCK 0x2
#define PAPI_LOCK_USR1 PAPI_USR1_LOCK
#define PAPI_LOCK_USR2 PAPI_USR2_LOCK
#define PAPI_LOCK_NUM PAPI_NUM_LOCK

/* PAPI_hw_info_t::vendor; the Arm values are the implementer field of MIDR_EL1. */
#define PAPI_VENDOR_UNKNOWN 0
#define PAPI_VENDOR_INTEL 1
#define PAPI_VENDOR_AMD 2
#define PAPI_VENDOR_IBM 3
#define PAPI_VENDOR_CRAY 4
#define PAPI_VENDOR_SUN 5
#define PAPI_VENDOR_FREESCALE 6
#define PAPI_VENDOR_ARM 7
#define PAPI_VENDOR_MIPS 8
#define PAPI_VENDOR_ARM_ARM 0x41
#define PAPI_VENDOR_ARM_BROADCOM 0x42
#define PAPI_VENDOR_ARM_CAVIUM 0x43
#define PAPI_VENDOR_ARM_FUJITSU 0x46
#define PAPI_VENDOR_ARM_HISILICON 0x48
#define PAPI_VENDOR_ARM_APM 0x50
#define PAPI_VENDOR_ARM_QUALCOMM 0x51

/* Granularities: which part of the system is counted. The kernel counts threads and CPUs, so the
 * others are PAPI_EINVAL here. */
#define PAPI_GRN_THR 0x1 /* one thread */
#define PAPI_GRN_MIN PAPI_GRN_THR
#define PAPI_GRN_PROC 0x2     /* a process */
#define PAPI_GRN_PROCG 0x4    /* a process group */
#define PAPI_GRN_SYS 0x8      /* whatever runs on this CPU */
#define PAPI_GRN_SYS_CPU 0x10 /* whatever runs on all CPUs */
#define PAPI_GRN_MAX PAPI_GRN_SYS_CPU

/* The state of an event set, or-ed (PAPI_state()). PAPI_PAUSED and PAPI_NOT_INIT are PAPI's; this
 * library does not set them. */
#define PAPI_STOPPED 0x01
#define PAPI_RUNNING 0x02
#define PAPI_PAUSED 0x04
#define PAPI_NOT_INIT 0x08 /* created, without a component yet */
#define PAPI_OVERFLOWING 0x10
#define PAPI_PROFILING 0x20
#define PAPI_MULTIPLEXING 0x40
#define PAPI_ATTACHED 0x80
#define PAPI_CPU_ATTACHED 0x100

/* Levels of PAPI_set_debug(). */
#define PAPI_QUIET 0      /* errors are only returned */
#define PAPI_VERB_ECONT 1 /* errors are also passed to the debug handler */
#define PAPI_VERB_ESTOP 2 /* as PAPI_VERB_ECONT, then the program is ended */

/* Flags of PAPI_profil() and PAPI_sprofil(). */
#define PAPI_PROFIL_POSIX 0x0      /* as profil(3) */
#define PAPI_PROFIL_RANDOM 0x1     /* a random quarter of the samples is dropped */
#define PAPI_PROFIL_WEIGHTED 0x2   /* a bucket grows by the sample's weight */
#define PAPI_PROFIL_COMPRESS 0x4   /* full buckets drop samples in proportion */
#define PAPI_PROFIL_BUCKET_16 0x8  /* unsigned short, the default */
#define PAPI_PROFIL_BUCKET_32 0x10 /* unsigned int */
#define PAPI_PROFIL_BUCKET_64 0x20 /* unsigned long long */
#define PAPI_PROFIL_FORCE_SW 0x40  /* sampled by a timer, not by the counter */
#define PAPI_PROFIL_DATA_EAR 0x80  /* addresses of data */
#define PAPI_PROFIL_INST_EAR 0x100 /* addresses of instructions, from the counter itself */
#define PAPI_PROFIL_BUCKETS (PAPI_PROFIL_BUCKET_16 | PAPI_PROFIL_BUCKET_32 | PAPI_PROFIL_BUCKET_64)

/* Flags of PAPI_overflow(). FORCE_SW: a timer on the thread's CPU clock compares counts with
 * thresholds, for derived events and for events that cannot interrupt. HARDWARE, the default: the
 * counter itself reports the overflow. */
#define PAPI_OVERFLOW_FORCE_SW 0x40
#define PAPI_OVERFLOW_HARDWARE 0x80

/* PAPI_multiplex_option_t::flags. DEFAULT: the kernel multiplexes. FORCE_SW: the library switches
 * between groups of events at the slices of the option. */
#define PAPI_MULTIPLEX_DEFAULT 0x0
#define PAPI_MULTIPLEX_FORCE_SW 0x1

/* PAPI_inherit_option_t::inherit. */
#define PAPI_INHERIT_ALL 1
#define PAPI_INHERIT_NONE 0

/* Options of PAPI_get_opt() and PAPI_set_opt(): the member of PAPI_option_t, and whether the option
 * can be read (get) and set. "get: the result" is returned by the function itself. */
#define PAPI_DETACH 1            /* attach: set */
#define PAPI_DEBUG 2             /* debug: get, set */
#define PAPI_MULTIPLEX 3         /* multiplex: get, set */
#define PAPI_DEFDOM 4            /* defdomain: get, set */
#define PAPI_DOMAIN 5            /* domain: get, set */
#define PAPI_DEFGRN 6            /* defgranularity: get, set */
#define PAPI_GRANUL 7            /* granularity: get, set */
#define PAPI_DEF_MPX_NS 8        /* multiplex: get, set; nanoseconds */
#define PAPI_MAX_MPX_CTRS 11     /* get: the result */
#define PAPI_PROFIL 12           /* no function; kept for programs that name it */
#define PAPI_PRELOAD 13          /* preload: get */
#define PAPI_CLOCKRATE 14        /* get: the result, in MHz */
#define PAPI_MAX_HWCTRS 15       /* get: the result */
#define PAPI_HWINFO 16           /* hw_info: get */
#define PAPI_EXEINFO 17          /* exe_info: get */
#define PAPI_MAX_CPUS 18         /* get: the result */
#define PAPI_ATTACH 19           /* attach: get, set */
#define PAPI_SHLIBINFO 20        /* shlib_info: get */
#define PAPI_LIB_VERSION 21      /* get: the result */
#define PAPI_COMPONENTINFO 22    /* cmp_info: get */
#define PAPI_DATA_ADDRESS 23     /* addr: set */
#define PAPI_INSTR_ADDRESS 24    /* addr: set */
#define PAPI_DEF_ITIMER 25       /* itimer: get, set */
#define PAPI_DEF_ITIMER_NS 26    /* itimer: get, set; nanoseconds */
#define PAPI_CPU_ATTACH 27       /* cpu: get, set */
#define PAPI_INHERIT 28          /* inherit: get, set */
#define PAPI_USER_EVENTS_FILE 29 /* events_file: get, set */

#define PAPI_INIT_SLOTS 64   /* PAPI's initial number of event sets; not a limit */
#define PAPI_MIN_STR_LEN 64  /* this and the next: bytes including the NUL */
#define PAPI_MAX_STR_LEN 128 /* what PAPI_event_code_to_name() may write */
#define PAPI_2MAX_STR_LEN 256
#define PAPI_HUGE_STR_LEN 1024
#define PAPI_PMU_MAX 80 /* PMU names of a component, at most */
#define PAPI_DERIVED 0x1

/* Modifiers of PAPI_enum_event(). The PRESET values are for presets, the NTV values for native
 * events. */
enum {
  PAPI_ENUM_EVENTS = 0, /* all */
  PAPI_ENUM_FIRST,      /* goes to the first */
#if _PAPI_ABI >= 72
  PAPI_PRESET_ENUM_FIRST_COMP, /* goes to the first preset of a component */
#endif
  PAPI_PRESET_ENUM_AVAIL, /* presets that this machine can count */
  PAPI_PRESET_ENUM_MSC,   /* this and the next: presets of one subject; miscellaneous */
  PAPI_PRESET_ENUM_INS,   /* instructions */
  PAPI_PRESET_ENUM_IDL,   /* idle and stalled units */
  PAPI_PRESET_ENUM_BR,    /* branches */
  PAPI_PRESET_ENUM_CND,   /* store-conditionals */
  PAPI_PRESET_ENUM_MEM,   /* memory */
  PAPI_PRESET_ENUM_CACH,  /* caches */
  PAPI_PRESET_ENUM_L1,    /* first level */
  PAPI_PRESET_ENUM_L2,    /* second level */
  PAPI_PRESET_ENUM_L3,    /* third level */
  PAPI_PRESET_ENUM_TLB,   /* translation look-aside buffers */
  PAPI_PRESET_ENUM_FP,    /* floating point */
#if _PAPI_ABI >= 72
  PAPI_PRESET_ENUM_CPU,       /* all presets of the processor, without those of components */
  PAPI_PRESET_ENUM_CPU_AVAIL, /* those of them that this machine can count */
#endif
  PAPI_NTV_ENUM_UMASKS,       /* the umasks and modifiers of an event, one by one */
  PAPI_NTV_ENUM_UMASK_COMBOS, /* combinations of umasks */
  PAPI_NTV_ENUM_IARR,         /* events that an instruction range restricts */
  PAPI_NTV_ENUM_DARR,         /* events that a data range restricts */
  PAPI_NTV_ENUM_OPCM,         /* events that an opcode match restricts */
  PAPI_NTV_ENUM_IEAR,         /* instruction address events */
  PAPI_NTV_ENUM_DEAR,         /* data address events */
  PAPI_NTV_ENUM_GROUPS        /* groups of events */
};
#define PAPI_ENUM_ALL PAPI_ENUM_EVENTS

/* The subjects of a preset: PAPI_event_info_t::event_type. */
#define PAPI_PRESET_BIT_MSC (1 << PAPI_PRESET_ENUM_MSC)
#define PAPI_PRESET_BIT_INS (1 << PAPI_PRESET_ENUM_INS)
#define PAPI_PRESET_BIT_IDL (1 << PAPI_PRESET_ENUM_IDL)
#define PAPI_PRESET_BIT_BR (1 << PAPI_PRESET_ENUM_BR)
#define PAPI_PRESET_BIT_CND (1 << PAPI_PRESET_ENUM_CND)
#define PAPI_PRESET_BIT_MEM (1 << PAPI_PRESET_ENUM_MEM)
#define PAPI_PRESET_BIT_CACH (1 << PAPI_PRESET_ENUM_CACH)
#define PAPI_PRESET_BIT_L1 (1 << PAPI_PRESET_ENUM_L1)
#define PAPI_PRESET_BIT_L2 (1 << PAPI_PRESET_ENUM_L2)
#define PAPI_PRESET_BIT_L3 (1 << PAPI_PRESET_ENUM_L3)
#define PAPI_PRESET_BIT_TLB (1 << PAPI_PRESET_ENUM_TLB)
#define PAPI_PRESET_BIT_FP (1 << PAPI_PRESET_ENUM_FP)

/* The group number in a native code, on machines whose counters come in groups. */
#define PAPI_NTV_GROUP_AND_MASK 0x00FF0000 /* not used by this library's codes */
#define PAPI_NTV_GROUP_SHIFT 16

/* ---- Types ---------------------------------------------------------------------------------- */

#define long_long long long
#define u_long_long unsigned long long

typedef unsigned long PAPI_thread_id_t;
#ifdef PAPI_API_35
typedef char* vptr_t; /* caddr_t: 3.5's programs subtract addresses */
#else
typedef void* vptr_t; /* an address of the program */
#endif

/* Argument of PAPI_get_thr_specific() with PAPI_TLS_ALL_THREADS. The caller owns both arrays. */
typedef struct _papi_all_thr_spec {
  int num;              /* in: elements of both arrays; out: elements stored */
  PAPI_thread_id_t* id; /* may be null */
  void** data;
} PAPI_all_thr_spec_t;

/* Overflow handler; runs as a signal handler on the thread that counts. `address`: the interrupted
 * instruction; `context`: its ucontext_t. `overflow_vector`: bit i is counter i of the set;
 * PAPI_get_overflow_event_index() converts it to events. */
typedef void (*PAPI_overflow_handler_t)(int EventSet, void* address, long long overflow_vector,
                                        void* context);

/* One region of PAPI_sprofil(). */
typedef struct _papi_sprofil {
  void* pr_base;     /* array of buckets, the caller's */
  unsigned pr_size;  /* size of the array in bytes */
  vptr_t pr_off;     /* first address of the region */
  unsigned pr_scale; /* buckets per address: 0x10000 is one 16-bit bucket for two bytes */
} PAPI_sprofil_t;

/* PAPI_DEF_ITIMER: the timer of software overflow, profiling and multiplexing. Only ns has an
 * effect; number and signal are stored and given back. PAPI_DEF_ITIMER_NS: ns alone. */
typedef struct _papi_itimer_option {
  int itimer_num; /* ITIMER_REAL, ITIMER_VIRTUAL or ITIMER_PROF */
  int itimer_sig; /* its signal */
  int ns;         /* nanoseconds between ticks */
  int flags;      /* get: the timer in use, see csink_papi.h; set: ignored */
} PAPI_itimer_option_t;

/* PAPI_INHERIT: whether threads and children that the counted thread creates later are counted,
 * too. */
typedef struct _papi_inherit_option {
  int eventset;
  int inherit; /* PAPI_INHERIT_ALL or PAPI_INHERIT_NONE */
} PAPI_inherit_option_t;

/* PAPI_DOMAIN: the modes in which the events of a set count. PAPI_DEFDOM: the same for sets that
 * get component def_cidx later. */
typedef struct _papi_domain_option {
  int def_cidx; /* the component, for the default */
  int eventset;
  int domain; /* PAPI_DOM_*, or-ed */
} PAPI_domain_option_t;

/* PAPI_GRANUL and PAPI_DEFGRN: what a set counts, a thread or a CPU (PAPI_GRN_THR, PAPI_GRN_SYS).
 */
typedef struct _papi_granularity_option {
  int def_cidx; /* the component, for the default */
  int eventset;
  int granularity; /* PAPI_GRN_* */
} PAPI_granularity_option_t;

/* How libraries are preloaded on this system. */
typedef struct _papi_preload_option {
  char lib_preload_env[PAPI_MAX_STR_LEN]; /* the variable that lists the libraries */
  char lib_preload_sep;                   /* separator in that list */
  char lib_dir_env[PAPI_MAX_STR_LEN];     /* the variable that lists the folders */
  char lib_dir_sep;
} PAPI_preload_info_t;

/* A component (a family of counters) and its abilities on this machine. */
typedef struct _papi_component_option {
  char name[PAPI_MAX_STR_LEN];
  char short_name[PAPI_MIN_STR_LEN];
  char description[PAPI_MAX_STR_LEN];
  char version[PAPI_MIN_STR_LEN];
  char support_version[PAPI_MIN_STR_LEN]; /* of the supporting library */
  char kernel_version[PAPI_MIN_STR_LEN];
  char disabled_reason[PAPI_HUGE_STR_LEN]; /* a sentence */
  int disabled; /* 0: enabled; otherwise the error code of its functions */
#if _PAPI_ABI >= 72
  char partially_disabled_reason[PAPI_HUGE_STR_LEN]; /* a sentence */
  int partially_disabled; /* 1: some of its events cannot be counted here */
#endif
  int initialized;
  int CmpIdx;
  int num_cntrs;     /* counters that can be used at once */
  int num_mpx_cntrs; /* events that can be multiplexed */
  int num_preset_events;
  int num_native_events;
  int default_domain;
  int available_domains;
  int default_granularity;
  int available_granularities;
  int hardware_intr_sig; /* signal of hardware overflows; 0: none */
  int component_type;
  char* pmu_names[PAPI_PMU_MAX]; /* ends with a null pointer */
  int reserved[8];
  unsigned int hardware_intr : 1; /* it can interrupt at an overflow */
  unsigned int precise_intr : 1;
  unsigned int posix1b_timers : 1;
  unsigned int kernel_profile : 1;
  unsigned int kernel_multiplex : 1;
  unsigned int fast_counter_read : 1; /* read without a system call */
  unsigned int fast_real_timer : 1;
  unsigned int fast_virtual_timer : 1;
  unsigned int attach : 1;
  unsigned int attach_must_ptrace : 1;
  unsigned int cntr_umasks : 1;
  unsigned int cpu : 1; /* it can count a CPU instead of a thread */
  unsigned int inherit : 1;
  unsigned int reserved_bits : 19;
} PAPI_component_info_t;

/* No function uses this; kept for programs that name it. */
typedef struct _papi_mpx_info {
  int timer_sig;
  int timer_num;
  int timer_us;
} PAPI_mpx_info_t;

/* Debug handler: called with the code of a failed call. Its result becomes the result of the call.
 */
typedef int (*PAPI_debug_handler_t)(int code);

/* PAPI_DEBUG. Level and handler are those of the process; a null handler restores the library's. */
typedef struct _papi_debug_option {
  int level; /* PAPI_QUIET, PAPI_VERB_ECONT or PAPI_VERB_ESTOP */
  PAPI_debug_handler_t handler;
} PAPI_debug_option_t;

/* Addresses of a program or library. Each end is one past the last byte. */
typedef struct _papi_address_map {
  char name[PAPI_HUGE_STR_LEN];
  vptr_t text_start;
  vptr_t text_end;
  vptr_t data_start;
  vptr_t data_end;
  vptr_t bss_start;
  vptr_t bss_end;
} PAPI_address_map_t;

/* PAPI_EXEINFO: the running program. The structure is the library's and stays valid. */
typedef struct _papi_program_info {
  char fullname[PAPI_HUGE_STR_LEN]; /* path of the file */
  PAPI_address_map_t address_info;
} PAPI_exe_info_t;

/* PAPI_SHLIBINFO: the shared libraries that are loaded now, in the loader's order. */
typedef struct _papi_shared_lib_info {
  PAPI_address_map_t* map; /* the library's; see PAPI_get_shared_lib_info() */
  int count;
} PAPI_shlib_info_t;

typedef char* PAPI_user_defined_events_file_t;

/* PAPI_mh_cache_info_t::type and PAPI_mh_tlb_info_t::type, or-ed from four fields. */
#define PAPI_MH_TYPE_EMPTY 0x0
#define PAPI_MH_TYPE_INST 0x1
#define PAPI_MH_TYPE_DATA 0x2
#define PAPI_MH_TYPE_VECTOR 0x4
#define PAPI_MH_TYPE_TRACE 0x8
#define PAPI_MH_TYPE_UNIFIED (PAPI_MH_TYPE_INST | PAPI_MH_TYPE_DATA)
#define PAPI_MH_CACHE_TYPE(a) ((a)&0xf)
#define PAPI_MH_TYPE_WT 0x00 /* write-through */
#define PAPI_MH_TYPE_WB 0x10 /* write-back */
#define PAPI_MH_CACHE_WRITE_POLICY(a) ((a)&0xf0)
#define PAPI_MH_TYPE_UNKNOWN 0x000
#define PAPI_MH_TYPE_LRU 0x100
#define PAPI_MH_TYPE_PSEUDO_LRU 0x200
#define PAPI_MH_TYPE_FIFO 0x400
#define PAPI_MH_CACHE_REPLACEMENT_POLICY(a) ((a)&0xf00)
#define PAPI_MH_TYPE_TLB 0x1000  /* a TLB that prefetches into it */
#define PAPI_MH_TYPE_PREF 0x2000 /* a prefetch buffer */
#define PAPI_MH_TYPE_RD_ALLOC 0x10000
#define PAPI_MH_TYPE_WR_ALLOC 0x20000
#define PAPI_MH_TYPE_RW_ALLOC 0x40000
#define PAPI_MH_CACHE_ALLOCATION_POLICY(a) ((a)&0xf0000)

#define PAPI_MH_MAX_LEVELS 6 /* caches or TLBs of one level */
#define PAPI_MAX_MEM_HIERARCHY_LEVELS 4

/* One TLB of a level; type PAPI_MH_TYPE_EMPTY: the entry is unused. */
typedef struct _papi_mh_tlb_info {
  int type;
  int num_entries;
  int page_size;     /* bytes */
  int associativity; /* ways; SHRT_MAX or -1: fully */
} PAPI_mh_tlb_info_t;

/* One cache of a level; type PAPI_MH_TYPE_EMPTY: the entry is unused. */
typedef struct _papi_mh_cache_info {
  int type;
  int size;      /* bytes */
  int line_size; /* bytes */
  int num_lines;
  int associativity; /* ways; SHRT_MAX or -1: fully */
} PAPI_mh_cache_info_t;

/* Instruction caches, data caches and unified caches of one level, in any order. */
typedef struct _papi_mh_level_info {
  PAPI_mh_tlb_info_t tlb[PAPI_MH_MAX_LEVELS];
  PAPI_mh_cache_info_t cache[PAPI_MH_MAX_LEVELS];
} PAPI_mh_level_t;

/* level[0] is the level next to the core; levels: the highest level that has an entry. */
typedef struct _papi_mh_info {
  int levels;
  PAPI_mh_level_t level[PAPI_MAX_MEM_HIERARCHY_LEVELS];
} PAPI_mh_info_t;

/* PAPI_HWINFO: the machine. Numbers that are not known are 0, texts empty. Frequencies are in MHz:
 * the highest and lowest of the processor; mhz is the frequency when the structure was filled. */
typedef struct _papi_hw_info {
  int ncpu;    /* CPUs of a NUMA node */
  int threads; /* hardware threads of a core */
  int cores;   /* cores of a socket */
  int sockets;
  int nnodes;    /* NUMA nodes */
  int totalcpus; /* CPUs of the machine */
  int vendor;    /* PAPI_VENDOR_* */
  char vendor_string[PAPI_MAX_STR_LEN];
  int model;
  char model_string[PAPI_MAX_STR_LEN];
  float revision;
  int cpuid_family;
  int cpuid_model;
  int cpuid_stepping;
  int cpu_max_mhz;
  int cpu_min_mhz;
  PAPI_mh_info_t mem_hierarchy;
  int virtualized; /* 1 in a virtual machine */
  char virtual_vendor_string[PAPI_MAX_STR_LEN];
  char virtual_vendor_version[PAPI_MAX_STR_LEN];
  float mhz;     /* kept for old programs */
  int clock_mhz; /* kept for old programs */
  int reserved[8];
} PAPI_hw_info_t;

/* PAPI_ATTACH, PAPI_DETACH. PAPI_get_opt() returns whether the set is attached (or detached). */
typedef struct _papi_attach_option {
  int eventset;
  unsigned long tid; /* a thread or process id of the kernel */
} PAPI_attach_option_t;

/* PAPI_CPU_ATTACH: counts whatever runs on one CPU, from 0. PAPI_get_opt() returns 1 if the set
 * does, else 0. */
typedef struct _papi_cpu_option {
  int eventset;
  unsigned int cpu_num;
} PAPI_cpu_option_t;

/* PAPI_MULTIPLEX, and PAPI_DEF_MPX_NS for the slice of later sets. ns 0: the default, 10 ms. */
typedef struct _papi_multiplex_option {
  int eventset;
  PAPI_35_ALSO(int ns, int us);            /* time slice; 3.5: in microseconds */
  PAPI_35_ALSO(int flags, int max_degree); /* PAPI_MULTIPLEX_* */
} PAPI_multiplex_option_t;

/* PAPI_DATA_ADDRESS, PAPI_INSTR_ADDRESS: counting in a range of addresses, which only Itanium
 * could. Here PAPI_ENOSUPP. */
typedef struct _papi_addr_range_option {
  int eventset;
  vptr_t start;
  vptr_t end;
  int start_off; /* out: bytes by which the hardware's range begins earlier */
  int end_off;   /* out: bytes by which it ends later */
} PAPI_addr_range_option_t;

#ifdef PAPI_API_35
#include "papi35_abi.h"
#endif

/* Argument of PAPI_get_opt() and PAPI_set_opt(); the option determines the member. */
typedef union {
  PAPI_preload_info_t preload;
  PAPI_debug_option_t debug;
  PAPI_inherit_option_t inherit;
  PAPI_granularity_option_t granularity;
  PAPI_granularity_option_t defgranularity;
  PAPI_domain_option_t domain;
  PAPI_domain_option_t defdomain;
  PAPI_attach_option_t attach;
  PAPI_cpu_option_t cpu;
  PAPI_multiplex_option_t multiplex;
  PAPI_itimer_option_t itimer;
  PAPI_hw_info_t* hw_info;
  PAPI_shlib_info_t* shlib_info;
  PAPI_exe_info_t* exe_info;
  PAPI_component_info_t* cmp_info;
  PAPI_addr_range_option_t addr;
  PAPI_user_defined_events_file_t events_file;
#ifdef PAPI_API_35
  PAPI_substrate_info_t* sub_info;
  PAPI_overflow_option_t ovf_info;
#endif
} PAPI_option_t;

/* Memory of this process, in KiB; pagesize in bytes. */
typedef struct _dmem_t {
  long long peak; /* the largest size so far */
  long long size;
  long long resident;
  long long high_water_mark; /* the largest resident so far */
  long long shared;
  long long text;
  long long library;
  long long heap;
  long long locked;
  long long stack;
  long long pagesize;
  long long pte; /* page tables */
} PAPI_dmem_info_t;

/* Indices of the same values in Fortran's array, from 1. */
#define PAPIF_DMEM_VMPEAK 1
#define PAPIF_DMEM_VMSIZE 2
#define PAPIF_DMEM_RESIDENT 3
#define PAPIF_DMEM_HIGH_WATER 4
#define PAPIF_DMEM_SHARED 5
#define PAPIF_DMEM_TEXT 6
#define PAPIF_DMEM_LIBRARY 7
#define PAPIF_DMEM_HEAP 8
#define PAPIF_DMEM_LOCKED 9
#define PAPIF_DMEM_STACK 10
#define PAPIF_DMEM_PAGESIZE 11
#define PAPIF_DMEM_PTE 12
#define PAPIF_DMEM_MAXVAL 12

#define PAPI_MAX_INFO_TERMS 12 /* native events of a preset, at most */
#if _PAPI_ABI >= 72
#define PAPI_MAX_COMP_QUALS 8 /* qualifiers of a component's preset, at most */
#endif

/* PAPI_event_info_t::location: the place of the counter. */
enum { PAPI_LOCATION_CORE = 0, PAPI_LOCATION_CPU, PAPI_LOCATION_PACKAGE, PAPI_LOCATION_UNCORE };

/* PAPI_event_info_t::data_type: the type of the 64 bits of a value. */
enum { PAPI_DATATYPE_INT64 = 0, PAPI_DATATYPE_UINT64, PAPI_DATATYPE_FP64, PAPI_DATATYPE_BIT64 };

/* PAPI_event_info_t::value_type: an increasing sum or a momentary value. */
enum { PAPI_VALUETYPE_RUNNING_SUM = 0, PAPI_VALUETYPE_ABSOLUTE };

/* PAPI_event_info_t::timescope: the period that a value covers. */
enum {
  PAPI_TIMESCOPE_SINCE_START = 0,
  PAPI_TIMESCOPE_SINCE_LAST,
  PAPI_TIMESCOPE_UNTIL_NEXT,
  PAPI_TIMESCOPE_POINT
};

/* PAPI_event_info_t::update_type: when the hardware updates a value. */
enum {
  PAPI_UPDATETYPE_ARBITRARY = 0,
  PAPI_UPDATETYPE_PUSH,
  PAPI_UPDATETYPE_PULL,
  PAPI_UPDATETYPE_FIXEDFREQ
};

/* Describes an event. For native events the members from `count` on are 0 or empty; value_type,
 * timescope, update_type and update_freq are always 0. */
typedef struct event_info {
  unsigned int event_code;
  char symbol[PAPI_HUGE_STR_LEN]; /* the name */
  char short_descr[PAPI_MIN_STR_LEN];
  char long_descr[PAPI_HUGE_STR_LEN];
  int component_index;
  char units[PAPI_MIN_STR_LEN];
  int location;
  int data_type;
  int value_type;
  int timescope;
  int update_type;
  int update_freq;
  unsigned int count;                     /* presets: native events used, 0: not on this machine */
  unsigned int event_type;                /* presets: PAPI_PRESET_BIT_* */
  char derived[PAPI_MIN_STR_LEN];         /* presets: how they are combined, "NOT_DERIVED": one */
  char postfix[PAPI_2MAX_STR_LEN];        /* presets: the formula of DERIVED_POSTFIX */
  unsigned int code[PAPI_MAX_INFO_TERMS]; /* presets: the native events */
  char name[PAPI_MAX_INFO_TERMS][PAPI_2MAX_STR_LEN];
  PAPI_35_ALSO(char note[PAPI_HUGE_STR_LEN], char event_note[PAPI_HUGE_STR_LEN]);
#if _PAPI_ABI >= 72
  int num_quals; /* component presets: number of qualifiers; their names and texts follow */
  char quals[PAPI_MAX_COMP_QUALS][PAPI_HUGE_STR_LEN];
  char quals_descrs[PAPI_MAX_COMP_QUALS][PAPI_HUGE_STR_LEN];
#endif
} PAPI_event_info_t;

#undef PAPI_35_ALSO

/* Devices: types, attributes of a type, attributes of a device. The middle of an attribute's name
 * is the type of its value. */
typedef enum {
  PAPI_DEV_TYPE_ID__CPU,
  PAPI_DEV_TYPE_ID__CUDA,
  PAPI_DEV_TYPE_ID__ROCM,
  PAPI_DEV_TYPE_ID__MAX_NUM
} PAPI_dev_type_id_e;

enum {
  PAPI_DEV_TYPE_ENUM__FIRST = 0,
  PAPI_DEV_TYPE_ENUM__CPU = (1 << PAPI_DEV_TYPE_ID__CPU),
  PAPI_DEV_TYPE_ENUM__CUDA = (1 << PAPI_DEV_TYPE_ID__CUDA),
  PAPI_DEV_TYPE_ENUM__ROCM = (1 << PAPI_DEV_TYPE_ID__ROCM),
  PAPI_DEV_TYPE_ENUM__ALL = (1 << PAPI_DEV_TYPE_ID__MAX_NUM) - 1
};

typedef enum {
  PAPI_DEV_TYPE_ATTR__INT_PAPI_ID,
  PAPI_DEV_TYPE_ATTR__INT_VENDOR_ID,
  PAPI_DEV_TYPE_ATTR__CHAR_NAME,
  PAPI_DEV_TYPE_ATTR__INT_COUNT,
  PAPI_DEV_TYPE_ATTR__CHAR_STATUS
} PAPI_dev_type_attr_e;

typedef enum {
  PAPI_DEV_ATTR__CPU_CHAR_NAME,
  PAPI_DEV_ATTR__CPU_UINT_L1I_CACHE_SIZE,
  PAPI_DEV_ATTR__CPU_UINT_L1D_CACHE_SIZE,
  PAPI_DEV_ATTR__CPU_UINT_L2U_CACHE_SIZE,
  PAPI_DEV_ATTR__CPU_UINT_L3U_CACHE_SIZE,
  PAPI_DEV_ATTR__CPU_UINT_L1I_CACHE_LINE_SIZE,
  PAPI_DEV_ATTR__CPU_UINT_L1D_CACHE_LINE_SIZE,
  PAPI_DEV_ATTR__CPU_UINT_L2U_CACHE_LINE_SIZE,
  PAPI_DEV_ATTR__CPU_UINT_L3U_CACHE_LINE_SIZE,
  PAPI_DEV_ATTR__CPU_UINT_L1I_CACHE_LINE_COUNT,
  PAPI_DEV_ATTR__CPU_UINT_L1D_CACHE_LINE_COUNT,
  PAPI_DEV_ATTR__CPU_UINT_L2U_CACHE_LINE_COUNT,
  PAPI_DEV_ATTR__CPU_UINT_L3U_CACHE_LINE_COUNT,
  PAPI_DEV_ATTR__CPU_UINT_L1I_CACHE_ASSOC,
  PAPI_DEV_ATTR__CPU_UINT_L1D_CACHE_ASSOC,
  PAPI_DEV_ATTR__CPU_UINT_L2U_CACHE_ASSOC,
  PAPI_DEV_ATTR__CPU_UINT_L3U_CACHE_ASSOC,
  PAPI_DEV_ATTR__CPU_UINT_SOCKET_COUNT,
  PAPI_DEV_ATTR__CPU_UINT_NUMA_COUNT,
  PAPI_DEV_ATTR__CPU_UINT_CORE_COUNT,
  PAPI_DEV_ATTR__CPU_UINT_THREAD_COUNT,
  PAPI_DEV_ATTR__CPU_UINT_FAMILY,
  PAPI_DEV_ATTR__CPU_UINT_MODEL,
  PAPI_DEV_ATTR__CPU_UINT_STEPPING,
  PAPI_DEV_ATTR__CPU_UINT_NUMA_MEM_SIZE,
  PAPI_DEV_ATTR__CPU_UINT_THR_NUMA_AFFINITY,
  PAPI_DEV_ATTR__CPU_UINT_THR_PER_NUMA,
  PAPI_DEV_ATTR__CUDA_ULONG_UID,
  PAPI_DEV_ATTR__CUDA_CHAR_DEVICE_NAME,
  PAPI_DEV_ATTR__CUDA_UINT_WARP_SIZE,
  PAPI_DEV_ATTR__CUDA_UINT_SHM_PER_BLK,
  PAPI_DEV_ATTR__CUDA_UINT_SHM_PER_SM,
  PAPI_DEV_ATTR__CUDA_UINT_BLK_DIM_X,
  PAPI_DEV_ATTR__CUDA_UINT_BLK_DIM_Y,
  PAPI_DEV_ATTR__CUDA_UINT_BLK_DIM_Z,
  PAPI_DEV_ATTR__CUDA_UINT_GRD_DIM_X,
  PAPI_DEV_ATTR__CUDA_UINT_GRD_DIM_Y,
  PAPI_DEV_ATTR__CUDA_UINT_GRD_DIM_Z,
  PAPI_DEV_ATTR__CUDA_UINT_THR_PER_BLK,
  PAPI_DEV_ATTR__CUDA_UINT_SM_COUNT,
  PAPI_DEV_ATTR__CUDA_UINT_MULTI_KERNEL,
  PAPI_DEV_ATTR__CUDA_UINT_MAP_HOST_MEM,
  PAPI_DEV_ATTR__CUDA_UINT_MEMCPY_OVERLAP,
  PAPI_DEV_ATTR__CUDA_UINT_UNIFIED_ADDR,
  PAPI_DEV_ATTR__CUDA_UINT_MANAGED_MEM,
  PAPI_DEV_ATTR__CUDA_UINT_COMP_CAP_MAJOR,
  PAPI_DEV_ATTR__CUDA_UINT_COMP_CAP_MINOR,
  PAPI_DEV_ATTR__CUDA_UINT_BLK_PER_SM,
  PAPI_DEV_ATTR__ROCM_ULONG_UID,
  PAPI_DEV_ATTR__ROCM_CHAR_DEVICE_NAME,
  PAPI_DEV_ATTR__ROCM_UINT_WAVEFRONT_SIZE,
  PAPI_DEV_ATTR__ROCM_UINT_WORKGROUP_SIZE,
  PAPI_DEV_ATTR__ROCM_UINT_WAVE_PER_CU,
  PAPI_DEV_ATTR__ROCM_UINT_SHM_PER_WG,
  PAPI_DEV_ATTR__ROCM_UINT_WG_DIM_X,
  PAPI_DEV_ATTR__ROCM_UINT_WG_DIM_Y,
  PAPI_DEV_ATTR__ROCM_UINT_WG_DIM_Z,
  PAPI_DEV_ATTR__ROCM_UINT_GRD_DIM_X,
  PAPI_DEV_ATTR__ROCM_UINT_GRD_DIM_Y,
  PAPI_DEV_ATTR__ROCM_UINT_GRD_DIM_Z,
  PAPI_DEV_ATTR__ROCM_UINT_CU_COUNT,
  PAPI_DEV_ATTR__ROCM_UINT_SIMD_PER_CU,
  PAPI_DEV_ATTR__ROCM_UINT_COMP_CAP_MAJOR,
  PAPI_DEV_ATTR__ROCM_UINT_COMP_CAP_MINOR
} PAPI_dev_attr_e;

/* ---- Library and threads -------------------------------------------------------------------- */

/* Starts the library. `version` must be PAPI_VER_CURRENT, which is also the result on success. Any
 * other result is an error: PAPI_EINVAL (another version), PAPI_ENOMEM, PAPI_EMISC (called in a
 * handler that interrupted the library). May be called again; in a forked child it clears
 * everything and starts anew. */
int PAPI_library_init(int version);
/* Stops and destroys all event sets and restores all defaults. PAPI_library_init() may follow. */
void PAPI_shutdown(void);
/* Returns PAPI_NOT_INITED or the or-ed levels. Signals: safe. */
int PAPI_is_initialized(void);
/* Sets the function that returns the calling thread's id. It may also be called in signal handlers.
 * Fails: PAPI_EINVAL (null). */
int PAPI_thread_init(unsigned long (*id_fn)(void));
/* Returns the calling thread's id; (unsigned long)PAPI_EMISC if no function was set. */
unsigned long PAPI_thread_id(void);
/* Add the calling thread to the list of threads, and remove it. Not necessary: threads are added by
 * their first call and removed at their end. Fail: PAPI_ENOMEM; PAPI_EMISC (remove: not in the
 * list). */
int PAPI_register_thread(void);
int PAPI_unregister_thread(void);
/* Stores the ids of the known threads. *number: in: elements of tids; out: number of threads. tids
 * null: the number alone. Fails: PAPI_EINVAL (no number, or *number <= 0 with tids). */
int PAPI_list_threads(unsigned long* tids, int* number);
/* Read and set a pointer of the program's, one for each thread and tag (PAPI_USR1_TLS and so on).
 * PAPI_get_thr_specific() with PAPI_TLS_ALL_THREADS or-ed to the tag takes a PAPI_all_thr_spec_t as
 * ptr. Fail: PAPI_EINVAL, PAPI_ENOMEM. */
int PAPI_get_thr_specific(int tag, void** ptr);
int PAPI_set_thr_specific(int tag, void* ptr);
/* Take and release one of the two locks for programs, PAPI_USR1_LOCK and PAPI_USR2_LOCK. A thread
 * that waits sleeps. Locks do not nest: a thread that takes a lock twice waits forever. Fail:
 * PAPI_EINVAL. They work before PAPI_library_init(). */
int PAPI_lock(int);
int PAPI_unlock(int);

/* ---- Errors --------------------------------------------------------------------------------- */

/* Returns the text of a code, valid as long as the library is loaded; null: no such code. Must not
 * be written. Signals: safe. */
char* PAPI_strerror(int);
/* Prints the last failure of the calling thread on stderr: "msg: text", or without msg (null or
 * empty) the text alone. If the last call left a message about its failure, ": message" follows. */
#ifndef PAPI_API_35
void PAPI_perror(const char* msg);
#endif
/* Sets how failures are reported: PAPI_QUIET, PAPI_VERB_ECONT or PAPI_VERB_ESTOP. Fails:
 * PAPI_EINVAL. */
int PAPI_set_debug(int level);

/* ---- Event sets ----------------------------------------------------------------------------- */

/* Makes an empty event set. *EventSet must be PAPI_NULL and becomes its handle, the lowest free
 * number from 0. Fails: PAPI_EINVAL, PAPI_ENOMEM, PAPI_EMISC (in a handler that interrupted the
 * library). */
int PAPI_create_eventset(int* EventSet);
/* Assigns a component to an empty set; otherwise its first event does. Fails: PAPI_EINVAL (the set
 * has one), PAPI_ENOCMP, PAPI_ECMP_DISABLED. */
int PAPI_assign_eventset_component(int EventSet, int cidx);
/* Removes all events, overflows and the component from a stopped set. Fails: PAPI_EISRUN. */
int PAPI_cleanup_eventset(int EventSet);
/* Destroys an empty, stopped set and sets *EventSet to PAPI_NULL. Fails: PAPI_EINVAL (not empty),
 * PAPI_EISRUN, PAPI_EMISC (in a handler that interrupted the library). */
int PAPI_destroy_eventset(int* EventSet);

/* Add events to a stopped set and open their counters, so that a conflict is known at once. Fail:
 * PAPI_ENOEVNT, PAPI_ECNFLCT, PAPI_EISRUN, PAPI_EINVAL (not an event, or of another component),
 * PAPI_EPERM, PAPI_EATTR, PAPI_ECOMBO, PAPI_ECMP_DISABLED, PAPI_ECOUNT, PAPI_ENOMEM. If
 * PAPI_add_events() fails after some events, it returns the number of events that it added. */
int PAPI_add_event(int EventSet, int Event);
int PAPI_add_named_event(int EventSet, const char* EventName);
int PAPI_add_events(int EventSet, int* Events, int number);
/* Remove events from a stopped set. Fail: PAPI_EINVAL (not in the set), PAPI_ENOEVNT (no event has
 * that name), PAPI_EISRUN. PAPI_remove_events() returns a number like PAPI_add_events(). */
int PAPI_remove_event(int EventSet, int EventCode);
int PAPI_remove_named_event(int EventSet, const char* EventName);
int PAPI_remove_events(int EventSet, int* Events, int number);

/* Stores the codes of the set's events in the order of adding. *number: in: elements of Events;
 * out: number of events in the set. Events may be null if *number is 0. */
int PAPI_list_events(int EventSet, int* Events, int* number);
/* Returns the number of events of the set. */
int PAPI_num_events(int EventSet);
/* Stores the state of a set in *status: PAPI_STOPPED or PAPI_RUNNING, or-ed with the other states.
 */
int PAPI_state(int EventSet, int* status);

/* ---- Counting ------------------------------------------------------------------------------- */

/* In all functions of this section, `values` has one element for each event of the set, in the
 * order of adding; the type of a value is the event's data_type. */

/* Counts from zero. Fails: PAPI_ENOCMP (the set has no component yet), PAPI_EINVAL
 * (no events), PAPI_EISRUN (this set or another one of the thread runs in the same component),
 * PAPI_ECNFLCT, PAPI_ESYS. Signals: safe for a set that counts the interrupted thread, as
 * PAPI_stop(), PAPI_read(), PAPI_accum() and PAPI_reset() are. */
int PAPI_start(int EventSet);
/* Stops counting; the counts can still be read. values may be null. Fails: PAPI_ENOTRUN,
 * PAPI_ENOCMP, PAPI_ECLOST (values are lower bounds). */
int PAPI_stop(int EventSet, long long* values);
/* Reads the counts without stopping. Fails: PAPI_ENOCMP, PAPI_ESYS, PAPI_ECLOST (values are set,
 * but lower bounds). */
int PAPI_read(int EventSet, long long* values);
/* PAPI_read(), and PAPI_get_real_cyc() directly after it. Signals: as PAPI_read(). */
int PAPI_read_ts(int EventSet, long long* values, long long* cyc);
/* Adds the counts to values and counts on from zero. No count is lost between the two. */
int PAPI_accum(int EventSet, long long* values);
/* Counts on from zero. */
int PAPI_reset(int EventSet);
/* Sets the counts to values. Fails: PAPI_ENOSUPP (derived events, or counters that cannot be
 * written), PAPI_EINVAL (a stopped set of component sde). */
int PAPI_write(int EventSet, long long* values);

/* ---- Clocks --------------------------------------------------------------------------------- */

/* Read clocks. real: time since a fixed point; virt: CPU time of the calling thread. In cycles,
 * nanoseconds and microseconds. Never decreasing. Real time never fails and works before
 * PAPI_library_init(); virtual time fails with PAPI_ECNFLCT before it. Signals: safe. */
long long PAPI_get_real_cyc(void);
long long PAPI_get_real_nsec(void);
long long PAPI_get_real_usec(void);
long long PAPI_get_virt_cyc(void);
long long PAPI_get_virt_nsec(void);
long long PAPI_get_virt_usec(void);

/* ---- Overflow and profiling ----------------------------------------------------------------- */

/* Calls handler each time the event has counted `threshold` more; threshold 0 switches that off.
 * The set must be stopped. flags: 0, PAPI_OVERFLOW_HARDWARE or PAPI_OVERFLOW_FORCE_SW. A set has
 * one handler, the one set last. Fails: PAPI_EINVAL (negative threshold, no handler, a derived
 * event without PAPI_OVERFLOW_FORCE_SW, a set that counts another thread), PAPI_ENOEVNT (not in the
 * set), PAPI_ENOCMP, PAPI_EISRUN, PAPI_ECNFLCT (hardware and software in one set, or the event is
 * profiled), PAPI_ECOUNT (a counter beyond the 64th), PAPI_ENOMEM. */
int PAPI_overflow(int EventSet, int EventCode, int threshold, int flags,
                  PAPI_overflow_handler_t handler);
/* Converts a handler's overflow_vector into indices of events of the set. *number: in: elements of
 * array; out: indices stored. Fails: PAPI_EINVAL (also: empty vector, no room, empty set). Signals:
 * safe. */
int PAPI_get_overflow_event_index(int Eventset, long long overflow_vector, int* array, int* number);
/* Counts samples in buckets by program address, one sample each `threshold` counts; threshold 0
 * switches that off. The set must be stopped. buf has bufsiz bytes, stays the caller's and is
 * written while the set runs. scale as PAPI_sprofil_t::pr_scale, 2 to 0x20000. The buckets are
 * complete after PAPI_read() and PAPI_stop(). Fails: PAPI_EINVAL, PAPI_ENOEVNT, PAPI_EISRUN,
 * PAPI_ECNFLCT, PAPI_ENOSUPP, PAPI_ENOMEM. */
#ifndef PAPI_API_35
int PAPI_profil(void* buf, unsigned bufsiz, vptr_t offset, unsigned scale, int EventSet,
                int EventCode, int threshold, int flags);
#endif
/* PAPI_profil() for several regions. A region of offset 0 and scale 2 gets the samples of no other
 * region. prof and its buckets stay the caller's and must stay valid while the event is profiled.
 */
int PAPI_sprofil(PAPI_sprofil_t* prof, int profcnt, int EventSet, int EventCode, int threshold,
                 int flags);

/* ---- Options -------------------------------------------------------------------------------- */

/* Read and set options; see the list of options. PAPI_get_cmp_opt() reads an option of a component.
 * Fail: PAPI_EINVAL, PAPI_ENOEVST, PAPI_EISRUN, PAPI_ENOCMP, PAPI_ECMP, PAPI_EINVAL_DOM,
 * PAPI_ENOSUPP. */
int PAPI_get_opt(int option, PAPI_option_t* ptr);
int PAPI_get_cmp_opt(int option, PAPI_option_t* ptr, int cidx);
int PAPI_set_opt(int option, PAPI_option_t* ptr);
/* Set the default of event sets that get their component later; component 0, or cidx. Fail:
 * PAPI_EINVAL, PAPI_ENOCMP, PAPI_ENOSUPP, PAPI_ENOINIT. */
int PAPI_set_domain(int domain);
int PAPI_set_cmp_domain(int domain, int cidx);
int PAPI_set_granularity(int granularity);
int PAPI_set_cmp_granularity(int granularity, int cidx);
/* Multiplex a set: more events than counters take turns and their counts are scaled. The set must
 * be stopped and have a component. PAPI_multiplex_init() does nothing and returns PAPI_OK. Fail:
 * PAPI_EINVAL (multiplexed already), PAPI_EISRUN, PAPI_ENOCMP, PAPI_ENOSUPP, PAPI_ENOMEM. */
int PAPI_multiplex_init(void);
int PAPI_set_multiplex(int EventSet);
/* Returns 1 if the set is multiplexed, else 0. */
int PAPI_get_multiplex(int EventSet);
/* Make a set count another thread or process, given by the kernel's id (or the id of
 * PAPI_thread_id()), and count the caller again. The set must be stopped and have a component.
 * Fail: PAPI_ECMP (the component cannot attach), PAPI_EINVAL (no such thread, not attached, or a
 * set that overflows), PAPI_EISRUN, PAPI_EPERM. */
int PAPI_attach(int EventSet, unsigned long tid);
int PAPI_detach(int EventSet);

/* ---- Events --------------------------------------------------------------------------------- */

/* Ask whether this machine can count an event: PAPI_OK. Fail: PAPI_ENOEVNT, PAPI_ENOTPRESET (a code
 * beyond the presets), PAPI_ECMP_DISABLED; by name also PAPI_EINVAL (not a name), PAPI_EATTR and
 * PAPI_ECOMBO (umasks and modifiers). */
int PAPI_query_event(int EventCode);
int PAPI_query_named_event(const char* EventName);
/* Convert a code to a name (out has PAPI_MAX_STR_LEN bytes), and a name to a code. Fail: as the
 * queries. */
int PAPI_event_code_to_name(int EventCode, char* out);
int PAPI_event_name_to_code(const char* in, int* out);
/* Describes an event. A preset that cannot be counted here has count 0. Fails: PAPI_ENOTPRESET (a
 * code that is not an event's, or of a preset that does not exist), PAPI_ENOEVNT. */
int PAPI_get_event_info(int EventCode, PAPI_event_info_t* info);
/* Replaces *EventCode by the next event. Begin with PAPI_NATIVE_MASK or PAPI_PRESET_MASK and
 * PAPI_ENUM_FIRST. Fail: PAPI_ENOEVNT (no further event), PAPI_ENOCMP, PAPI_EINVAL, PAPI_ENOIMPL
 * (modifiers for Itanium). */
#ifndef PAPI_API_35
int PAPI_enum_event(int* EventCode, int modifier);
#endif
int PAPI_enum_cmp_event(int* EventCode, int modifier, int cidx);

/* ---- Components and devices ----------------------------------------------------------------- */

/* Returns the number of components; indices are 0 to that number - 1 and never change. Works before
 * PAPI_library_init(). */
int PAPI_num_components(void);
/* Describes a component. The structure is the library's and valid until PAPI_shutdown(); each call
 * updates it. Null: no such component. */
const PAPI_component_info_t* PAPI_get_component_info(int cidx);
/* Return the index of the component with a name, of an event, of a set. Fail: PAPI_ENOCMP,
 * PAPI_ENOEVNT, PAPI_ENOEVST. */
int PAPI_get_component_index(const char* name);
int PAPI_get_event_component(int EventCode);
int PAPI_get_eventset_component(int EventSet);
/* Disable a component; before PAPI_library_init() only. Fail: PAPI_ENOINIT (after it), PAPI_ENOCMP.
 */
int PAPI_disable_component(int cidx);
int PAPI_disable_component_by_name(const char* name);
/* Return the number of counters of component 0 or cidx; 0 before PAPI_library_init(). Fail:
 * PAPI_ENOCMP. */
int PAPI_num_hwctrs(void);
int PAPI_num_cmp_hwctrs(int cidx);
/* Stores the handle of the next type of device among those or-ed in enum_modifier.
 * PAPI_DEV_TYPE_ENUM__FIRST restarts the calling thread's enumeration with the first type. Fails:
 * PAPI_EINVAL (no further type). */
int PAPI_enum_dev_type(int enum_modifier, void** handle);
/* Read attributes of a type, and of its device `id` (from 0). value points to the type in the
 * attribute's name; text is stored as const char*, valid until the process ends. Fail: PAPI_ENOSUPP
 * (no such attribute), PAPI_EINVAL. */
int PAPI_get_dev_type_attr(void* handle, PAPI_dev_type_attr_e attr, void* value);
int PAPI_get_dev_attr(void* handle, int id, PAPI_dev_attr_e attr, void* value);

/* ---- The machine and the program ------------------------------------------------------------ */

/* Describe the machine, the program and its libraries. The structures are the library's and stay
 * valid. Null: a failure (PAPI_perror), also before
 * PAPI_library_init(). PAPI_get_shared_lib_info() looks at the loaded libraries in each call; an
 * answer is valid until 63 different ones were given. */
const PAPI_hw_info_t* PAPI_get_hardware_info(void);
const PAPI_exe_info_t* PAPI_get_executable_info(void);
const PAPI_shlib_info_t* PAPI_get_shared_lib_info(void);
/* Stores the memory use of this process. Fails: PAPI_EINVAL, PAPI_ESYS. */
int PAPI_get_dmem_info(PAPI_dmem_info_t* dest);

/* ---- Rates ---------------------------------------------------------------------------------- */

/* Measure rates. The first call starts the counters; later calls return seconds (rtime: real,
 * ptime: CPU), counts and the rate since the previous call: millions per second of CPU time, or per
 * cycle. A thread measures one kind at a time, until PAPI_rate_stop(). event: PAPI_FP_INS,
 * PAPI_VEC_SP or PAPI_VEC_DP (flips); PAPI_FP_OPS, PAPI_SP_OPS or PAPI_DP_OPS (flops); PAPI_epc():
 * any, 0 for PAPI_TOT_INS; *ref is 0 without PAPI_REF_CYC. The library need not be started. Fail:
 * PAPI_EINVAL (null, or the thread counts something else), PAPI_ENOEVNT, and the errors of
 * PAPI_add_event() and PAPI_start(). */
int PAPI_flips_rate(int event, float* rtime, float* ptime, long long* flpins, float* mflips);
int PAPI_flops_rate(int event, float* rtime, float* ptime, long long* flpops, float* mflops);
#ifndef PAPI_API_35
int PAPI_ipc(float* rtime, float* ptime, long long* ins, float* ipc);
#endif
int PAPI_epc(int event, float* rtime, float* ptime, long long* ref, long long* core, long long* evt,
             float* epc);
/* Stops the rate of the calling thread. Fails: PAPI_ENOEVNT (none is measured). */
int PAPI_rate_stop(void);

/* ---- High level ----------------------------------------------------------------------------- */

/* Counts in named regions of each thread. PAPI_EVENTS names the events; the report is written at
 * the end of the process. Regions nest and must end in the thread in which they began.
 * PAPI_hl_read() adds a reading to an open region; PAPI_hl_stop() stops the thread's counters until
 * the next begin. The library need not be started. Fail: PAPI_EINVAL (no such open region, or one
 * inside it is open), PAPI_EMISC (no region has begun, or the first begin failed), PAPI_ENOEVNT
 * (PAPI_hl_stop(): nothing counts). */
int PAPI_hl_region_begin(const char* region);
int PAPI_hl_read(const char* region);
int PAPI_hl_region_end(const char* region);
int PAPI_hl_stop(void);

/* ---- User-defined events (PAPI 3.5) ---------------------------------------------------------- */

/* Adds or changes all events of a file, or none. Each line is one event, in the columns
 *   name,derived,postfix,short_descr,long_descr,note,[native,...]
 * The first line has these words. Texts that contain commas are quoted. A name that is not a
 * preset's makes a user event. replace 0: events that exist are an error. Fails: PAPI_EPERM (the
 * event exists, replace 0), PAPI_EISRUN (it is in an event set), PAPI_EINVAL (the file or a line;
 * the message begins with file, line and column), PAPI_ENOTPRESET (no room), PAPI_ESYS (reading).
 */
int PAPI_encode_events(const char* event_file, int replace);
/* PAPI_encode_events() for one event, given by symbol, derived, postfix, short_descr, long_descr,
 * note and the names of native events up to the first empty one. event_code must have the bit
 * PAPI_PRESET_MASK (else PAPI_ENOEVNT); *EventCode becomes the event's code. Fails: as
 * PAPI_encode_events(). */
int PAPI_set_event_info(PAPI_event_info_t* info, int* EventCode, int replace);

/* ---- High level of PAPI 3.5 ----------------------------------------------------------------- */

/* Each thread starts a list of events of one component, and reads, accumulates and stops them. The
 * library need not be started. Event sets may be used as well, but a thread runs one set of a
 * component at a time. */

/* Returns the number of events that can be counted at once. Fails: as PAPI_library_init(). */
int PAPI_num_counters(void);
/* Counts from zero. Fails: PAPI_EINVAL (no list), PAPI_EISRUN (started already, or an event set of
 * the component runs), and the errors of PAPI_add_event(). */
int PAPI_start_counters(int* events, int array_len);
/* Store the counts since the start or since the last of these calls, or add them to values. No
 * count is lost in between. Fail: PAPI_EINVAL (not started, fewer values than events, null). */
int PAPI_read_counters(long long* values, int array_len);
int PAPI_accum_counters(long long* values, int array_len);
/* Stops the counters, or a rate (array_len may then be 0). values may be null. Fails: PAPI_ENOTRUN,
 * PAPI_EINVAL (fewer values than events; the counters run on). */
int PAPI_stop_counters(long long* values, int array_len);
/* As PAPI_flips_rate(PAPI_FP_INS), PAPI_flops_rate(PAPI_FP_OPS) and PAPI_ipc(), but seconds and
 * counts since the first call. */
int PAPI_flips(float* rtime, float* ptime, long long* flpins, float* mflips);
int PAPI_flops(float* rtime, float* ptime, long long* flpops, float* mflops);
int PAPI_ipc_35(float* rtime, float* ptime, long long* ins, float* ipc);

/* ---- Older names ---------------------------------------------------------------------------- */

#define PAPI_COMPONENT_INDEX(a) PAPI_get_event_component(a)
#define PAPI_descr_error(a) PAPI_strerror(a)

#ifdef __cplusplus
}
#endif

#pragma GCC visibility pop

#ifdef PAPI_API_35
#include "papi35.h"
#endif

#undef _PAPI_ABI

#endif

#if defined(PAPI_API_35) && !defined(_PAPI_SPEAKS_35)
#error "papi.h of PAPI 7.0 is included already: define PAPI_API_35, or include papi35.h, first"
#endif
