/* PAPI_get_opt, PAPI_set_opt: each row of the page's table of options, and each member of its
 * union. The page has no example of them. */
#include "example.h"

static int handler(int code) { return code; }

static void general(void) {
  PAPI_option_t o;
  CHECK(PAPI_get_opt(PAPI_CLOCKRATE, NULL) > 0 && PAPI_get_opt(PAPI_MAX_CPUS, NULL) > 0);
  CHECK(PAPI_get_opt(PAPI_MAX_HWCTRS, NULL) > 0 && PAPI_get_opt(PAPI_MAX_MPX_CTRS, NULL) > 0);
  CHECK(PAPI_get_opt(PAPI_LIB_VERSION, NULL) == PAPI_VERSION);
  CHECK(PAPI_get_opt(PAPI_EXEINFO, &o) == PAPI_OK && o.exe_info->fullname[0]);
  CHECK(PAPI_get_opt(PAPI_HWINFO, &o) == PAPI_OK && o.hw_info->totalcpus > 0);
  CHECK(PAPI_get_opt(PAPI_SHLIBINFO, &o) == PAPI_OK && o.shlib_info->count > 0);
  CHECK(PAPI_get_opt(PAPI_SUBSTRATEINFO, &o) == PAPI_OK && o.sub_info->num_cntrs > 0);
  CHECK(PAPI_set_opt(PAPI_SUBSTRATEINFO, &o) == PAPI_EINVAL);
  CHECK(PAPI_get_opt(PAPI_PRELOAD, &o) == PAPI_OK);
  {
    PAPI_preload_option_t preload = o.preload;
    CHECK(strcmp(preload.lib_preload_env, "LD_PRELOAD") == 0);
  }
}

static void defaults(void) {
  PAPI_option_t o;
  memset(&o, 0xee, sizeof o); /* 3.5 had no component to ask for */
  o.defdomain.domain = PAPI_DOM_USER | PAPI_DOM_KERNEL;
  CHECK(PAPI_set_opt(PAPI_DEFDOM, &o) == PAPI_OK);
  CHECK(PAPI_get_opt(PAPI_DEFDOM, NULL) == (PAPI_DOM_USER | PAPI_DOM_KERNEL));
  memset(&o, 0xee, sizeof o);
  CHECK(PAPI_get_opt(PAPI_DEFDOM, &o) > 0);
  CHECK(o.defdomain.domain == (PAPI_DOM_USER | PAPI_DOM_KERNEL));
  o.defgranularity.granularity = PAPI_GRN_THR;
  CHECK(PAPI_set_opt(PAPI_DEFGRN, &o) == PAPI_OK && PAPI_get_opt(PAPI_DEFGRN, NULL) > 0);
  o.debug.level = PAPI_VERB_ECONT;
  o.debug.handler = handler;
  CHECK(PAPI_set_opt(PAPI_DEBUG, &o) == PAPI_OK);
  memset(&o, 0, sizeof o);
  CHECK(PAPI_get_opt(PAPI_DEBUG, &o) == PAPI_OK && o.debug.level == PAPI_VERB_ECONT);
  CHECK(o.debug.handler == handler);
}

static void multiplexing(int EventSet) {
  PAPI_option_t o;
  memset(&o, 0, sizeof o);
  CHECK(PAPI_get_opt(PAPI_DEF_MPX_USEC, &o) == PAPI_OK && o.multiplex.us == 10000);
  o.multiplex.us = 2500;
  CHECK(PAPI_set_opt(PAPI_DEF_MPX_USEC, &o) == PAPI_OK);
  CHECK(PAPI_get_opt(PAPI_DEF_MPX_NS, &o) == PAPI_OK && o.multiplex.ns == 2500000);
  CHECK(PAPI_get_opt(PAPI_DEF_MPX_USEC, &o) == PAPI_OK && o.multiplex.us == 2500);
  o.multiplex.us = 2147484; /* more nanoseconds than an int holds */
  CHECK(PAPI_set_opt(PAPI_DEF_MPX_USEC, &o) == PAPI_EINVAL);
  o.multiplex.us = -1;
  CHECK(PAPI_set_opt(PAPI_DEF_MPX_USEC, &o) == PAPI_EINVAL);

  o.multiplex.eventset = EventSet;
  CHECK(PAPI_get_opt(PAPI_MULTIPLEX, &o) == 0);
  o.multiplex.us = 4000;
  o.multiplex.max_degree = 32;
  CHECK(PAPI_set_opt(PAPI_MULTIPLEX, &o) == PAPI_OK);
  o.multiplex.us = o.multiplex.max_degree = 0;
  CHECK(PAPI_get_opt(PAPI_MULTIPLEX, &o) > 0 && o.multiplex.us == 4000);
  CHECK(o.multiplex.max_degree >= 32);
}

static void sets(int EventSet) {
  PAPI_option_t o;
  memset(&o, 0, sizeof o);
  o.attach.eventset = EventSet;
  CHECK(PAPI_get_opt(PAPI_ATTACH, &o) == 0 && PAPI_get_opt(PAPI_DETACH, &o) > 0);
  o.attach.tid = (unsigned long)getpid();
  CHECK(PAPI_set_opt(PAPI_ATTACH, &o) == PAPI_OK && PAPI_get_opt(PAPI_ATTACH, &o) > 0);
  CHECK(PAPI_set_opt(PAPI_DETACH, &o) == PAPI_OK);
  memset(&o, 0, sizeof o);
  o.granularity.eventset = EventSet;
  o.granularity.granularity = PAPI_GRN_THR;
  CHECK(PAPI_set_opt(PAPI_GRANUL, &o) == PAPI_OK && PAPI_get_opt(PAPI_GRANUL, &o) == PAPI_OK);
  memset(&o, 0, sizeof o);
  o.addr.eventset = EventSet; /* "Currently implemented on Itanium only" */
  o.addr.start = o.addr.end = (caddr_t)general;
  CHECK(PAPI_set_opt(PAPI_DATA_ADDRESS, &o) < 0 && PAPI_set_opt(PAPI_INSTR_ADDRESS, &o) < 0);
  CHECK(o.addr.start_off == 0 && o.addr.end_off == 0);
}

int main(void) {
  PAPI_overflow_option_t overflow;
  PAPI_option_t o;
  int EventSet;
  initialize();
  EventSet = set_of_tot_ins();
  general();
  defaults();
  sets(EventSet);
  multiplexing(EventSet);
  memset(&overflow, 0, sizeof overflow);
  o.ovf_info = overflow;
  CHECK(o.ovf_info.eventset == 0 && sizeof o == 264);
  return 0;
}
