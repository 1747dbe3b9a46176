/* Counting, sampling and timing of programs: the interface of PAPI 7.0, as Countersink offers it.
 * papi-7.1/papi.h and papi-7.2/papi.h are this text as PAPI 7.1 and 7.2 have it.
 *
 * Names, values and layouts are PAPI's ABI, so that a program built against either header runs
 * on either library. The text and the library behind it are Countersink's own.
 *
 * What holds for every function unless its own lines say otherwise:
 *  - It returns PAPI_OK, or a result >= 0, or one of the negative codes below. A call that fails
 *    changes nothing.
 *  - PAPI_library_init() comes first; before it the answer is PAPI_ENOINIT. What needs no counters
 *    works before it: clocks, locks, PAPI_set_debug(), what the machine and the program are, and
 *    the list of components.
 *  - An unknown event set is PAPI_ENOEVST, a null pointer or an unknown option PAPI_EINVAL.
 *  - Threads: any thread may call it, also one that the library has never seen. Two threads that
 *    use one event set at a time order their calls themselves.
 *  - Signals: not for signal handlers. The exceptions carry "Signals: safe".
 *
 * With PAPI_API_35 defined before it this header speaks PAPI 3.5, wherever the two differ:
 * papi35.h.
 */
#ifndef _PAPI
#define _PAPI

#include <limits.h>
#include <signal.h>
#include <sys/types.h>

#include "papiStdEventDefs.h"

/* The folder of the version that the program chose sets it; the end of this file takes it back. */
#ifndef _PAPI_FACE
#define _PAPI_FACE 70
#endif

#ifdef PAPI_API_35
#if _PAPI_FACE > 71
#error "PAPI 3.5's face goes with papi.h of PAPI 7.0"
#endif
#define _PAPI_SPEAKS_35
/* One member under its name of 7.0 and that of 3.5. */
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

#if _PAPI_FACE == 72
#define PAPI_VERSION PAPI_VERSION_NUMBER(7, 2, 0, 0)
#elif _PAPI_FACE == 71
#define PAPI_VERSION PAPI_VERSION_NUMBER(7, 1, 0, 0)
#else
#define PAPI_VERSION PAPI_VERSION_NUMBER(7, 0, 0, 0)
#endif
#define PAPI_VER_CURRENT (PAPI_VERSION & 0xffff0000) /* what PAPI_library_init() compares */

/* What kind of event a code names; see papiStdEventDefs.h for the bits. */
#define IS_NATIVE(EventCode) (((EventCode)&PAPI_NATIVE_MASK) && !((EventCode)&PAPI_PRESET_MASK))
#define IS_PRESET(EventCode) (((EventCode)&PAPI_PRESET_MASK) && !((EventCode)&PAPI_NATIVE_MASK))
#define IS_USER_DEFINED(EventCode) \
  (((EventCode)&PAPI_PRESET_MASK) && ((EventCode)&PAPI_NATIVE_MASK))

/* ---- Return codes --------------------------------------------------------------------------- */

#define PAPI_OK 0
#define PAPI_EINVAL (-1)         /* an argument is wrong */
#define PAPI_ENOMEM (-2)         /* no memory */
#define PAPI_ESYS (-3)           /* a system call failed; errno says why */
#define PAPI_ECMP (-4)           /* the component cannot do this */
#define PAPI_ESBSTR (-4)         /* the same by its older name */
#define PAPI_ECLOST (-5)         /* the counters were lost */
#define PAPI_EBUG (-6)           /* a fault of the library */
#define PAPI_ENOEVNT (-7)        /* no such event on this machine */
#define PAPI_ECNFLCT (-8)        /* it cannot be counted together with what is there */
#define PAPI_ENOTRUN (-9)        /* the event set is stopped */
#define PAPI_EISRUN (-10)        /* the event set is running */
#define PAPI_ENOEVST (-11)       /* no such event set */
#define PAPI_ENOTPRESET (-12)    /* not a preset event */
#define PAPI_ENOCNTR (-13)       /* no counters */
#define PAPI_EMISC (-14)         /* for want of a better code */
#define PAPI_EPERM (-15)         /* not permitted */
#define PAPI_ENOINIT (-16)       /* the library is not initialized */
#define PAPI_ENOCMP (-17)        /* no such component, or the set has none yet */
#define PAPI_ENOSUPP (-18)       /* not supported here */
#define PAPI_ENOIMPL (-19)       /* not implemented */
#define PAPI_EBUF (-20)          /* too small a buffer */
#define PAPI_EINVAL_DOM (-21)    /* the component does not count in that domain */
#define PAPI_EATTR (-22)         /* umasks or modifiers missing or wrong */
#define PAPI_ECOUNT (-23)        /* too many events or attributes */
#define PAPI_ECOMBO (-24)        /* attributes that exclude each other */
#define PAPI_ECMP_DISABLED (-25) /* the component is disabled; disabled_reason says why */
#define PAPI_EDELAY_INIT (-26)   /* the component starts at its first use */
#define PAPI_EMULPASS (-27)      /* the events need several passes */
#if _PAPI_FACE >= 72
#define PAPI_PARTIAL (-28) /* the component works in part; partially_disabled_reason says why */
#define PAPI_NUM_ERRORS 29
#else
#define PAPI_NUM_ERRORS 28
#endif

/* What PAPI_is_initialized() returns, or-ed. */
#define PAPI_NOT_INITED 0
#define PAPI_LOW_LEVEL_INITED 1
#define PAPI_HIGH_LEVEL_INITED 2
#define PAPI_THREAD_LEVEL_INITED 4

/* ---- Constants ------------------------------------------------------------------------------ */

#define PAPI_NULL (-1) /* an event set that was not created yet; no event */

/* Domains: in which modes of the processor an event counts. Or-ed. */
#define PAPI_DOM_USER 0x1
#define PAPI_DOM_MIN PAPI_DOM_USER
#define PAPI_DOM_KERNEL 0x2
#define PAPI_DOM_OTHER 0x4
#define PAPI_DOM_SUPERVISOR 0x8
#define PAPI_DOM_ALL (PAPI_DOM_USER | PAPI_DOM_KERNEL | PAPI_DOM_OTHER | PAPI_DOM_SUPERVISOR)
#define PAPI_DOM_MAX PAPI_DOM_ALL
#define PAPI_DOM_HWSPEC 0x80000000

/* Tags of PAPI_set_thr_specific(). PAPI_TLS_ALL_THREADS is or-ed to a tag. */
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

/* Granularities: whose events are counted. */
#define PAPI_GRN_THR 0x1 /* one thread */
#define PAPI_GRN_MIN PAPI_GRN_THR
#define PAPI_GRN_PROC 0x2     /* a process */
#define PAPI_GRN_PROCG 0x4    /* a process group */
#define PAPI_GRN_SYS 0x8      /* whatever runs on this CPU */
#define PAPI_GRN_SYS_CPU 0x10 /* whatever runs on all CPUs */
#define PAPI_GRN_MAX PAPI_GRN_SYS_CPU

/* The state of an event set, or-ed. */
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
#define PAPI_VERB_ECONT 1 /* and told to the debug handler */
#define PAPI_VERB_ESTOP 2 /* and told, and then the program ends */

/* Flags of PAPI_profil() and PAPI_sprofil(). */
#define PAPI_PROFIL_POSIX 0x0      /* as profil(3) */
#define PAPI_PROFIL_RANDOM 0x1     /* a random quarter of the samples is dropped */
#define PAPI_PROFIL_WEIGHTED 0x2   /* a bucket grows by the sample's weight */
#define PAPI_PROFIL_COMPRESS 0x4   /* full buckets drop samples in proportion */
#define PAPI_PROFIL_BUCKET_16 0x8  /* unsigned short, the default */
#define PAPI_PROFIL_BUCKET_32 0x10 /* unsigned int */
#define PAPI_PROFIL_BUCKET_64 0x20 /* unsigned long long */
#define PAPI_PROFIL_FORCE_SW 0x40  /* by a timer, not by the counter */
#define PAPI_PROFIL_DATA_EAR 0x80  /* addresses of data */
#define PAPI_PROFIL_INST_EAR 0x100 /* addresses of instructions, from the counter itself */
#define PAPI_PROFIL_BUCKETS (PAPI_PROFIL_BUCKET_16 | PAPI_PROFIL_BUCKET_32 | PAPI_PROFIL_BUCKET_64)

/* Flags of PAPI_overflow(). */
#define PAPI_OVERFLOW_FORCE_SW 0x40
#define PAPI_OVERFLOW_HARDWARE 0x80

/* PAPI_multiplex_option_t::flags. */
#define PAPI_MULTIPLEX_DEFAULT 0x0
#define PAPI_MULTIPLEX_FORCE_SW 0x1

/* PAPI_inherit_option_t::inherit. */
#define PAPI_INHERIT_ALL 1
#define PAPI_INHERIT_NONE 0

/* Options of PAPI_get_opt() and PAPI_set_opt(): member of PAPI_option_t, get or set. */
#define PAPI_DETACH 1            /* attach: set */
#define PAPI_DEBUG 2             /* debug: get, set */
#define PAPI_MULTIPLEX 3         /* multiplex: get, set */
#define PAPI_DEFDOM 4            /* defdomain: get, set */
#define PAPI_DOMAIN 5            /* domain: get, set */
#define PAPI_DEFGRN 6            /* defgranularity: get, set */
#define PAPI_GRANUL 7            /* granularity: get, set */
#define PAPI_DEF_MPX_NS 8        /* multiplex: get, set; nanoseconds */
#define PAPI_MAX_MPX_CTRS 11     /* get: the result */
#define PAPI_PROFIL 12           /* nothing; kept for the name */
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

#define PAPI_INIT_SLOTS 64   /* event sets that are there room for at first */
#define PAPI_MIN_STR_LEN 64  /* bytes, as all the following, with the end of the string */
#define PAPI_MAX_STR_LEN 128 /* what PAPI_event_code_to_name() may write */
#define PAPI_2MAX_STR_LEN 256
#define PAPI_HUGE_STR_LEN 1024
#define PAPI_PMU_MAX 80 /* PMU names of a component, at most */
#define PAPI_DERIVED 0x1

/* What PAPI_enum_event() steps through. The PRESET values are for presets, NTV for native events.
 */
enum {
  PAPI_ENUM_EVENTS = 0, /* all */
  PAPI_ENUM_FIRST,      /* goes to the first */
#if _PAPI_FACE >= 72
  PAPI_PRESET_ENUM_FIRST_COMP, /* goes to the first preset of a component */
#endif
  PAPI_PRESET_ENUM_AVAIL, /* those that this machine counts */
  PAPI_PRESET_ENUM_MSC,   /* the rest of the table: by subject */
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
#if _PAPI_FACE >= 72
  PAPI_PRESET_ENUM_CPU,       /* all presets of the processor, without those of components */
  PAPI_PRESET_ENUM_CPU_AVAIL, /* those of them that this machine counts */
#endif
  PAPI_NTV_ENUM_UMASKS,       /* the umasks and modifiers of an event, one by one */
  PAPI_NTV_ENUM_UMASK_COMBOS, /* and their combinations */
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

/* The group number inside a native code, on machines whose counters come in groups. */
#define PAPI_NTV_GROUP_AND_MASK 0x00FF0000
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

/* For PAPI_get_thr_specific() with PAPI_TLS_ALL_THREADS. The caller owns both arrays. */
typedef struct _papi_all_thr_spec {
  int num;              /* in: room of both arrays, out: threads */
  PAPI_thread_id_t* id; /* may be null */
  void** data;
} PAPI_all_thr_spec_t;

/* Told that events of a set overflowed. Bit i of overflow_vector is the set's i-th event;
 * address is where the program was, context its ucontext_t. It runs as a signal handler. */
typedef void (*PAPI_overflow_handler_t)(int EventSet, void* address, long long overflow_vector,
                                        void* context);

/* One region of PAPI_sprofil(). */
typedef struct _papi_sprofil {
  void* pr_base;     /* the buckets */
  unsigned pr_size;  /* bytes of them */
  vptr_t pr_off;     /* first address of the region */
  unsigned pr_scale; /* buckets to addresses: 0x10000 is one 16-bit bucket for two bytes */
} PAPI_sprofil_t;

typedef struct _papi_itimer_option {
  int itimer_num; /* ITIMER_REAL, ITIMER_VIRTUAL or ITIMER_PROF */
  int itimer_sig; /* its signal */
  int ns;         /* nanoseconds between ticks */
  int flags;      /* get: what ticks instead, see csink_papi.h; set: not looked at */
} PAPI_itimer_option_t;

typedef struct _papi_inherit_option {
  int eventset;
  int inherit; /* PAPI_INHERIT_ALL or PAPI_INHERIT_NONE */
} PAPI_inherit_option_t;

typedef struct _papi_domain_option {
  int def_cidx; /* the component, for the default */
  int eventset;
  int domain; /* PAPI_DOM_*, or-ed */
} PAPI_domain_option_t;

typedef struct _papi_granularity_option {
  int def_cidx; /* the component, for the default */
  int eventset;
  int granularity; /* PAPI_GRN_* */
} PAPI_granularity_option_t;

/* How a library is preloaded on this system. */
typedef struct _papi_preload_option {
  char lib_preload_env[PAPI_MAX_STR_LEN]; /* the variable that lists the libraries */
  char lib_preload_sep;                   /* between two of them */
  char lib_dir_env[PAPI_MAX_STR_LEN];     /* the variable that lists the folders */
  char lib_dir_sep;
} PAPI_preload_info_t;

/* A component: a family of counters, and what it can do here. */
typedef struct _papi_component_option {
  char name[PAPI_MAX_STR_LEN];
  char short_name[PAPI_MIN_STR_LEN];
  char description[PAPI_MAX_STR_LEN];
  char version[PAPI_MIN_STR_LEN];
  char support_version[PAPI_MIN_STR_LEN]; /* of the library it stands on */
  char kernel_version[PAPI_MIN_STR_LEN];
  char disabled_reason[PAPI_HUGE_STR_LEN]; /* a sentence */
  int disabled;                            /* 0, or the code it is disabled with */
#if _PAPI_FACE >= 72
  char partially_disabled_reason[PAPI_HUGE_STR_LEN]; /* a sentence */
  int partially_disabled;                            /* 1: some of its events do not count here */
#endif
  int initialized;
  int CmpIdx;
  int num_cntrs;     /* counters that can be used at once */
  int num_mpx_cntrs; /* with multiplexing */
  int num_preset_events;
  int num_native_events;
  int default_domain;
  int available_domains;
  int default_granularity;
  int available_granularities;
  int hardware_intr_sig; /* the signal of its overflows */
  int component_type;
  char* pmu_names[PAPI_PMU_MAX]; /* null after the last */
  int reserved[8];
  unsigned int hardware_intr : 1; /* it can interrupt at an overflow */
  unsigned int precise_intr : 1;
  unsigned int posix1b_timers : 1;
  unsigned int kernel_profile : 1;
  unsigned int kernel_multiplex : 1;
  unsigned int fast_counter_read : 1; /* without a system call */
  unsigned int fast_real_timer : 1;
  unsigned int fast_virtual_timer : 1;
  unsigned int attach : 1;
  unsigned int attach_must_ptrace : 1;
  unsigned int cntr_umasks : 1;
  unsigned int cpu : 1; /* it can count a CPU instead of a thread */
  unsigned int inherit : 1;
  unsigned int reserved_bits : 19;
} PAPI_component_info_t;

typedef struct _papi_mpx_info {
  int timer_sig;
  int timer_num;
  int timer_us;
} PAPI_mpx_info_t;

/* Told of an error. The library goes on if it returns. */
typedef int (*PAPI_debug_handler_t)(int code);

typedef struct _papi_debug_option {
  int level; /* PAPI_QUIET, PAPI_VERB_ECONT or PAPI_VERB_ESTOP */
  PAPI_debug_handler_t handler;
} PAPI_debug_option_t;

/* Where a program or library lies; an end is one past the last byte. */
typedef struct _papi_address_map {
  char name[PAPI_HUGE_STR_LEN];
  vptr_t text_start;
  vptr_t text_end;
  vptr_t data_start;
  vptr_t data_end;
  vptr_t bss_start;
  vptr_t bss_end;
} PAPI_address_map_t;

typedef struct _papi_program_info {
  char fullname[PAPI_HUGE_STR_LEN]; /* the file with its folder */
  PAPI_address_map_t address_info;
} PAPI_exe_info_t;

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

typedef struct _papi_mh_tlb_info {
  int type;
  int num_entries;
  int page_size;     /* bytes */
  int associativity; /* ways; SHRT_MAX or -1: fully */
} PAPI_mh_tlb_info_t;

typedef struct _papi_mh_cache_info {
  int type;
  int size;      /* bytes */
  int line_size; /* bytes */
  int num_lines;
  int associativity; /* ways; SHRT_MAX or -1: fully */
} PAPI_mh_cache_info_t;

typedef struct _papi_mh_level_info {
  PAPI_mh_tlb_info_t tlb[PAPI_MH_MAX_LEVELS];
  PAPI_mh_cache_info_t cache[PAPI_MH_MAX_LEVELS];
} PAPI_mh_level_t;

typedef struct _papi_mh_info {
  int levels;
  PAPI_mh_level_t level[PAPI_MAX_MEM_HIERARCHY_LEVELS];
} PAPI_mh_info_t;

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

typedef struct _papi_attach_option {
  int eventset;
  unsigned long tid; /* a thread or process id of the kernel */
} PAPI_attach_option_t;

typedef struct _papi_cpu_option {
  int eventset;
  unsigned int cpu_num;
} PAPI_cpu_option_t;

typedef struct _papi_multiplex_option {
  int eventset;
  PAPI_35_ALSO(int ns, int us);            /* nanoseconds of a turn */
  PAPI_35_ALSO(int flags, int max_degree); /* PAPI_MULTIPLEX_* */
} PAPI_multiplex_option_t;

typedef struct _papi_addr_range_option {
  int eventset;
  vptr_t start;
  vptr_t end;
  int start_off; /* out: by how much the hardware's range begins earlier */
  int end_off;   /* out: and ends later */
} PAPI_addr_range_option_t;

#ifdef PAPI_API_35
#include "papi35_abi.h"
#endif

/* What PAPI_get_opt() and PAPI_set_opt() take; the option says which member. */
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

/* Places of the same values in Fortran's array, from 1. */
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
#if _PAPI_FACE >= 72
#define PAPI_MAX_COMP_QUALS 8 /* qualifiers of a component's preset, at most */
#endif

/* PAPI_event_info_t::location: where the counter sits. */
enum { PAPI_LOCATION_CORE = 0, PAPI_LOCATION_CPU, PAPI_LOCATION_PACKAGE, PAPI_LOCATION_UNCORE };

/* PAPI_event_info_t::data_type: what the 64 bits of a value are. */
enum { PAPI_DATATYPE_INT64 = 0, PAPI_DATATYPE_UINT64, PAPI_DATATYPE_FP64, PAPI_DATATYPE_BIT64 };

/* PAPI_event_info_t::value_type: a sum that grows, or a level. */
enum { PAPI_VALUETYPE_RUNNING_SUM = 0, PAPI_VALUETYPE_ABSOLUTE };

/* PAPI_event_info_t::timescope: the time that a value is about. */
enum {
  PAPI_TIMESCOPE_SINCE_START = 0,
  PAPI_TIMESCOPE_SINCE_LAST,
  PAPI_TIMESCOPE_UNTIL_NEXT,
  PAPI_TIMESCOPE_POINT
};

/* PAPI_event_info_t::update_type: when the hardware renews a value. */
enum {
  PAPI_UPDATETYPE_ARBITRARY = 0,
  PAPI_UPDATETYPE_PUSH,
  PAPI_UPDATETYPE_PULL,
  PAPI_UPDATETYPE_FIXEDFREQ
};

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
#if _PAPI_FACE >= 72
  int num_quals; /* presets of components: what may stand behind the name, and what it means */
  char quals[PAPI_MAX_COMP_QUALS][PAPI_HUGE_STR_LEN];
  char quals_descrs[PAPI_MAX_COMP_QUALS][PAPI_HUGE_STR_LEN];
#endif
} PAPI_event_info_t;

#undef PAPI_35_ALSO

/* Devices: kinds, attributes of a kind, attributes of a device. The middle of an attribute's name
 * is the type that its value is written as. */
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

/* Starts the library. `version` is PAPI_VER_CURRENT; the answer is too, and anything else is a
 * failure: PAPI_EINVAL (another version), PAPI_ENOMEM, PAPI_ESYS, PAPI_ECMP. May be called again,
 * also in a forked child, which then starts anew. */
int PAPI_library_init(int version);
/* Stops every event set and frees everything; PAPI_library_init() may follow. */
void PAPI_shutdown(void);
/* PAPI_NOT_INITED or the or-ed levels. Signals: safe. */
int PAPI_is_initialized(void);
/* Gives the library the function that tells threads apart. The function is called in signal
 * handlers too. Fails: PAPI_EINVAL. */
int PAPI_thread_init(unsigned long (*id_fn)(void));
/* The caller's id by that function; (unsigned long)PAPI_EMISC without one. */
unsigned long PAPI_thread_id(void);
/* Announce a thread, and that it ends. Neither is needed. */
int PAPI_register_thread(void);
int PAPI_unregister_thread(void);
/* The ids of known threads. *number: in room of tids, out threads; tids null: only the number. */
int PAPI_list_threads(unsigned long* tids, int* number);
/* A pointer per thread and tag (PAPI_USR1_TLS...), the program's own. Fails: PAPI_EINVAL. */
int PAPI_get_thr_specific(int tag, void** ptr);
int PAPI_set_thr_specific(int tag, void* ptr);
/* Two locks for the program, PAPI_USR1_LOCK and PAPI_USR2_LOCK. They wait without spinning, and do
 * not nest. Fails: PAPI_EINVAL. */
int PAPI_lock(int);
int PAPI_unlock(int);

/* ---- Errors --------------------------------------------------------------------------------- */

/* A code's sentence, which lives as long as the library; null for no code. Signals: safe. */
char* PAPI_strerror(int);
/* Prints "msg: sentence" of the last failure to standard error, and after a colon what was wrong,
 * where the caller's last call left words about it; without msg the sentence alone. */
#ifndef PAPI_API_35
void PAPI_perror(const char* msg);
#endif
/* How errors are told: PAPI_QUIET, PAPI_VERB_ECONT, PAPI_VERB_ESTOP. Fails: PAPI_EINVAL. */
int PAPI_set_debug(int level);

/* ---- Event sets ----------------------------------------------------------------------------- */

/* Makes an empty event set of the calling thread. *EventSet must be PAPI_NULL. Fails: PAPI_EINVAL,
 * PAPI_ENOMEM. */
int PAPI_create_eventset(int* EventSet);
/* Binds an empty set to a component, which its first event would do otherwise. Fails: PAPI_EINVAL
 * (it has one), PAPI_ENOCMP. */
int PAPI_assign_eventset_component(int EventSet, int cidx);
/* Takes all events out of a stopped set. Fails: PAPI_EISRUN. */
int PAPI_cleanup_eventset(int EventSet);
/* Frees an empty, stopped set and sets *EventSet to PAPI_NULL. Fails: PAPI_EINVAL (events in it),
 * PAPI_EISRUN. */
int PAPI_destroy_eventset(int* EventSet);

/* Put events into a stopped set and open their counters. Fail: PAPI_ENOEVNT, PAPI_ECNFLCT,
 * PAPI_EISRUN, PAPI_EINVAL, PAPI_EPERM, PAPI_EATTR, PAPI_ECOMBO, PAPI_ENOMEM. PAPI_add_events()
 * returns the number of events it did add when a later one fails. */
int PAPI_add_event(int EventSet, int Event);
int PAPI_add_named_event(int EventSet, const char* EventName);
int PAPI_add_events(int EventSet, int* Events, int number);
/* Take events out of a stopped set. Fail: PAPI_EINVAL (not in the set), PAPI_ENOEVNT (no event has
 * that name), PAPI_EISRUN.
 * PAPI_remove_events() counts like PAPI_add_events(). */
int PAPI_remove_event(int EventSet, int EventCode);
int PAPI_remove_named_event(int EventSet, const char* EventName);
int PAPI_remove_events(int EventSet, int* Events, int number);

/* The codes in the set. *number: in room of Events, out events of the set, also those that had no
 * room; 0 with Events null asks for the number alone. */
int PAPI_list_events(int EventSet, int* Events, int* number);
int PAPI_num_events(int EventSet);
/* *status: PAPI_STOPPED, PAPI_RUNNING and the rest, or-ed. */
int PAPI_state(int EventSet, int* status);

/* ---- Counting ------------------------------------------------------------------------------- */

/* `values` has room for the set's events, in the order of adding.
 * Start from zero. Fails: PAPI_ENOCMP (no event yet), PAPI_EINVAL (no event any more), PAPI_EISRUN
 * (this set, or another of the thread in the same component), PAPI_ECNFLCT, PAPI_ESYS. */
int PAPI_start(int EventSet);
/* Stop; the counts stay readable. values may be null. Fails: PAPI_ENOTRUN, PAPI_ENOCMP. */
int PAPI_stop(int EventSet, long long* values);
/* Read without a stop. Signals: safe for a set of the interrupted thread. */
int PAPI_read(int EventSet, long long* values);
/* The same with PAPI_get_real_cyc() of the same moment. Signals: like PAPI_read(). */
int PAPI_read_ts(int EventSet, long long* values, long long* cyc);
/* Add the counts to values, then count from zero. */
int PAPI_accum(int EventSet, long long* values);
/* Count from zero. */
int PAPI_reset(int EventSet);
/* Make values the counts. Fails: PAPI_ECMP where counters cannot be written. */
int PAPI_write(int EventSet, long long* values);

/* ---- Clocks --------------------------------------------------------------------------------- */

/* Time that passed, and time that the calling thread ran: cycles, nanoseconds, microseconds from a
 * point that never moves. They never go back. They work before PAPI_library_init() too.
 * Signals: safe. */
long long PAPI_get_real_cyc(void);
long long PAPI_get_real_nsec(void);
long long PAPI_get_real_usec(void);
long long PAPI_get_virt_cyc(void);
long long PAPI_get_virt_nsec(void);
long long PAPI_get_virt_usec(void);

/* ---- Overflow and profiling ----------------------------------------------------------------- */

/* Calls handler each time the event has counted `threshold` more; 0 ends that. The set is stopped.
 * flags: 0, PAPI_OVERFLOW_HARDWARE or PAPI_OVERFLOW_FORCE_SW. A set has one handler, the last
 * given. Fails: PAPI_EINVAL (threshold < 0, no handler, a derived event), PAPI_ENOEVNT (not in the
 * set), PAPI_EISRUN, PAPI_ECNFLCT (hardware and software in one set), PAPI_ENOMEM. */
int PAPI_overflow(int EventSet, int EventCode, int threshold, int flags,
                  PAPI_overflow_handler_t handler);
/* The events of a handler's vector, by their place in the set. *number: in room of array, out
 * events. Fails: PAPI_EINVAL (also: empty vector, no room, empty set). Signals: safe. */
int PAPI_get_overflow_event_index(int Eventset, long long overflow_vector, int* array, int* number);
/* Counts samples in buckets by program address, a sample each `threshold` events; 0 ends that.
 * buf has bufsiz bytes and stays the caller's. scale as PAPI_sprofil_t::pr_scale, 2 to 0x20000.
 * Fails: PAPI_EINVAL, PAPI_ENOEVNT, PAPI_EISRUN, PAPI_ECNFLCT, PAPI_ENOSUPP, PAPI_ENOMEM. */
#ifndef PAPI_API_35
int PAPI_profil(void* buf, unsigned bufsiz, vptr_t offset, unsigned scale, int EventSet,
                int EventCode, int threshold, int flags);
#endif
/* The same for several regions at once; a region of offset 0 and scale 2 takes what no other holds.
 * prof and its buckets stay the caller's while profiling is on. */
int PAPI_sprofil(PAPI_sprofil_t* prof, int profcnt, int EventSet, int EventCode, int threshold,
                 int flags);

/* ---- Options -------------------------------------------------------------------------------- */

/* See the list of options. PAPI_get_cmp_opt() asks about a component. Results >= 0 are values.
 * Fail: PAPI_EINVAL, PAPI_ENOEVST, PAPI_EISRUN, PAPI_ENOCMP, PAPI_ECMP, PAPI_EINVAL_DOM. */
int PAPI_get_opt(int option, PAPI_option_t* ptr);
int PAPI_get_cmp_opt(int option, PAPI_option_t* ptr, int cidx);
int PAPI_set_opt(int option, PAPI_option_t* ptr);
/* What event sets made from now on begin with; component 0 unless named. Fail: PAPI_EINVAL,
 * PAPI_ENOCMP, PAPI_ENOINIT. */
int PAPI_set_domain(int domain);
int PAPI_set_cmp_domain(int domain, int cidx);
int PAPI_set_granularity(int granularity);
int PAPI_set_cmp_granularity(int granularity, int cidx);
/* Multiplexing: more events than counters, in turns, counts scaled. The set must be stopped and
 * have a component. Fail: PAPI_EINVAL, PAPI_EISRUN, PAPI_ENOCMP, PAPI_ENOMEM. */
int PAPI_multiplex_init(void);
int PAPI_set_multiplex(int EventSet);
/* 1 if the set is multiplexed, else 0. */
int PAPI_get_multiplex(int EventSet);
/* Count another thread or process, by its id of the kernel, and the caller again. The set is
 * stopped and has a component. Fail: PAPI_ECMP, PAPI_EINVAL, PAPI_EISRUN, PAPI_EPERM. */
int PAPI_attach(int EventSet, unsigned long tid);
int PAPI_detach(int EventSet);

/* ---- Events --------------------------------------------------------------------------------- */

/* PAPI_OK if this machine counts the event. Fail: PAPI_ENOEVNT; by name also PAPI_EINVAL (not a
 * name), PAPI_EATTR and PAPI_ECOMBO (umasks and modifiers). */
int PAPI_query_event(int EventCode);
int PAPI_query_named_event(const char* EventName);
/* A name for a code; out has PAPI_MAX_STR_LEN bytes. And back. Fail like the query, the former also
 * with PAPI_ENOTPRESET. */
int PAPI_event_code_to_name(int EventCode, char* out);
int PAPI_event_name_to_code(const char* in, int* out);
/* Everything about an event. A preset that is not counted here has count 0. Fails: PAPI_ENOTPRESET
 * (a preset's code or none, that no preset has), PAPI_ENOEVNT. */
int PAPI_get_event_info(int EventCode, PAPI_event_info_t* info);
/* The next event after *EventCode; begin with PAPI_NATIVE_MASK or PAPI_PRESET_MASK and
 * PAPI_ENUM_FIRST. PAPI_ENOEVNT after the last. */
#ifndef PAPI_API_35
int PAPI_enum_event(int* EventCode, int modifier);
#endif
int PAPI_enum_cmp_event(int* EventCode, int modifier, int cidx);

/* ---- Components and devices ----------------------------------------------------------------- */

int PAPI_num_components(void);
/* The library's own, valid until PAPI_shutdown(); null if there is no such component. */
const PAPI_component_info_t* PAPI_get_component_info(int cidx);
/* A component by name, of an event, of a set. Fail: PAPI_ENOCMP, PAPI_ENOEVNT, PAPI_ENOEVST. */
int PAPI_get_component_index(const char* name);
int PAPI_get_event_component(int EventCode);
int PAPI_get_eventset_component(int EventSet);
/* Before PAPI_library_init() alone. Fail: PAPI_ENOINIT after it, PAPI_ENOCMP. */
int PAPI_disable_component(int cidx);
int PAPI_disable_component_by_name(const char* name);
/* Counters of component 0 or another; 0 before PAPI_library_init(). Fail: PAPI_ENOCMP. */
int PAPI_num_hwctrs(void);
int PAPI_num_cmp_hwctrs(int cidx);
/* The next kind of device among those or-ed in enum_modifier; *handle null for the first.
 * PAPI_EINVAL after the last. */
int PAPI_enum_dev_type(int enum_modifier, void** handle);
/* Attributes; value points to the type in the attribute's name, text to a const char*. Fail:
 * PAPI_ENOSUPP (no such attribute), PAPI_EINVAL. */
int PAPI_get_dev_type_attr(void* handle, PAPI_dev_type_attr_e attr, void* value);
int PAPI_get_dev_attr(void* handle, int id, PAPI_dev_attr_e attr, void* value);

/* ---- The machine and the program ------------------------------------------------------------ */

/* The library's own, valid until PAPI_shutdown(); null on failure. The list of libraries is made
 * anew by each call. */
const PAPI_hw_info_t* PAPI_get_hardware_info(void);
const PAPI_exe_info_t* PAPI_get_executable_info(void);
const PAPI_shlib_info_t* PAPI_get_shared_lib_info(void);
/* Fails: PAPI_EINVAL, PAPI_ESYS. */
int PAPI_get_dmem_info(PAPI_dmem_info_t* dest);

/* ---- Rates ---------------------------------------------------------------------------------- */

/* Start at a first call; later ones give seconds, counts and the rate since the one before:
 * millions a second of CPU time, or per cycle. Each thread has one kind at a time. Fail:
 * PAPI_EINVAL (null, or the thread counts something else), PAPI_ENOEVNT, and what counting fails
 * with. The library starts by itself. event: FP_INS, VEC_SP or VEC_DP; FP_OPS, SP_OPS or DP_OPS; of
 * PAPI_epc() any, 0 for PAPI_TOT_INS. *ref is 0 where there is no PAPI_REF_CYC. */
int PAPI_flips_rate(int event, float* rtime, float* ptime, long long* flpins, float* mflips);
int PAPI_flops_rate(int event, float* rtime, float* ptime, long long* flpops, float* mflops);
#ifndef PAPI_API_35
#ifndef PAPI_API_35
int PAPI_ipc(float* rtime, float* ptime, long long* ins, float* ipc);
#endif
#endif
int PAPI_epc(int event, float* rtime, float* ptime, long long* ref, long long* core, long long* evt,
             float* epc);
int PAPI_rate_stop(void);

/* ---- High level ----------------------------------------------------------------------------- */

/* Counts in named regions of each thread; the events come from PAPI_EVENTS, the report is written
 * at the end. Regions nest, and end in the thread they began in. The library starts by itself. */
int PAPI_hl_region_begin(const char* region);
int PAPI_hl_read(const char* region);
int PAPI_hl_region_end(const char* region);
int PAPI_hl_stop(void);

/* ---- Events of one's own (PAPI 3.5) ---------------------------------------------------------- */

/* Adds or changes the events of a file, all or none. A line is an event, in columns
 *   name,derived,postfix,short_descr,long_descr,note,[native,...]
 * under a line with these words; a text with commas stands in quotes. A name that is no preset's
 * makes a user event. replace: 0 keeps events that are there. Fails: PAPI_EPERM (an event is there,
 * replace 0), PAPI_EISRUN (it is in an event set), PAPI_EINVAL (the file, or a line: the sentence
 * begins with file, line and column), PAPI_ENOTPRESET (no room), PAPI_ESYS (reading). */
int PAPI_encode_events(const char* event_file, int replace);
/* The same for one event, given by symbol, derived, postfix, short_descr, long_descr, note and the
 * names of natives up to the first empty one. event_code has the bit PAPI_PRESET_MASK; *EventCode
 * gets the event's code. Fails so, and with PAPI_ENOEVNT without that bit. */
int PAPI_set_event_info(PAPI_event_info_t* info, int* EventCode, int replace);

/* ---- High level of PAPI 3.5 ----------------------------------------------------------------- */

/* Each thread starts a list of events of one component, and reads, adds or stops them. The library
 * starts by itself; event sets may be used beside it, one of a component at a time on a thread. */

/* How many events can be counted at a time. */
int PAPI_num_counters(void);
/* Counts from zero. Fails: PAPI_EINVAL (no list), PAPI_EISRUN (until PAPI_stop_counters, or while
 * an event set runs), and what PAPI_add_event() fails with. */
int PAPI_start_counters(int* events, int array_len);
/* The counts since the start, or the last of these calls, as values or added to them; nothing is
 * lost in between. Fail: PAPI_EINVAL (not started, fewer values than events, null). */
int PAPI_read_counters(long long* values, int array_len);
int PAPI_accum_counters(long long* values, int array_len);
/* Ends them, or a rate, for which array_len may be 0; null: the values are not told. Fails:
 * PAPI_ENOTRUN, PAPI_EINVAL (fewer values than events: they run on). */
int PAPI_stop_counters(long long* values, int array_len);
/* As PAPI_flips_rate(PAPI_FP_INS), PAPI_flops_rate(PAPI_FP_OPS) and PAPI_ipc(), but seconds and
 * counts are those since the first call. */
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

#undef _PAPI_FACE

#endif

#if defined(PAPI_API_35) && !defined(_PAPI_SPEAKS_35)
#error "papi.h came before this as PAPI 7.0's: define PAPI_API_35, or include papi35.h, before it"
#endif
