/// libpfm 4.13 knows no core PMU on CPUs newer than itself and in many virtual machines; PAPI 7.0
/// then disables its perf_event component altogether, software events included. This stands in
/// front of libpfm's pfm_get_pmu_info and, only when no core PMU is found, presents one that it
/// knows, whose events cannot be opened: then Debian's libpapi does what it does on most virtual
/// machines. For baselines of that peer only: preloaded, or linked into a bench.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE  // RTLD_NEXT, before glibc 2.36
#endif
#include <dlfcn.h>
#include <perfmon/pfmlib.h>
#include <string.h>

typedef pfm_err_t (*GetPmuInfo)(pfm_pmu_t, pfm_pmu_info_t*);

static pfm_err_t RealInfo(pfm_pmu_t pmu, pfm_pmu_info_t* info) {
  static GetPmuInfo real;
  if (!real) *(void**)&real = dlsym(RTLD_NEXT, "pfm_get_pmu_info");
  return real ? real(pmu, info) : PFM_ERR_NOTSUPP;
}

static int HasCorePmu(void) {
  for (int i = 0; i < PFM_PMU_MAX; ++i) {
    pfm_pmu_info_t info;
    memset(&info, 0, sizeof info);
    info.size = sizeof info;
    // Not is_dfl: libpfm has no default for Ice Lake, and PAPI is content all the same.
    if (RealInfo((pfm_pmu_t)i, &info) == PFM_SUCCESS && info.is_present && info.type == PFM_PMU_TYPE_CORE) {
      return 1;
    }
  }
  return 0;
}

__attribute__((visibility("default"))) pfm_err_t pfm_get_pmu_info(pfm_pmu_t pmu,
                                                                  pfm_pmu_info_t* info) {
  const pfm_err_t result = RealInfo(pmu, info);
  if (result == PFM_SUCCESS && strcmp(info->name, "amd64_fam19h_zen4") == 0 && !HasCorePmu()) {
    info->is_present = 1;
    info->is_dfl = 1;
  }
  return result;
}
