#include <atomic>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "tests/compat/papi/papi_fixture.h"
#include "tests/fakes/captured_stderr.h"

namespace papi_test {
namespace {

constexpr const char* kTitle = "name,derived,postfix,short_descr,long_descr,note,[native,...]\n\n";

/// A file that goes when the test does.
class File {
 public:
  explicit File(const std::string& text) : name_(testing::TempDir() + "csink_encode_XXXXXX") {
    close(mkstemp(name_.data()));
    std::ofstream(name_) << text;
  }
  ~File() { unlink(name_.c_str()); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  char* path() { return name_.data(); }

 private:
  std::string name_;
};

int Encode(const std::string& lines, int replace) {
  File file(kTitle + lines);
  return PAPI_encode_events(file.path(), replace);
}

PAPI_event_info_t InfoOf(int code) {
  PAPI_event_info_t info;
  EXPECT_EQ(PAPI_get_event_info(code, &info), PAPI_OK);
  return info;
}

/// What a program of 2006 fills in.
PAPI_event_info_t NewEvent(const char* name, const char* derived,
                           std::initializer_list<const char*> natives) {
  PAPI_event_info_t info;
  std::memset(&info, 0, sizeof info);
  info.event_code = static_cast<unsigned>(PAPI_PRESET_MASK);
  std::strcpy(info.symbol, name);
  std::strcpy(info.derived, derived);
  std::size_t i = 0;
  for (const char* native : natives) std::strcpy(info.name[i++], native);
  return info;
}

using EncodeEvents = PapiTest;

TEST_F(EncodeEvents, ReadsTheManualsFormat) {
  ASSERT_EQ(Encode("PAPI_L2_TCM,NOT_DERIVED,,\"L2 cache misses\",\"Level 2, of all kinds\",,"
                   "perf::PAGE-FAULTS\n"
                   "MY_PAPI_TLB_DM,NOT_DERIVED,,\"Data TLB misses\",\"Data translation\","
                   "\"This is a note for my event\",perf::MINOR-FAULTS\n",
                   0),
            PAPI_OK);
  const int mine = CodeOf("MY_PAPI_TLB_DM");
  EXPECT_TRUE(IS_USER_DEFINED(mine));
  const PAPI_event_info_t info = InfoOf(mine);
  EXPECT_STREQ(info.symbol, "MY_PAPI_TLB_DM");
  EXPECT_STREQ(info.short_descr, "Data TLB misses");
  EXPECT_STREQ(info.note, "This is a note for my event");
  EXPECT_STREQ(info.name[0], "perf::MINOR-FAULTS");
  EXPECT_EQ(info.count, 1u);
  EXPECT_STREQ(InfoOf(PAPI_L2_TCM).long_descr, "Level 2, of all kinds");
  EXPECT_EQ(PAPI_query_event(PAPI_L2_TCM), PAPI_OK);
}

TEST_F(EncodeEvents, TheEventsCountAndAreListed) {
  ASSERT_EQ(
      Encode("U_FAULTS,NOT_DERIVED,,s,l,,perf::PAGE-FAULTS\n"
             "U_TWICE,DERIVED_POSTFIX,N0|2|*|N1|-|,s,l,,perf::PAGE-FAULTS,perf::MAJOR-FAULTS\n",
             0),
      PAPI_OK);
  const int set = SetOf({"U_FAULTS", "U_TWICE"});
  ASSERT_EQ(PAPI_start(set), PAPI_OK);
  Touch(200);
  long long values[2] = {};
  ASSERT_EQ(PAPI_stop(set, values), PAPI_OK);
  EXPECT_GE(values[0], 200);
  EXPECT_GE(values[1], values[0]);
  EXPECT_LE(values[1], 2 * values[0]);

  int code = static_cast<int>(PAPI_UE_MASK);
  ASSERT_EQ(PAPI_enum_event(&code, PAPI_ENUM_FIRST), PAPI_OK);
  std::vector<std::string> names;
  do {
    char name[PAPI_MAX_STR_LEN];
    ASSERT_EQ(PAPI_event_code_to_name(code, name), PAPI_OK);
    names.emplace_back(name);
  } while (PAPI_enum_event(&code, PAPI_ENUM_EVENTS) == PAPI_OK);
  EXPECT_EQ(names, (std::vector<std::string>{"MY_FAULTS", "U_FAULTS", "U_TWICE"}));
}

int g_overflows = 0;
void Count(int, void*, long long, void*) { ++g_overflows; }

TEST_F(EncodeEvents, AnEventOfOneNativeOverflows) {
  ASSERT_EQ(Encode("U_CLOCK,NOT_DERIVED,,s,l,,perf::TASK-CLOCK\n", 0), PAPI_OK);
  const int set = SetOf({"U_CLOCK"});
  g_overflows = 0;
  ASSERT_EQ(PAPI_overflow(set, CodeOf("U_CLOCK"), 1'000'000, 0, Count), PAPI_OK);
  ASSERT_EQ(PAPI_start(set), PAPI_OK);
  // 30 ms are enough, unless an emulated machine's timers come late.
  for (int i = 0; i < 100 && g_overflows <= 10; ++i) Burn(30);
  EXPECT_EQ(PAPI_stop(set, nullptr), PAPI_OK);
  EXPECT_GT(g_overflows, 10);
}

TEST_F(EncodeEvents, WithoutReplaceKeepsWhatIsThere) {
  const std::string lines =
      "U_NEW,NOT_DERIVED,,s,l,,perf::TASK-CLOCK\n"
      "PAPI_TOT_CYC,NOT_DERIVED,,s,l,mine,perf::PAGE-FAULTS\n";
  EXPECT_EQ(Encode(lines, 0), PAPI_EPERM);
  EXPECT_STREQ(InfoOf(PAPI_TOT_CYC).name[0], "perf::CPU-CLOCK");
  EXPECT_EQ(PAPI_query_named_event("U_NEW"), PAPI_ENOEVNT) << "nothing is half-applied";
  EXPECT_EQ(Encode(lines, 1), PAPI_OK);
  EXPECT_STREQ(InfoOf(PAPI_TOT_CYC).name[0], "perf::PAGE-FAULTS");
  EXPECT_STREQ(InfoOf(PAPI_TOT_CYC).note, "mine");
  EXPECT_EQ(PAPI_query_named_event("U_NEW"), PAPI_OK);
}

TEST_F(EncodeEvents, OfAnEventInUseIsPapiEisrun) {
  const std::string line = "PAPI_TOT_CYC,NOT_DERIVED,,s,l,,perf::PAGE-FAULTS\n";
  int set = PAPI_NULL;
  std::thread([&] { set = SetOf({"perf::TASK-CLOCK", "PAPI_TOT_CYC"}); }).join();
  EXPECT_EQ(Encode(line, 1), PAPI_EISRUN) << "stopped, and another thread's";
  ASSERT_EQ(PAPI_start(set), PAPI_OK);
  EXPECT_EQ(Encode(line, 1), PAPI_EISRUN);
  ASSERT_EQ(PAPI_stop(set, nullptr), PAPI_OK);
  EXPECT_STREQ(InfoOf(PAPI_TOT_CYC).name[0], "perf::CPU-CLOCK");
  ASSERT_EQ(PAPI_remove_event(set, PAPI_TOT_CYC), PAPI_OK);
  EXPECT_EQ(Encode(line, 1), PAPI_OK);
  ASSERT_EQ(PAPI_add_event(set, PAPI_TOT_CYC), PAPI_OK);
  EXPECT_EQ(Encode(line, 1), PAPI_EISRUN);
  ASSERT_EQ(PAPI_cleanup_eventset(set), PAPI_OK);
  EXPECT_EQ(Encode(line, 1), PAPI_OK);
}

// Threads that put the event into their sets and count it meet one that defines it anew.
TEST_F(EncodeEvents, MayBeCalledWhileOtherThreadsCount) {
  const std::string line = "U_BOTH,NOT_DERIVED,,s,l,,perf::PAGE-FAULTS\n";
  ASSERT_EQ(Encode(line, 0), PAPI_OK);
  std::atomic<bool> done{false};
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      do {
        int set = SetOf({"U_BOTH"});
        long long value = 0;
        wrong += PAPI_start(set) != PAPI_OK;
        Touch(3);
        wrong += PAPI_stop(set, &value) != PAPI_OK || value < 3;
        wrong += PAPI_cleanup_eventset(set) != PAPI_OK;
        wrong += PAPI_destroy_eventset(&set) != PAPI_OK;
      } while (!done);
    });
  }
  for (int i = 0; i < 100; ++i) {
    const int code = Encode(line, 1);
    EXPECT_TRUE(code == PAPI_OK || code == PAPI_EISRUN) << code;
  }
  done = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(Encode(line, 1), PAPI_OK) << "a use was forgotten";
}

TEST_F(EncodeEvents, OfAFullTableIsPapiEnotpreset) {
  std::string lines;
  for (int i = 0; i < 1023; ++i) {  // MY_FAULTS is there
    lines += "U_" + std::to_string(i) + ",NOT_DERIVED,,s,l,,perf::PAGE-FAULTS\n";
  }
  EXPECT_EQ(Encode(lines + "U_ONE_MORE,NOT_DERIVED,,s,l,,perf::PAGE-FAULTS\n", 0), PAPI_ENOTPRESET);
  EXPECT_EQ(PAPI_query_named_event("U_0"), PAPI_ENOEVNT) << "nothing is half-applied";
  ASSERT_EQ(Encode(lines, 0), PAPI_OK);
  EXPECT_EQ(PAPI_query_named_event("U_1022"), PAPI_OK);
  PAPI_event_info_t info = NewEvent("U_ONE_MORE", "NOT_DERIVED", {"perf::PAGE-FAULTS"});
  int code = 77;
  EXPECT_EQ(PAPI_set_event_info(&info, &code, 0), PAPI_ENOTPRESET);
  EXPECT_EQ(code, 77);
  std::strcpy(info.symbol, "U_7");
  EXPECT_EQ(PAPI_set_event_info(&info, &code, 1), PAPI_OK) << "needs no room";
}

TEST_F(EncodeEvents, NamesLineAndColumnOfAMistake) {
  struct {
    const char* line;
    const char* words;
  } const cases[] = {
      {"BAD,NOT_DRIVED,,s,l,,perf::PAGE-FAULTS\n", ":4:5: \"NOT_DRIVED\" is not a derivation"},
      {"BAD,NOT_DERIVED,,s,l,,perf::PAGE-FALTS\n",
       ":4:23: event \"perf::PAGE-FALTS\" is not known"},
      {"BAD,NOT_DERIVED,,s,\"l,,perf::PAGE-FAULTS\n", ":4:20: the quoted text"},
      {"BAD,DERIVED_POSTFIX,N0|N1|+|,s,l,,perf::PAGE-FAULTS\n", ":4:21: BAD: formula"},
      {"BAD,NOT_DERIVED,,s,l\n", ":4:1: \"BAD\" needs seven columns"},
      {"EVENT,BAD,NOT_DERIVED,perf::PAGE-FAULTS\n",
       "load such a file with PAPI_set_opt(PAPI_USER_EVENTS_FILE)"},
  };
  PAPI_set_debug(PAPI_VERB_ECONT);
  for (const auto& c : cases) {
    const csink::testing::CapturedStderr captured;
    EXPECT_EQ(Encode(std::string("GOOD,NOT_DERIVED,,s,l,,perf::PAGE-FAULTS\n") + c.line, 1),
              PAPI_EINVAL);
    EXPECT_NE(captured.text().find(c.words), std::string::npos) << captured.text();
    EXPECT_EQ(PAPI_query_named_event("GOOD"), PAPI_ENOEVNT) << "nothing is half-applied";
  }
}

TEST_F(EncodeEvents, DoesNotTakeANativeEventsName) {
  const int native = CodeOf("perf::PAGE-FAULTS");
  PAPI_event_info_t info = NewEvent("perf::PAGE-FAULTS", "NOT_DERIVED", {"perf::CPU-CLOCK"});
  PAPI_set_debug(PAPI_VERB_ECONT);
  for (const int replace : {0, 1}) {
    const csink::testing::CapturedStderr captured;
    EXPECT_EQ(Encode("perf::PAGE-FAULTS,NOT_DERIVED,,s,l,,perf::CPU-CLOCK\n", replace),
              PAPI_EINVAL);
    EXPECT_NE(captured.text().find(":3:1: \"perf::PAGE-FAULTS\" is a native event"),
              std::string::npos)
        << captured.text();
    int code = 77;
    EXPECT_EQ(PAPI_set_event_info(&info, &code, replace), PAPI_EINVAL);
    EXPECT_EQ(code, 77);
  }
  EXPECT_EQ(CodeOf("perf::PAGE-FAULTS"), native);
}

TEST_F(EncodeEvents, TakesWhatPapiDecodePrints) {
  EXPECT_EQ(
      Encode("PAPI_L1_DCM,NOT_DERIVED,,\"L1 data misses\",\"Accesses\",\n"
             "PAPI_TOT_CYC,NOT_DERIVED,,\"Cycles\",\"Clock cycles\",\"a note\",perf::CPU-CLOCK\n",
             1),
      PAPI_OK);
  EXPECT_EQ(PAPI_query_event(PAPI_L1_DCM), PAPI_ENOEVNT) << "not counted here: nothing was said";
  EXPECT_EQ(Encode("PAPI_TOT_CYC,NOT_DERIVED,,\"Cycles\",\"Clock cycles\",\n", 1), PAPI_EINVAL)
      << "its definition is not forgotten by accident";
}

TEST_F(EncodeEvents, OfNoFileSaysSo) {
  PAPI_set_debug(PAPI_VERB_ECONT);
  const csink::testing::CapturedStderr captured;
  EXPECT_EQ(PAPI_encode_events(nullptr, 0), PAPI_EINVAL);
  EXPECT_EQ(PAPI_encode_events("/nonexistent/events.csv", 0), PAPI_EINVAL);
  EXPECT_NE(captured.text().find("/nonexistent/events.csv: cannot be read: No such file"),
            std::string::npos)
      << captured.text();
  EXPECT_EQ(PAPI_encode_events("/", 0), PAPI_ESYS) << "a folder";
}

TEST_F(EncodeEvents, AreForgottenByShutdown) {
  ASSERT_EQ(Encode("U_NEW,NOT_DERIVED,,s,l,,perf::TASK-CLOCK\n", 0), PAPI_OK);
  PAPI_shutdown();
  ASSERT_EQ(PAPI_library_init(PAPI_VER_CURRENT), PAPI_VER_CURRENT);
  EXPECT_EQ(PAPI_query_named_event("U_NEW"), PAPI_ENOEVNT);
}

using SetEventInfo = PapiTest;

TEST_F(SetEventInfo, AddsANoteToACopyAsInTheManual) {
  int code = CodeOf("PAPI_TOT_INS");
  PAPI_event_info_t info = InfoOf(code);
  std::strcpy(info.symbol, "MY_TOT_INS");
  std::strcpy(info.note, "This note describes my version of total instructions.");
  ASSERT_EQ(PAPI_set_event_info(&info, &code, 0), PAPI_OK);
  EXPECT_EQ(code, CodeOf("MY_TOT_INS"));
  EXPECT_STREQ(InfoOf(code).note, info.note);
  EXPECT_STREQ(InfoOf(code).name[0], "perf::TASK-CLOCK");
  EXPECT_STREQ(InfoOf(PAPI_TOT_INS).note, "");
  const int set = SetOf({"MY_TOT_INS"});
  ASSERT_EQ(PAPI_start(set), PAPI_OK);
  Burn(5);
  long long value = 0;
  ASSERT_EQ(PAPI_stop(set, &value), PAPI_OK);
  EXPECT_GT(value, 4'000'000);
}

TEST_F(SetEventInfo, TakesEveryDerivationOfTheManual) {
  for (const char* derived : {"DERIVED_ADD", "DERIVED_SUB", "DERIVED_CMPD", "DERIVED_POSTFIX"}) {
    PAPI_event_info_t info = NewEvent("U", derived, {"perf::CPU-CLOCK", "perf::PAGE-FAULTS"});
    std::strcpy(info.postfix, "N0|N1|/|");
    int code = 0;
    ASSERT_EQ(PAPI_set_event_info(&info, &code, 1), PAPI_OK) << derived;
    EXPECT_STREQ(InfoOf(code).derived, derived);
    EXPECT_EQ(InfoOf(code).count, 2u);
    EXPECT_EQ(PAPI_query_event(code), PAPI_OK) << derived;
  }
}

TEST_F(SetEventInfo, ChangesAPresetOnlyWithReplaceAndOutOfUse) {
  PAPI_event_info_t info = NewEvent("PAPI_TOT_CYC", "NOT_DERIVED", {"perf::PAGE-FAULTS"});
  int code = 77;
  EXPECT_EQ(PAPI_set_event_info(&info, &code, 0), PAPI_EPERM);
  const int set = SetOf({"PAPI_TOT_CYC"});
  EXPECT_EQ(PAPI_set_event_info(&info, &code, 1), PAPI_EISRUN);
  EXPECT_EQ(code, 77);
  ASSERT_EQ(PAPI_cleanup_eventset(set), PAPI_OK);
  EXPECT_EQ(PAPI_set_event_info(&info, &code, 1), PAPI_OK);
  EXPECT_EQ(code, PAPI_TOT_CYC);
}

TEST_F(SetEventInfo, ExplainsWhatItRefuses) {
  const PAPI_event_info_t good = NewEvent("U", "NOT_DERIVED", {"perf::PAGE-FAULTS"});
  int code = 77;
  const auto refused = [&](auto change) {
    PAPI_event_info_t info = good;
    change(info);
    return PAPI_set_event_info(&info, &code, 1);
  };
  EXPECT_EQ(PAPI_set_event_info(nullptr, &code, 1), PAPI_EINVAL);
  EXPECT_EQ(refused([](auto& info) { info.event_code = 0x40000000u; }), PAPI_ENOEVNT);
  EXPECT_EQ(refused([](auto& info) { info.symbol[0] = 0; }), PAPI_EINVAL);
  EXPECT_EQ(refused([](auto& info) { std::memset(info.symbol, 'x', sizeof info.symbol); }),
            PAPI_EINVAL);
  EXPECT_EQ(refused([](auto& info) { std::memset(info.note, 'x', sizeof info.note); }),
            PAPI_EINVAL);
  EXPECT_EQ(refused([](auto& info) { std::strcpy(info.derived, "DERIVED"); }), PAPI_EINVAL);
  EXPECT_EQ(refused([](auto& info) { info.name[0][0] = 0; }), PAPI_EINVAL);
  EXPECT_EQ(refused([](auto& info) { std::strcpy(info.name[0], "perf::NO-SUCH"); }), PAPI_EINVAL);
  EXPECT_EQ(refused([](auto& info) { std::strcpy(info.name[1], "perf::CPU-CLOCK"); }), PAPI_EINVAL)
      << "NOT_DERIVED of two";
  EXPECT_EQ(code, 77);
  EXPECT_EQ(PAPI_query_named_event("U"), PAPI_ENOEVNT);
}

/// Without presets of the tests' own: what the library knows of this machine.
class UserEventsFile : public PapiTest {
 protected:
  void WithoutPresetFile() {
    presets_ = getenv("PAPI_CSV_EVENT_FILE");
    unsetenv("PAPI_CSV_EVENT_FILE");
    Again();
  }
  static void Again() {
    PAPI_shutdown();
    ASSERT_EQ(PAPI_library_init(PAPI_VER_CURRENT), PAPI_VER_CURRENT);
  }
  void TearDown() override {
    unsetenv("PAPI_USER_EVENTS_FILE");
    if (!presets_.empty()) setenv("PAPI_CSV_EVENT_FILE", presets_.c_str(), 1);
    PapiTest::TearDown();
  }

 private:
  std::string presets_;
};

constexpr const char* kOfThePmuOfTheKernel =
    "CPU,perf\n"
    "PRESET,PAPI_TOT_CYC,NOT_DERIVED,perf::CPU-CLOCK,NOTE,'ns of CPU time'\n"
    "EVENT,MY_SUM,DERIVED_ADD,perf::CPU-CLOCK,perf::TASK-CLOCK\n";

// On a machine without PMUs nobody else asks which there are.
TEST_F(UserEventsFile, OfTheEnvironmentMayNameThePmuOfTheKernel) {
  File file(kOfThePmuOfTheKernel);
  setenv("PAPI_USER_EVENTS_FILE", file.path(), 1);
  WithoutPresetFile();
  EXPECT_EQ(PAPI_query_named_event("MY_SUM"), PAPI_OK);
  EXPECT_EQ(PAPI_query_event(PAPI_TOT_CYC), PAPI_OK);
}

TEST_F(UserEventsFile, LoadedLaterMayNameThePmuOfTheKernel) {
  WithoutPresetFile();
  PAPI_query_event(PAPI_TOT_CYC);  // the table is there before the file
  File file(kOfThePmuOfTheKernel);
  PAPI_option_t option = {};
  option.events_file = file.path();
  EXPECT_EQ(PAPI_set_opt(PAPI_USER_EVENTS_FILE, &option), PAPI_OK);
  EXPECT_EQ(PAPI_query_named_event("MY_SUM"), PAPI_OK);
  EXPECT_EQ(PAPI_query_event(PAPI_TOT_CYC), PAPI_OK);
}

TEST_F(UserEventsFile, OfTheEnvironmentMayHaveEitherFormat) {
  const char* const texts[] = {"EVENT,U_ENV,NOT_DERIVED,perf::PAGE-FAULTS\n",
                               "name,derived,postfix,short_descr,long_descr,note,[native,...]\n\n"
                               "U_ENV,NOT_DERIVED,,s,l,,perf::PAGE-FAULTS\n"};
  for (const char* text : texts) {
    File file(text);
    setenv("PAPI_USER_EVENTS_FILE", file.path(), 1);
    Again();
    EXPECT_EQ(PAPI_query_named_event("U_ENV"), PAPI_OK) << text;
    PAPI_option_t option = {};
    ASSERT_EQ(PAPI_get_opt(PAPI_USER_EVENTS_FILE, &option), PAPI_OK);
    EXPECT_STREQ(option.events_file, file.path());
  }
}

TEST_F(UserEventsFile, OfNobodyIsNoAnswer) {
  PAPI_option_t option = {};
  char before[] = "as before";
  option.events_file = before;
  EXPECT_EQ(PAPI_get_opt(PAPI_USER_EVENTS_FILE, &option), PAPI_EINVAL);
  EXPECT_EQ(option.events_file, before);
}

}  // namespace
}  // namespace papi_test
