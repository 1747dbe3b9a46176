// The rates and the regions of 7.0.
#include "tests/compat/papi/bad_input.h"

namespace csink::papi_test {
namespace {

constexpr const char* kStarts = "PAPI starts first and looks at the event afterwards";

struct Rate {
  float real_s, cpu_s, rate;
  long long count, reference, core;
};

int Flops(int event) {
  Rate r;
  return PAPI_flops_rate(event, &r.real_s, &r.cpu_s, &r.count, &r.rate);
}

int Flips(int event) {
  Rate r;
  return PAPI_flips_rate(event, &r.real_s, &r.cpu_s, &r.count, &r.rate);
}

int Epc(int event) {
  Rate r;
  return PAPI_epc(event, &r.real_s, &r.cpu_s, &r.reference, &r.core, &r.count, &r.rate);
}

/// The answer of PAPI_ipc with its i-th place missing.
int IpcWithout(int i) {
  Rate r;
  return PAPI_ipc(i == 0 ? nullptr : &r.real_s, i == 1 ? nullptr : &r.cpu_s,
                  i == 2 ? nullptr : &r.count, i == 3 ? nullptr : &r.rate);
}

int EpcWithout(int i) {
  Rate r;
  return PAPI_epc(0, i == 0 ? nullptr : &r.real_s, i == 1 ? nullptr : &r.cpu_s,
                  i == 2 ? nullptr : &r.reference, i == 3 ? nullptr : &r.core,
                  i == 4 ? nullptr : &r.count, i == 5 ? nullptr : &r.rate);
}

int FlopsWithout(int i) {
  Rate r;
  return PAPI_flops_rate(PAPI_FP_OPS, i == 0 ? nullptr : &r.real_s, i == 1 ? nullptr : &r.cpu_s,
                         i == 2 ? nullptr : &r.count, i == 3 ? nullptr : &r.rate);
}

/// PAPI_EINVAL if `call` answers that for each of `places`, else another answer.
int ForEachPlace(int places, int (*call)(int)) {
  for (int i = 0; i < places; ++i) {
    if (const int code = call(i); code != PAPI_EINVAL) return code;
  }
  return PAPI_EINVAL;
}

const Row kRows[] = {
    BAD(BeforeInit, ForEachPlace(4, IpcWithout), PAPI_EINVAL),
    BAD(BeforeInit, ForEachPlace(6, EpcWithout), PAPI_EINVAL),
    BAD(BeforeInit, ForEachPlace(4, FlopsWithout), PAPI_EINVAL),
    BAD(Init, Flops(PAPI_FP_INS), PAPI_ENOEVNT),
    BAD(Init, Flops(PAPI_TOT_CYC), PAPI_ENOEVNT),
    BAD(Init, Flops(0), PAPI_ENOEVNT),
    BAD(Init, Flops(-1), PAPI_ENOEVNT),
    BAD(Init, Flips(PAPI_FP_OPS), PAPI_ENOEVNT),
    BAD(Init, Flips(PAPI_NATIVE_MASK), PAPI_ENOEVNT),
    BAD_PEER(Init, Epc(4711), PAPI_ENOEVNT, kPeerChanges, kStarts),
    BAD_PEER(Init, Epc(-1), PAPI_ENOEVNT, kPeerChanges, kStarts),
    BAD(Init, PAPI_rate_stop(), PAPI_ENOEVNT),
    BAD(BeforeInit, PAPI_rate_stop(), PAPI_ENOEVNT),

    BAD(BeforeInit, PAPI_hl_stop(), PAPI_ENOEVNT),
    BAD(BeforeInit, PAPI_hl_read("r"), PAPI_EMISC),
    BAD(BeforeInit, PAPI_hl_region_end("r"), PAPI_EMISC),
    BAD_PEER(BeforeInit, PAPI_hl_region_begin(nullptr), PAPI_EINVAL, kPeerChanges, kStarts),
    BAD_PEER(BeforeInit, PAPI_hl_region_end(nullptr), PAPI_EINVAL, PAPI_EMISC, kNotChecked),
    BAD_PEER(BeforeInit, PAPI_hl_read(nullptr), PAPI_EINVAL, PAPI_EMISC, kNotChecked),
};

INSTANTIATE_TEST_SUITE_P(HighLevel, BadInput, ::testing::ValuesIn(kRows), RowName);

}  // namespace
}  // namespace csink::papi_test
