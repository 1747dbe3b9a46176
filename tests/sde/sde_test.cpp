/// File: software defined events of Debian's libsde as programs of ours see them, where PAPI's own
/// library answers otherwise or not at all; the rest is in transcript.c.

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <papi.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <bit>
#include <csetjmp>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "compat/papi/include/csink_papi.h"
#include "tests/compat/papi/papi_fixture.h"
#include "tests/sde/events.h"

namespace {

using papi_test::Burn;

struct Call {
  void* address;
  long long vector;
  long long value;
  int read;
};
std::atomic<int> g_calls{0};
std::atomic<int> g_other_calls{0};
Call g_last;

void OnOverflow(int set, void* address, long long vector, void*) {
  ++g_calls;
  g_last = {address, vector, -1, 0};
  long long values[4] = {};
  g_last.read = PAPI_read(set, values);
  g_last.value = values[0];
}
void OnOtherOverflow(int, void*, long long, void*) { ++g_other_calls; }

sde_events_t g_events;

struct Sde : testing::Test {
  static void SetUpTestSuite() { sde_events_register(&g_events); }
  void SetUp() override {
    ASSERT_EQ(PAPI_library_init(PAPI_VER_CURRENT), PAPI_VER_CURRENT);
    g_calls = g_other_calls = 0;
  }
  void TearDown() override { PAPI_shutdown(); }

  static int CodeOf(const char* name) {
    int code = 0;
    EXPECT_EQ(PAPI_event_name_to_code(name, &code), PAPI_OK) << name;
    return code;
  }
  static int SetOf(std::initializer_list<const char*> names) {
    int set = PAPI_NULL;
    EXPECT_EQ(PAPI_create_eventset(&set), PAPI_OK);
    for (const char* name : names) EXPECT_EQ(PAPI_add_event(set, CodeOf(name)), PAPI_OK) << name;
    return set;
  }
  static int Overflowing(const char* name, int threshold,
                         PAPI_overflow_handler_t handler = OnOverflow) {
    const int set = SetOf({name});
    EXPECT_EQ(PAPI_overflow(set, CodeOf(name), threshold, 0, handler), PAPI_OK) << name;
    return set;
  }
};

[[gnu::noinline]] void CountHere(int times) {
  for (int i = 0; i < times; ++i) papi_sde_inc_counter(g_events.created, 1);
  asm volatile("");
}

TEST_F(Sde, CreatedCountersOverflowAtEachMultipleOfTheirSet) {
  CountHere(7);  // before the set: not its own
  const int set = Overflowing("sde:::L::created", 10);
  ASSERT_EQ(PAPI_start(set), PAPI_OK);
  CountHere(9);
  EXPECT_EQ(g_calls, 0);
  CountHere(1);
  ASSERT_EQ(g_calls, 1);
  EXPECT_EQ(g_last.read, PAPI_OK);
  EXPECT_EQ(g_last.value, 10) << "it is called when the count is reached, and may read it";
  EXPECT_EQ(g_last.vector, 1);
  CountHere(25);
  EXPECT_EQ(g_calls, 3);
  papi_sde_inc_counter(g_events.created, 100);
  csink_papi_overflow_info_t info = {};
  ASSERT_EQ(csink_papi_overflow_info(set, &info), PAPI_OK);
  EXPECT_EQ(info.missed, 9);
  EXPECT_EQ(info.calls, 4);
  long long value = 0;
  ASSERT_EQ(PAPI_stop(set, &value), PAPI_OK);
  EXPECT_EQ(value, 135);
  CountHere(20);
  EXPECT_EQ(g_calls, 4);
  ASSERT_EQ(PAPI_start(set), PAPI_OK);
  CountHere(19);
  EXPECT_EQ(g_calls, 5) << "each run begins anew";
  ASSERT_EQ(PAPI_stop(set, &value), PAPI_OK);
}

TEST_F(Sde, TheAddressIsThatOfWhoCounted) {
  const int set = Overflowing("sde:::L::created", 1);
  ASSERT_EQ(PAPI_start(set), PAPI_OK);
  CountHere(1);
  PAPI_stop(set, nullptr);
  ASSERT_EQ(g_calls, 1);
  const auto at = reinterpret_cast<std::uintptr_t>(g_last.address);
  const auto begin = reinterpret_cast<std::uintptr_t>(&CountHere);
  EXPECT_TRUE(at > begin && at < begin + 400) << g_last.address;
}

TEST_F(Sde, ResetsDoNotDisturbTheMultiples) {
  const int set = Overflowing("sde:::L::created", 10);
  ASSERT_EQ(PAPI_start(set), PAPI_OK);
  long long sum = 0;
  for (int i = 0; i < 5; ++i) {
    CountHere(6);
    ASSERT_EQ(PAPI_accum(set, &sum), PAPI_OK);
  }
  EXPECT_EQ(sum, 30);
  EXPECT_EQ(g_calls, 3);
  PAPI_stop(set, nullptr);
}

TEST_F(Sde, EachThreadHearsOfWhatItCountsItself) {
  const int set = Overflowing("sde:::L::created", 10);
  ASSERT_EQ(PAPI_start(set), PAPI_OK);
  std::thread([] {
    const int own = Overflowing("sde:::L::second", 10, OnOtherOverflow);
    EXPECT_EQ(PAPI_start(own), PAPI_OK);
    CountHere(30);
    EXPECT_EQ(g_other_calls, 0);
    for (int i = 0; i < 30; ++i) papi_sde_inc_counter(g_events.second, 1);
    EXPECT_EQ(g_other_calls, 3);
    EXPECT_EQ(PAPI_stop(own, nullptr), PAPI_OK);
  }).join();
  EXPECT_EQ(g_calls, 0);
  CountHere(1);
  EXPECT_EQ(g_calls, 1) << "the other thread's 30 are in it";
  long long value = 0;
  ASSERT_EQ(PAPI_stop(set, &value), PAPI_OK);
  EXPECT_EQ(value, 31);
}

TEST_F(Sde, VariablesAreLookedAtByATimer) {
  const int set = Overflowing("sde:::L::plain", 1000);
  ASSERT_EQ(PAPI_start(set), PAPI_OK);
  g_events.plain += 5500;
  for (int i = 0; i < 200 && g_calls == 0; ++i) Burn(10);
  ASSERT_EQ(g_calls, 1);
  EXPECT_EQ(g_last.value, 5500);
  csink_papi_overflow_info_t info = {};
  ASSERT_EQ(csink_papi_overflow_info(set, &info), PAPI_OK);
  EXPECT_EQ(info.missed, 4);
  PAPI_stop(set, nullptr);
}

TEST_F(Sde, BothWaysInOneSet) {
  const int set = SetOf({"sde:::L::plain", "sde:::L::created"});
  ASSERT_EQ(PAPI_overflow(set, CodeOf("sde:::L::plain"), 1000, 0, OnOverflow), PAPI_OK);
  ASSERT_EQ(PAPI_overflow(set, CodeOf("sde:::L::created"), 10, 0, OnOverflow), PAPI_OK);
  ASSERT_EQ(PAPI_start(set), PAPI_OK);
  CountHere(10);
  ASSERT_EQ(g_calls, 1);
  EXPECT_EQ(g_last.vector, 2);
  g_events.plain += 1000;
  for (int i = 0; i < 200 && g_calls == 1; ++i) Burn(10);
  ASSERT_EQ(g_calls, 2);
  EXPECT_EQ(g_last.vector, 1);
  ASSERT_EQ(PAPI_stop(set, nullptr), PAPI_OK);
  ASSERT_EQ(PAPI_overflow(set, CodeOf("sde:::L::plain"), 0, 0, nullptr), PAPI_OK);
  ASSERT_EQ(PAPI_start(set), PAPI_OK);
  CountHere(10);
  EXPECT_EQ(g_calls, 3) << "the other one stays";
  PAPI_stop(set, nullptr);
}

TEST_F(Sde, EventsThatAreStillToComeOverflowOnceTheyAreThere) {
  const int variable = Overflowing("sde:::Coming::variable", 10);
  ASSERT_EQ(PAPI_overflow(variable, CodeOf("sde:::Coming::variable"), 5, 0, OnOverflow), PAPI_OK)
      << "a second time";
  ASSERT_EQ(PAPI_start(variable), PAPI_OK);
  papi_handle_t const library = papi_sde_init("Coming");
  static long long count = 0;
  papi_sde_register_counter(library, "variable", PAPI_SDE_DELTA, PAPI_SDE_long_long, &count);
  count += 6;
  for (int i = 0; i < 200 && g_calls == 0; ++i) Burn(10);
  EXPECT_EQ(g_calls, 1);
  EXPECT_EQ(PAPI_stop(variable, nullptr), PAPI_OK);

  const int created = Overflowing("sde:::Coming::created", 10);
  ASSERT_EQ(PAPI_start(created), PAPI_OK);
  void* counter = nullptr;
  papi_sde_create_counter(library, "created", PAPI_SDE_DELTA, &counter);
  g_calls = 0;
  for (int i = 0; i < 35; ++i) papi_sde_inc_counter(counter, 1);
  EXPECT_EQ(g_calls, 3);
  EXPECT_EQ(PAPI_stop(created, nullptr), PAPI_OK);
}

TEST_F(Sde, RefusesOverflowsOfWhatNobodyCanWatch) {
  for (const char* name : {"sde:::L::callback", "sde:::L::group", "sde:::L::recorder",
                           "sde:::L::recorder:MED", "sde:::L::set"}) {
    const int set = SetOf({name});
    EXPECT_EQ(PAPI_overflow(set, CodeOf(name), 10, 0, OnOverflow), PAPI_ENOSUPP) << name;
    EXPECT_EQ(PAPI_start(set), PAPI_OK) << "it counts as before";
    EXPECT_EQ(PAPI_stop(set, nullptr), PAPI_OK);
  }
  const int set = SetOf({"sde:::L::plain"});
  unsigned short buckets[8];
  EXPECT_EQ(PAPI_profil(buckets, sizeof buckets, nullptr, 65536, set, CodeOf("sde:::L::plain"), 100,
                        PAPI_PROFIL_POSIX),
            PAPI_ENOSUPP);
}

TEST_F(Sde, AHandlerMayStopItsSet) {
  static int set;
  set = Overflowing("sde:::L::created", 5, [](int, void*, long long, void*) {
    ++g_other_calls;
    PAPI_stop(set, nullptr);
  });
  ASSERT_EQ(PAPI_start(set), PAPI_OK);
  CountHere(50);
  EXPECT_EQ(g_other_calls, 1);
  EXPECT_EQ(PAPI_stop(set, nullptr), PAPI_ENOTRUN);
}

TEST_F(Sde, AForkedChildCountsItsOwn) {
  const int set = Overflowing("sde:::L::created", 10);
  ASSERT_EQ(PAPI_start(set), PAPI_OK);
  CountHere(5);
  const pid_t child = fork();
  if (child == 0) {
    long long value = 0;
    CountHere(50);
    if (g_calls != 0) _exit(1);
    if (PAPI_start(set) != PAPI_OK) _exit(2);
    CountHere(25);
    if (PAPI_stop(set, &value) != PAPI_OK || value != 25) _exit(3);
    _exit(g_calls == 2 ? 0 : 4);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  CountHere(5);
  EXPECT_EQ(g_calls, 1);
  long long value = 0;
  ASSERT_EQ(PAPI_stop(set, &value), PAPI_OK);
  EXPECT_EQ(value, 10);
}

// The report comes when the process ends.
TEST_F(Sde, ARegionHasWhatItCounted) {
  std::string folder = testing::TempDir() + "csink_sde_XXXXXX";
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  const pid_t child = fork();
  if (child == 0) {
    setenv("PAPI_EVENTS", "sde:::L::created,sde:::L::second=instant", 1);
    setenv("PAPI_OUTPUT_DIRECTORY", folder.c_str(), 1);
    setenv("OMPI_COMM_WORLD_RANK", "1", 1);
    for (const int times : {10, 25}) {
      EXPECT_EQ(PAPI_hl_region_begin("passage"), PAPI_OK);
      CountHere(times);
      papi_sde_inc_counter(g_events.second, times);
      EXPECT_EQ(PAPI_hl_region_end("passage"), PAPI_OK);
    }
    exit(HasFailure() ? 1 : 0);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  const std::string output = folder + "/papi_hl_output";
  const std::string path = output + "/rank_000001.json";
  std::ifstream file(path);
  const std::string report{std::istreambuf_iterator<char>(file), {}};
  std::size_t at = 0;
  for (const char* expected :
       {"\"sde:::L::created\"", "\"delta\"", "\"instant\"", "created\":\"10\"", "second\":\"10\"",
        "created\":\"25\"", "second\":\"35\""}) {
    at = report.find(expected, at);
    ASSERT_NE(at, std::string::npos) << expected << " is not in its place:\n" << report;
  }
  unlink(path.c_str());
  rmdir(output.c_str());
  rmdir(folder.c_str());
}

TEST_F(Sde, MistakesSaySo) {
  int code = 0;
  EXPECT_EQ(PAPI_event_name_to_code("sde:::L:created", &code), PAPI_ENOEVNT);
  const int set = SetOf({"sde:::L::created"});
  long long value = 5;
  EXPECT_EQ(PAPI_write(set, &value), PAPI_EINVAL) << "only a running one has a variable to set";
  PAPI_option_t option = {};
  option.attach.eventset = set;
  option.attach.tid = static_cast<unsigned long>(getpid());
  EXPECT_LT(PAPI_set_opt(PAPI_ATTACH, &option), 0);
  EXPECT_EQ(PAPI_add_named_event(set, "perf::PAGE-FAULTS"), PAPI_EINVAL);
  EXPECT_EQ(PAPI_start(set), PAPI_OK);
  EXPECT_EQ(PAPI_stop(set, &value), PAPI_OK);
}

// What libsde 7.0.0 never calls, later ones may: the counters are looked at at once.
TEST_F(Sde, TheTimersHookLooksAtOnce) {
  auto* const hook =
      reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, "papi_sde_set_timer_for_overflow"));
  ASSERT_NE(hook, nullptr);
  EXPECT_EQ(hook(), 0) << "nobody waits for it";
  const int set = Overflowing("sde:::L::plain", 100);
  ASSERT_EQ(PAPI_start(set), PAPI_OK);
  g_events.plain += 250;
  EXPECT_EQ(hook(), 0);
  EXPECT_EQ(g_calls, 1);
  PAPI_stop(set, nullptr);
}

}  // namespace
