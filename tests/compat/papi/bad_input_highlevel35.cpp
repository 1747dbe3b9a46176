// The high level of 3.5, which PAPI 7.0's library has no more: no peer.
#include "tests/compat/papi/bad_input.h"

namespace csink::papi_test {
namespace {

int Start(int event, int length = 1) { return PAPI_start_counters(&event, length); }

struct Rate {
  float real_s, cpu_s, rate;
  long long count;
};

int FlopsWithout(int i) {
  Rate r;
  return PAPI_flops(i == 0 ? nullptr : &r.real_s, i == 1 ? nullptr : &r.cpu_s,
                    i == 2 ? nullptr : &r.count, i == 3 ? nullptr : &r.rate);
}

int FlipsWithout(int i) {
  Rate r;
  return PAPI_flips(i == 0 ? nullptr : &r.real_s, i == 1 ? nullptr : &r.cpu_s,
                    i == 2 ? nullptr : &r.count, i == 3 ? nullptr : &r.rate);
}

/// PAPI_EINVAL if `call` answers that for each of four places, else another answer.
int ForEachPlace(int (*call)(int)) {
  for (int i = 0; i < 4; ++i) {
    if (const int code = call(i); code != PAPI_EINVAL) return code;
  }
  return PAPI_EINVAL;
}

const Row kRows[] = {
    BAD(BeforeInit, PAPI_start_counters(nullptr, 1), PAPI_EINVAL),
    BAD(BeforeInit, Start(PAPI_TOT_CYC, 0), PAPI_EINVAL),
    BAD(BeforeInit, Start(PAPI_TOT_CYC, -1), PAPI_EINVAL),
    BAD(BeforeInit, Start(PAPI_TOT_CYC, INT_MIN), PAPI_EINVAL),
    BAD(Running, PAPI_stop_counters(s.out.values, 8), PAPI_ENOTRUN),
    BAD(Running, PAPI_read_counters(s.out.values, 8), PAPI_EINVAL),
    BAD(Running, PAPI_accum_counters(s.out.values, 8), PAPI_EINVAL),
    BAD(BeforeInit, PAPI_stop_counters(s.out.values, 8), PAPI_ENOTRUN),
    BAD(BeforeInit, PAPI_read_counters(s.out.values, 8), PAPI_EINVAL),
    BAD(BeforeInit, PAPI_accum_counters(nullptr, 8), PAPI_EINVAL),
    BAD(BeforeInit, ForEachPlace(FlopsWithout), PAPI_EINVAL),
    BAD(BeforeInit, ForEachPlace(FlipsWithout), PAPI_EINVAL),
};

INSTANTIATE_TEST_SUITE_P(HighLevel35, BadInput, ::testing::ValuesIn(kRows), RowName);

}  // namespace
}  // namespace csink::papi_test
