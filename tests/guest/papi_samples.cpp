/// File: overflow handlers and histograms on counters that count exactly. With a poker
/// (scripts/pmu-vm) for the instructions.

#include "tests/guest/papi_counts.h"

namespace guest {
namespace {

constexpr long long kLoop = 20'500'000;
constexpr int kThreshold = 1'000'000;

struct Told {
  long hits[8];
  long outside;
};
Told g_told = {};

void Note(int, void* address, long long vector, void*) {
  for (int bit = 0; bit < 8; ++bit) g_told.hits[bit] += (vector >> bit) & 1;
  const auto pc = reinterpret_cast<std::uintptr_t>(address);
  const auto loop = reinterpret_cast<std::uintptr_t>(&Spin);
  g_told.outside += pc < loop || pc > loop + 64;
}

struct Armed {
  const char* event;
  int threshold;
};

/// Runs twice: what was left of a threshold when the set stopped is carried on, so that the sums
/// stay exact, however short the runs.
void RunArmed(const char* name, std::initializer_list<Armed> armed) {
  int set = PAPI_NULL;
  PAPI_create_eventset(&set);
  for (const Armed& event : armed) {
    const int code = CodeOf(event.event);
    const int added = PAPI_add_event(set, code);
    const int set_up = PAPI_overflow(set, code, event.threshold, 0, Note);
    Check(added == PAPI_OK && set_up == PAPI_OK, name, "%s is armed: %s, %s", event.event,
          PAPI_strerror(added), PAPI_strerror(set_up));
  }
  g_told = {};
  long long totals[8] = {};
  for (int run = 0; run < 2; ++run) {
    long long counts[8] = {};
    if (PAPI_start(set) != PAPI_OK) break;
    Spin(kLoop / 2);
    Check(PAPI_stop(set, counts) == PAPI_OK, name, "run %d stops", run);
    int i = 0;
    for (const Armed& event : armed) {
      totals[i] += counts[i];
      const long due = static_cast<long>(totals[i] / event.threshold);
      Check(counts[i] >= kLoop && g_told.hits[i] == due, name,
            "run %d, %s @%d: told of %ld of %ld, count %lld", run, event.event, event.threshold,
            g_told.hits[i], due, totals[i]);
      ++i;
    }
    // With two events armed what one handler executes may make the other due.
    Check(g_told.outside <= (armed.size() == 1 ? 0 : 3), name, "%ld addresses are not the loop's",
          g_told.outside);
  }
  Destroy(set);
}

/// All counters are taken; one event after the other overflows.
void RunFull() {
  const char* const name = "overflow in a full set";
  std::vector<int> codes;
  int set = PAPI_NULL;
  PAPI_create_eventset(&set);
  bool added = true;
  for (std::size_t i = 0; i < 6; ++i) {
    codes.push_back(CodeOf(NamesOfInstructions()[i].c_str()));
    added = added && PAPI_add_event(set, codes.back()) == PAPI_OK;
  }
  codes.push_back(PAPI_TOT_CYC);
  Check(added && PAPI_add_event(set, PAPI_TOT_CYC) == PAPI_OK, name, "seven events");
  for (std::size_t i = 0; i < codes.size(); ++i) {
    g_told = {};
    std::vector<long long> counts(codes.size());
    const int armed = PAPI_overflow(set, codes[i], kThreshold, 0, Note);
    bool good = armed == PAPI_OK && PAPI_start(set) == PAPI_OK;
    Spin(kLoop / 2);
    good = good && PAPI_stop(set, counts.data()) == PAPI_OK &&
           PAPI_overflow(set, codes[i], 0, 0, nullptr) == PAPI_OK;
    for (const long long count : counts) good = good && count >= kLoop && count < kLoop + 100'000;
    Check(good && g_told.hits[i] == counts[i] / kThreshold, name,
          "event %zu (%s): told of %ld, count %lld", i, PAPI_strerror(armed), g_told.hits[i],
          counts[i]);
  }
  Destroy(set);
}

/// One bucket of 32 bits an address of the loop, and one for whatever else runs.
void RunProfile(const char* event, const char* name) {
  constexpr std::size_t kBytes = 64;
  std::vector<unsigned> loop(kBytes), rest(1);
  const auto base = reinterpret_cast<vptr_t>(&Spin);
  PAPI_sprofil_t regions[] = {
      {loop.data(), static_cast<unsigned>(loop.size() * sizeof loop[0]), base, 0x20000},
      {rest.data(), 4, nullptr, 2},
  };
  const int set = SetOf({event});
  const int code = PAPI_sprofil(regions, 2, set, CodeOf(event), kThreshold, PAPI_PROFIL_BUCKET_32);
  Check(code == PAPI_OK, name, "is set up: %s", PAPI_strerror(code));
  long long total = 0;
  for (int run = 0; run < 2; ++run) {
    long long count = 0;
    Check(PAPI_start(set) == PAPI_OK, name, "starts");
    Spin(kLoop / 2);
    Check(PAPI_stop(set, &count) == PAPI_OK, name, "stops");
    total += count;
    unsigned long long hits = rest[0];
    for (const unsigned bucket : loop) hits += bucket;
    const auto due = static_cast<unsigned long long>(total / kThreshold);
    // QEMU notices an overflow of instructions at the next interrupt, up to 10,000 instructions
    // late: a run's last one may be taken in the system call that stops the counter.
    const auto late = static_cast<unsigned>(run + 1);
    Check(count >= kLoop && hits == due && rest[0] <= late, name,
          "run %d: %llu of %llu hits, %u not in the loop", run, hits, due, rest[0]);
  }
  PAPI_sprofil(regions, 2, set, CodeOf(event), 0, PAPI_PROFIL_BUCKET_32);
  Destroy(set);
}

/// PAPI_profil, with the default's buckets of 16 bits.
void RunPlainProfile() {
  std::vector<unsigned short> buckets(64);
  const int set = SetOf({"PAPI_TOT_CYC"});
  const int code = PAPI_profil(buckets.data(), static_cast<unsigned>(buckets.size() * 2),
                               reinterpret_cast<vptr_t>(&Spin), 0x10000, set, PAPI_TOT_CYC,
                               kThreshold, PAPI_PROFIL_POSIX);
  long long count = 0;
  Check(code == PAPI_OK && PAPI_start(set) == PAPI_OK, "profil", "starts: %s", PAPI_strerror(code));
  Spin(kLoop / 2);
  Check(PAPI_stop(set, &count) == PAPI_OK, "profil", "stops");
  long long hits = 0;
  for (const unsigned short bucket : buckets) hits += bucket;
  Check(hits == count / kThreshold, "profil", "%lld hits of %lld", hits, count / kThreshold);
  Destroy(set);
}

/// The kernel allows 1,000 interrupts a second: four a tick of 4,000,000 instructions. Each event
/// of the set counts all of them, and cycles, which are armed or profiled, miss no multiple. (QEMU
/// finds an overflow of instructions too late for this.)
void RunThrottled(bool cycles_lead, bool profile, const char* name) {
  constexpr int kOften = 100'000;  // 40 a tick
  int set = PAPI_NULL;
  PAPI_create_eventset(&set);
  const char* const armed = "PAPI_TOT_CYC";
  const int index = cycles_lead ? 0 : 1;
  const char* const events[] = {cycles_lead ? armed : "PAPI_TOT_INS",
                                cycles_lead ? "PAPI_TOT_INS" : armed};
  for (const char* event : events) PAPI_add_event(set, CodeOf(event));
  g_told = {};
  std::vector<unsigned> hits(1);
  PAPI_sprofil_t region = {hits.data(), 4, nullptr, 2};
  const int code = profile
                       ? PAPI_sprofil(&region, 1, set, CodeOf(armed), kOften, PAPI_PROFIL_BUCKET_32)
                       : PAPI_overflow(set, CodeOf(armed), kOften, 0, Note);
  long long counts[2] = {};
  Check(code == PAPI_OK && PAPI_start(set) == PAPI_OK, name, "starts: %s", PAPI_strerror(code));
  Spin(kLoop / 2);
  Check(PAPI_stop(set, counts) == PAPI_OK, name, "stops");
  // What the handlers execute is counted, too.
  for (int i = 0; i < 2; ++i) {
    Check(counts[i] >= kLoop && counts[i] < kLoop * 2, name, "%s: %lld", events[i], counts[i]);
  }
  const long told = profile ? static_cast<long>(hits[0]) : g_told.hits[index];
  const long due = static_cast<long>(counts[index] / kOften);
  Check(told >= due - due / 20 && told <= due && told > 150, name, "%ld of %ld multiples", told,
        due);
  if (profile) PAPI_sprofil(&region, 1, set, CodeOf(armed), 0, PAPI_PROFIL_BUCKET_32);
  Destroy(set);
}

}  // namespace

void CheckThrottled() {
  RunThrottled(true, false, "throttled overflow of a leader");
  RunThrottled(false, false, "throttled overflow of a member");
  RunThrottled(true, true, "throttled profile of a leader");
  RunThrottled(false, true, "throttled profile of a member");
}

void CheckOverflows() {
  RunArmed("overflow of cycles", {{"PAPI_TOT_CYC", kThreshold}});
  RunArmed("overflow of instructions", {{"PAPI_TOT_INS", kThreshold}});
  RunArmed("overflow of both", {{"PAPI_TOT_INS", kThreshold}, {"PAPI_TOT_CYC", 700'000}});
  RunFull();
}

void CheckProfiles() {
  RunPlainProfile();
  RunProfile("PAPI_TOT_CYC", "sprofil of cycles");
  RunProfile("PAPI_TOT_INS", "sprofil of instructions");
}

}  // namespace guest
