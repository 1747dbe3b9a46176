/// File: libpapi on a PMU whose counts are known exactly, for the guest.
///
///   papi_counts exact [user]   counts, limits, presets, multiplexing, other processes;
///                              user: reads without a system call are to be had
///   papi_counts sampled        overflow handlers and profiles
///   papi_counts long           more instructions than 32 bits hold, read in three ways
///   papi_counts reads          instructions that PAPI_read takes
///   papi_counts rates          3.5's high level and the rates
///
/// With an instruction a cycle a ns (icount, shift 0).

#include "tests/guest/papi_counts.h"

#include <array>
#include <cstring>

namespace guest {
namespace {

constexpr long long kLoop = 20'000'000;
constexpr long long kAround = 1500;  // the calls around the loop, in user mode

using Counts = std::array<long long, 2>;

/// The loop between start and stop.
Counts StartStop(int set) {
  Counts counts = {-1, -1};
  if (PAPI_start(set) != PAPI_OK) return counts;
  Spin(kLoop / 2);
  PAPI_stop(set, counts.data());
  return counts;
}

Counts BetweenReads(int set) {
  Counts before = {}, after = {-1, -1};
  if (PAPI_start(set) != PAPI_OK) return after;
  PAPI_read(set, before.data());
  Spin(kLoop / 2);
  PAPI_read(set, after.data());
  PAPI_stop(set, nullptr);
  return {after[0] - before[0], after[1] - before[1]};
}

Counts AfterReset(int set) {
  Counts counts = {-1, -1};
  if (PAPI_start(set) != PAPI_OK) return counts;
  Spin(kLoop);
  PAPI_reset(set);
  Spin(kLoop / 2);
  PAPI_read(set, counts.data());
  PAPI_stop(set, nullptr);
  return counts;
}

/// What accum adds to what was there; afterwards the set counts from 0.
Counts Accumulated(int set) {
  Counts sums = {1000, 2000}, rest = {-1, -1};
  if (PAPI_start(set) != PAPI_OK) return rest;
  Spin(kLoop / 4);
  PAPI_accum(set, sums.data());
  Spin(kLoop / 4);
  PAPI_accum(set, sums.data());
  PAPI_stop(set, rest.data());
  Check(rest[0] > 0 && rest[0] < kAround && rest[1] > 0 && rest[1] < kAround, "accum",
        "starts anew: %lld and %lld", rest[0], rest[1]);
  return {sums[0] - 1000, sums[1] - 2000};
}

Counts Written(int set) {
  Counts counts = {5'000'000'000, 7};
  if (PAPI_start(set) != PAPI_OK) return {-1, -1};
  if (PAPI_write(set, counts.data()) != PAPI_OK) return {-1, -1};
  Spin(kLoop / 2);
  PAPI_read(set, counts.data());
  PAPI_stop(set, nullptr);
  return {counts[0] - 5'000'000'000, counts[1] - 7};
}

void CheckWay(const char* name, Counts (*way)(int), int set) {
  way(set);  // the first run faults pages in
  Counts last = {};
  for (int round = 0; round < 3; ++round) {
    const Counts counts = way(set);
    for (std::size_t i = 0; i < counts.size(); ++i) {
      const long long around = counts[i] - kLoop;
      Check(around >= 0 && around <= kAround, name, "event %zu: %lld around %lld", i, around,
            kLoop);
    }
    if (round > 0) Check(counts == last, name, "each run counts the same");
    last = counts;
  }
}

}  // namespace

void CheckCounting() {
  const int set = SetOf({"PAPI_TOT_INS", "PAPI_TOT_CYC"});
  CheckWay("start and stop", StartStop, set);
  CheckWay("between two reads", BetweenReads, set);
  CheckWay("after a reset", AfterReset, set);
  CheckWay("accum", Accumulated, set);
  CheckWay("write", Written, set);
  Destroy(set);
}

}  // namespace guest

int main(int argc, char** argv) {
  const auto given = [&](int i, const char* word) {
    return argc > i && std::strcmp(argv[i], word) == 0;
  };
  const bool exact = given(1, "exact"), sampled = given(1, "sampled"), wide = given(1, "long"),
             reads = given(1, "reads"), rates = given(1, "rates"),
             throttled = given(1, "throttled");
  if (exact + sampled + wide + reads + rates + throttled != 1) {
    std::fprintf(stderr,
                 "usage: papi_counts exact [user] | sampled | throttled | long | reads | rates\n");
    return 2;
  }
  if (rates) guest::CheckRates();
  const int version = PAPI_library_init(PAPI_VER_CURRENT);
  guest::Check(version == PAPI_VER_CURRENT, "library", "starts: %d", version);
  if (exact) {
    guest::CheckCounting();
    guest::CheckCapability(given(2, "user"));
    guest::CheckMultiplex();
    guest::CheckChildren();
  }
  if (sampled) {
    guest::CheckOverflows();
    guest::CheckProfiles();
  }
  if (throttled) guest::CheckThrottled();
  if (wide) guest::CheckLongCounts();
  if (reads) guest::MeasureReads();
  PAPI_shutdown();
  guest::LastLine();
  return 0;
}
