/// File: the high level on exact counters. The guest's PMU has no floating-point events: a preset
/// file says that each instruction is one floating-point instruction and two operations.

#include <cmath>
#include <cstdlib>

#include "tests/guest/papi_counts.h"

namespace guest {
namespace {

constexpr long long kLoop = 20'000'000;
constexpr long long kAround = 3000;  // the calls around the loop, in user mode

bool Around(long long count, long long expected, long long more) {
  return count >= expected && count <= expected + more;
}

void WritePresets() {
  static char path[] = "/tmp/rates_XXXXXX.csv";
  std::FILE* file = fdopen(mkstemps(path, 4), "w");
  std::fputs(
      "CPU,*\n"
      "PRESET,PAPI_TOT_INS,NOT_DERIVED,perf::INSTRUCTIONS\n"
      "PRESET,PAPI_TOT_CYC,NOT_DERIVED,perf::CYCLES\n"
      "PRESET,PAPI_FP_INS,NOT_DERIVED,perf::INSTRUCTIONS\n"
      "PRESET,PAPI_FP_OPS,DERIVED_POSTFIX,N0|2|*|,perf::INSTRUCTIONS\n",
      file);
  std::fclose(file);
  setenv("PAPI_CSV_EVENT_FILE", path, 1);
}

void CheckStartedCounters() {
  int events[2] = {PAPI_TOT_INS, PAPI_TOT_CYC};
  for (int round = 0; round < 3; ++round) {
    long long counts[2] = {}, sums[2] = {1000, 2000}, rest[2] = {};
    const int started = PAPI_start_counters(events, 2);
    Spin(kLoop / 2);
    const int read = PAPI_read_counters(counts, 2);
    Spin(kLoop / 4);
    const int first = PAPI_accum_counters(sums, 2);
    Spin(kLoop / 4);
    const int second = PAPI_accum_counters(sums, 2);
    const int stopped = PAPI_stop_counters(rest, 2);
    if (round == 0) continue;  // faults pages in
    Check(started == PAPI_OK && read == PAPI_OK && first == PAPI_OK && second == PAPI_OK &&
              stopped == PAPI_OK,
          "started counters", "all calls go well");
    for (int i = 0; i < 2; ++i) {
      Check(Around(counts[i], kLoop, kAround), "read_counters", "%lld around %lld",
            counts[i] - kLoop, kLoop);
      Check(Around(sums[i] - 1000 * (i + 1), kLoop, kAround), "accum_counters", "%lld around %lld",
            sums[i] - 1000 * (i + 1) - kLoop, kLoop);
      Check(Around(rest[i], 0, kAround), "stop_counters", "%lld since the last accum", rest[i]);
    }
  }
}

struct Told {
  float real_s = -1, cpu_s = -1, rate = -1;
  long long count = -1;
};

template <class F>
void CheckRate(const char* name, F measure, long long per_instruction, double rate, bool sums) {
  Told told;
  int code = measure(told);
  Check(code == PAPI_OK && told.count == 0 && told.rate == 0 && told.cpu_s == 0, name,
        "begins with zero: %d", code);
  Told rounds[3];
  for (Told& round : rounds) {
    Spin(kLoop / 2);
    code = code == PAPI_OK ? measure(round) : code;
  }
  for (int i = 1; i < 3; ++i) {  // the first faults pages in
    const long long loops = sums ? i + 1 : 1, expected = per_instruction * kLoop * loops;
    Check(code == PAPI_OK && Around(rounds[i].count, expected, per_instruction * kAround * loops),
          name, "%lld around %lld in round %d", rounds[i].count - expected, expected, i + 1);
    Check(std::fabs(rounds[i].rate - rate) < 0.005 * rate, name, "rate %g, expected %g",
          static_cast<double>(rounds[i].rate), rate);
  }
  Check(PAPI_stop_counters(nullptr, 0) == PAPI_OK, name, "stops");
}

}  // namespace

void CheckRates() {
  WritePresets();
  CheckStartedCounters();
  // An instruction a ns: 1000 million a second of CPU time.
  CheckRate(
      "flops", [](Told& t) { return PAPI_flops(&t.real_s, &t.cpu_s, &t.count, &t.rate); }, 2, 2000,
      true);
  CheckRate(
      "flips", [](Told& t) { return PAPI_flips(&t.real_s, &t.cpu_s, &t.count, &t.rate); }, 1, 1000,
      true);
  CheckRate(
      "flops_rate",
      [](Told& t) { return PAPI_flops_rate(PAPI_FP_OPS, &t.real_s, &t.cpu_s, &t.count, &t.rate); },
      2, 2000, false);
  CheckRate(
      "ipc", [](Told& t) { return PAPI_ipc(&t.real_s, &t.cpu_s, &t.count, &t.rate); }, 1, 1, false);
  CheckRate(
      "epc",
      [](Told& t) {
        long long reference = 0, core = 0;
        return PAPI_epc(PAPI_FP_OPS, &t.real_s, &t.cpu_s, &reference, &core, &t.count, &t.rate);
      },
      2, 2, false);
}

}  // namespace guest
