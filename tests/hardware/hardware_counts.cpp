/// File: libpapi beside work whose counts are known, on any machine with a PMU.
///
///   hardware_counts counts               instructions, cycles, branches, branch misses, reads,
///   multiplexing hardware_counts overflow [EVENT]     PAPI_overflow at thresholds from 10,000 up;
///   default PAPI_TOT_INS
///
/// Prints checks (tests/guest/checked.h) and exits with 1 if one is bad, with 77 where there is no
/// PMU. An event that the machine does not have is left out with a line that says so.

#include <papi.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "tests/guest/checked.h"
#include "tests/hardware/known_work.h"

namespace {

using guest::Check;

constexpr long long kIterations = 10'000'000;
int g_bad = 0;

void That(bool good, const char* name, const std::string& found) {
  if (!Check(good, name, "%s", found.c_str())) ++g_bad;
}

std::string Of(long long value, long long known) {
  return std::to_string(value) + ", known " + std::to_string(known);
}

/// What else is counted in user mode: the calls around the work, and on x86-64 one instruction an
/// interrupt.
bool Near(long long value, long long known) {
  return value >= known && value <= known + known / 5000 + 5000;
}

bool Has(const char* event) {
  int code = 0;
  const bool has =
      PAPI_event_name_to_code(event, &code) == PAPI_OK && PAPI_query_event(code) == PAPI_OK;
  if (!has) std::printf("left out: this machine has no %s\n", event);
  return has;
}

/// The counts of these events around `work`; empty if a call fails.
template <typename Work>
std::vector<long long> Counts(const std::vector<const char*>& events, Work work,
                              bool multiplex = false) {
  std::vector<long long> counts(events.size());
  int set = PAPI_NULL;
  bool good = PAPI_create_eventset(&set) == PAPI_OK;
  if (multiplex)
    good = good && PAPI_assign_eventset_component(set, 0) == PAPI_OK &&
           PAPI_set_multiplex(set) == PAPI_OK;
  for (const char* event : events) good = good && PAPI_add_named_event(set, event) == PAPI_OK;
  good = good && PAPI_start(set) == PAPI_OK;
  if (good) work();
  good = good && PAPI_stop(set, counts.data()) == PAPI_OK;
  PAPI_cleanup_eventset(set);
  PAPI_destroy_eventset(&set);
  That(good, events.front(), "is added, started and stopped");
  return good ? counts : std::vector<long long>(events.size(), -1);
}

void CheckInstructionsAndCycles() {
  const auto counts = Counts({"PAPI_TOT_INS", "PAPI_TOT_CYC"}, [] { hardware::Spin(kIterations); });
  That(Near(counts[0], 2 * kIterations), "instructions", Of(counts[0], 2 * kIterations));
  // A processor runs at most 16 instructions a cycle, and no cycle of such a loop takes 16 cycles.
  const double ipc = static_cast<double>(counts[0]) / static_cast<double>(counts[1]);
  That(ipc > 1.0 / 16 && ipc <= 16, "instructions a cycle", std::to_string(ipc));
}

void CheckBranches() {
  if (Has("PAPI_BR_INS")) {
    const auto counts = Counts({"PAPI_BR_INS"}, [] { hardware::Spin(kIterations); });
    That(Near(counts[0], kIterations), "branches", Of(counts[0], kIterations));
  }
  if (!Has("PAPI_BR_MSP")) return;
  const auto predicted = Counts({"PAPI_BR_MSP"}, [] { hardware::Spin(kIterations); });
  That(predicted[0] <= kIterations / 1000, "misses of branches that are all taken",
       std::to_string(predicted[0]));
  std::uint64_t taken = 0;
  const auto guessed = Counts({"PAPI_BR_MSP"}, [&] { taken = hardware::Guess(kIterations); });
  That(taken > kIterations * 49 / 100 && taken < kIterations * 51 / 100, "half of them are taken",
       std::to_string(taken));
  That(guessed[0] > kIterations * 45 / 100 && guessed[0] < kIterations * 55 / 100,
       "half of the branches that nobody can predict are missed", Of(guessed[0], kIterations / 2));
}

/// PAPI_read while the set runs, where it can be by instructions of user mode: each difference is
/// known.
void CheckReads() {
  int set = PAPI_NULL;
  bool good = PAPI_create_eventset(&set) == PAPI_OK &&
              PAPI_add_named_event(set, "PAPI_TOT_INS") == PAPI_OK && PAPI_start(set) == PAPI_OK;
  long long before = 0;
  long long after = 0;
  int exact = 0;
  for (int i = 0; good && i < 100; ++i) {
    good = PAPI_read(set, &before) == PAPI_OK;
    hardware::Spin(100'000);
    good = good && PAPI_read(set, &after) == PAPI_OK;
    exact += Near(after - before, 200'000);
  }
  long long last = 0;
  good = PAPI_stop(set, &last) == PAPI_OK && good;
  That(good && exact == 100 && last >= after, "100 differences of two reads",
       std::to_string(exact) + " are right");
  PAPI_cleanup_eventset(set);
  PAPI_destroy_eventset(&set);
}

/// More events than counters: the scaled instructions stay right. One work, long against the turns.
void CheckMultiplexing() {
  std::vector<const char*> events = {"PAPI_TOT_INS", "PAPI_TOT_CYC"};
  for (const char* name : {"PAPI_BR_INS", "PAPI_BR_MSP", "PAPI_L1_DCM", "PAPI_L1_ICM",
                           "PAPI_L2_DCM", "PAPI_TLB_DM", "PAPI_L1_DCA", "PAPI_L2_ICM"}) {
    int code = 0;
    if (PAPI_event_name_to_code(name, &code) == PAPI_OK && PAPI_query_event(code) == PAPI_OK)
      events.push_back(name);
  }
  const int counters = PAPI_num_cmp_hwctrs(0);
  const auto turns = [] { hardware::Spin(50 * kIterations); };
  const auto counts = Counts(events, turns, true);
  const double error = static_cast<double>(counts[0]) / (100.0 * kIterations) - 1;
  That(error > -0.02 && error < 0.02, "instructions of a multiplexed set",
       std::to_string(100 * error) + " % off, " + std::to_string(events.size()) + " events, " +
           std::to_string(counters) + " counters");
}

long g_calls = 0;
void OnOverflow(int, void*, long long, void*) { ++g_calls; }

/// The count is whole, and the handler is called for each multiple of the threshold, at every
/// threshold and so at every rate: what the kernel throttles is started again.
void CheckOverflows(const char* event) {
  for (const int threshold : {10'000, 20'000, 100'000, 1'000'000}) {
    // At most 5,000 calls, so that the handler's own cost does not become the test.
    const long long iterations = std::min<long long>(kIterations, 2'500LL * threshold);
    const std::string name = std::string(event) + " @" + std::to_string(threshold);
    int set = PAPI_NULL;
    int code = 0;
    bool good = PAPI_event_name_to_code(event, &code) == PAPI_OK &&
                PAPI_create_eventset(&set) == PAPI_OK && PAPI_add_event(set, code) == PAPI_OK &&
                PAPI_overflow(set, code, threshold, 0, OnOverflow) == PAPI_OK;
    g_calls = 0;
    long long count = 0;
    good = good && PAPI_start(set) == PAPI_OK;
    if (good) hardware::Spin(iterations);
    good = good && PAPI_stop(set, &count) == PAPI_OK;
    That(good && count >= 2 * iterations, name.c_str(),
         "the count is whole: " + Of(count, 2 * iterations));
    const long due = static_cast<long>(count / threshold);
    That(g_calls >= due - 1 && g_calls <= due + 1, name.c_str(),
         std::to_string(g_calls) + " calls, due " + std::to_string(due));
    PAPI_overflow(set, code, 0, 0, nullptr);
    PAPI_cleanup_eventset(set);
    PAPI_destroy_eventset(&set);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  if (mode != "counts" && mode != "overflow") {
    std::fprintf(stderr, "usage: hardware_counts counts | overflow [EVENT]\n");
    return 2;
  }
  const char* event = argc > 2 ? argv[2] : "PAPI_TOT_INS";
  if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT || PAPI_multiplex_init() != PAPI_OK)
    return 3;
  if (!Has("PAPI_TOT_INS") || !Has("PAPI_TOT_CYC")) {
    std::printf("skipped: no hardware PMU counts instructions and cycles here\n");
    return 77;
  }
  if (mode == "counts") {
    CheckInstructionsAndCycles();
    CheckBranches();
    CheckReads();
    CheckMultiplexing();
  } else {
    CheckOverflows(event);
  }
  guest::LastLine();
  return g_bad == 0 ? 0 : 1;
}
