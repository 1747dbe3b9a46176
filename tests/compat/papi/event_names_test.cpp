#include <cstring>
#include <string>

#include "tests/compat/papi/papi_fixture.h"
#include "tests/fakes/captured_stderr.h"

namespace papi_test {
namespace {

using Names = PapiTest;

TEST_F(Names, GoBothWays) {
  char name[PAPI_MAX_STR_LEN];
  for (const char* given :
       {"PAPI_TOT_CYC", "PAPI_L3_TCM", "MY_FAULTS", "perf::TASK-CLOCK", "perf::PAGE-FAULTS:u=1"}) {
    ASSERT_EQ(PAPI_event_code_to_name(CodeOf(given), name), PAPI_OK) << given;
    EXPECT_STREQ(name, given);
  }
  EXPECT_EQ(CodeOf("perf_event:::perf::TASK-CLOCK"), CodeOf("perf::TASK-CLOCK"));
}

TEST_F(Names, OfNoEventLeaveTheAnswerAlone) {
  int code = 77;
  for (const char* name : {"nope", "PAPI_NOPE", "perf::NOPE", "papi_tot_cyc"}) {
    EXPECT_EQ(PAPI_event_name_to_code(name, &code), PAPI_ENOEVNT) << name;
  }
  EXPECT_EQ(PAPI_event_name_to_code("perf::TASK-CLOCK:zz=1", &code), PAPI_EATTR);
  EXPECT_EQ(PAPI_event_name_to_code("", &code), PAPI_EINVAL);
  EXPECT_EQ(PAPI_event_name_to_code(nullptr, &code), PAPI_EINVAL);
  EXPECT_EQ(PAPI_event_name_to_code("PAPI_TOT_CYC", nullptr), PAPI_EINVAL);
  EXPECT_EQ(code, 77);
  char out[PAPI_MAX_STR_LEN] = "as before";
  EXPECT_EQ(PAPI_event_code_to_name(0, out), PAPI_ENOEVNT);
  EXPECT_EQ(PAPI_event_code_to_name(-1, out), PAPI_ENOEVNT);
  EXPECT_EQ(PAPI_event_code_to_name(0x4fffffff, out), PAPI_ENOEVNT);
  EXPECT_EQ(PAPI_event_code_to_name(static_cast<int>(0x80000000u | 127), out), PAPI_ENOTPRESET);
  EXPECT_EQ(PAPI_event_code_to_name(PAPI_TOT_CYC, nullptr), PAPI_EINVAL);
  EXPECT_STREQ(out, "as before");
}

TEST_F(Names, LongOrBrokenAreRefused) {
  int code = 0;
  const std::string long_name(5000, 'A');
  EXPECT_LT(PAPI_event_name_to_code(long_name.c_str(), &code), 0);
  EXPECT_LT(PAPI_event_name_to_code("INV::::AL:ID:::_E=3V::E=NT", &code), 0);
  EXPECT_LT(PAPI_event_name_to_code("perf::\xff\xfe", &code), 0);
}

using Query = PapiTest;

TEST_F(Query, KnowsWhatCanBeCounted) {
  EXPECT_EQ(PAPI_query_event(PAPI_TOT_CYC), PAPI_OK);
  EXPECT_EQ(PAPI_query_event(PAPI_L3_TCM), PAPI_ENOEVNT);
  EXPECT_EQ(PAPI_query_event(CodeOf("perf::TASK-CLOCK")), PAPI_OK);
  EXPECT_EQ(PAPI_query_event(0), PAPI_ENOEVNT);
  EXPECT_EQ(PAPI_query_event(static_cast<int>(0x80000000u | 127)), PAPI_ENOEVNT);
  EXPECT_EQ(PAPI_query_event(static_cast<int>(0x80000000u | 5000)), PAPI_ENOTPRESET);
  EXPECT_EQ(PAPI_query_event(0x4fffffff), PAPI_ENOEVNT);
  EXPECT_EQ(PAPI_query_named_event("perf::TASK-CLOCK"), PAPI_OK);
  EXPECT_EQ(PAPI_query_named_event("PAPI_L3_TCM"), PAPI_ENOEVNT);
  EXPECT_EQ(PAPI_query_named_event(nullptr), PAPI_EINVAL);
}

using Info = PapiTest;

TEST_F(Info, OfAPresetNamesItsNatives) {
  PAPI_event_info_t info;
  ASSERT_EQ(PAPI_get_event_info(PAPI_BR_CN, &info), PAPI_OK);
  EXPECT_STREQ(info.symbol, "PAPI_BR_CN");
  EXPECT_STREQ(info.derived, "DERIVED_ADD");
  EXPECT_EQ(info.count, 2u);
  EXPECT_EQ(static_cast<int>(info.code[0]), CodeOf("perf::CPU-CLOCK"));
  EXPECT_EQ(info.event_code, static_cast<unsigned>(PAPI_BR_CN));
  EXPECT_NE(info.event_type & PAPI_PRESET_BIT_BR, 0u);
  ASSERT_EQ(PAPI_get_event_info(PAPI_BR_MSP, &info), PAPI_OK);
  EXPECT_STREQ(info.derived, "DERIVED_POSTFIX");
  EXPECT_STREQ(info.postfix, "N0|N1|-|2|*|");
}

TEST_F(Info, OfAPresetThatCannotBeCountedHasNoNatives) {
  PAPI_event_info_t info;
  std::memset(&info, 0xff, sizeof info);
  ASSERT_EQ(PAPI_get_event_info(PAPI_L3_TCM, &info), PAPI_OK);
  EXPECT_EQ(info.count, 0u);
  EXPECT_STREQ(info.derived, "NOT_DERIVED");
  EXPECT_GT(std::strlen(info.long_descr), 10u);
}

TEST_F(Info, OfNothingIsAnError) {
  PAPI_event_info_t info;
  EXPECT_EQ(PAPI_get_event_info(0, &info), PAPI_ENOTPRESET);
  EXPECT_EQ(PAPI_get_event_info(static_cast<int>(0x80000000u | 127), &info), PAPI_ENOTPRESET);
  EXPECT_EQ(PAPI_get_event_info(0x4fffffff, &info), PAPI_ENOEVNT);
  EXPECT_EQ(PAPI_get_event_info(PAPI_TOT_CYC, nullptr), PAPI_EINVAL);
}

using Enumeration = PapiTest;

int CountFrom(int code, int first, int next) {
  if (PAPI_enum_event(&code, first) != PAPI_OK) return 0;
  int events = 1;
  while (PAPI_enum_event(&code, next) == PAPI_OK) ++events;
  return events;
}

TEST_F(Enumeration, ListsPresets) {
  constexpr int kPresets = static_cast<int>(PAPI_PRESET_MASK);
  EXPECT_EQ(CountFrom(kPresets, PAPI_ENUM_FIRST, PAPI_ENUM_EVENTS), 108);
  int code = kPresets;
  ASSERT_EQ(PAPI_enum_event(&code, PAPI_PRESET_ENUM_AVAIL), PAPI_OK);
  EXPECT_EQ(code, PAPI_L1_TCM);
  int available = 1;
  while (PAPI_enum_event(&code, PAPI_PRESET_ENUM_AVAIL) == PAPI_OK) ++available;
  EXPECT_EQ(available, 5);
  for (int kind = PAPI_PRESET_ENUM_MSC; kind <= PAPI_PRESET_ENUM_FP; ++kind) {
    for (code = kPresets; PAPI_enum_event(&code, kind) == PAPI_OK;) {
      PAPI_event_info_t info;
      ASSERT_EQ(PAPI_get_event_info(code, &info), PAPI_OK);
      EXPECT_NE(info.event_type & (1u << kind), 0u) << info.symbol;
    }
  }
}

TEST_F(Enumeration, ListsNativesWhoseCodesNameTheirComponent) {
  int code = static_cast<int>(PAPI_NATIVE_MASK);
  ASSERT_EQ(PAPI_enum_cmp_event(&code, PAPI_ENUM_FIRST, 0), PAPI_OK);
  int natives = 0;
  bool found = false;
  do {
    char name[PAPI_MAX_STR_LEN];
    ASSERT_EQ(PAPI_event_code_to_name(code, name), PAPI_OK);
    found |= std::string(name).find("TASK-CLOCK") != std::string::npos;
    EXPECT_EQ(PAPI_get_event_component(code), 0);
    ++natives;
  } while (PAPI_enum_cmp_event(&code, PAPI_ENUM_EVENTS, 0) == PAPI_OK);
  EXPECT_TRUE(found);
  EXPECT_GT(natives, 8);
}

TEST_F(Enumeration, RefusesStrangeRequests) {
  int code = static_cast<int>(PAPI_PRESET_MASK);
  EXPECT_EQ(PAPI_enum_event(nullptr, PAPI_ENUM_EVENTS), PAPI_EINVAL);
  EXPECT_EQ(PAPI_enum_event(&code, 99), PAPI_EINVAL);
  EXPECT_EQ(PAPI_enum_event(&code, -1), PAPI_EINVAL);
  EXPECT_EQ(PAPI_enum_cmp_event(&code, PAPI_ENUM_FIRST, 99), PAPI_ENOCMP);
  EXPECT_EQ(PAPI_enum_cmp_event(&code, PAPI_ENUM_FIRST, -1), PAPI_ENOCMP);
  int none = 0;
  EXPECT_EQ(PAPI_enum_event(&none, PAPI_ENUM_EVENTS), PAPI_EINVAL);
  EXPECT_EQ(code, static_cast<int>(PAPI_PRESET_MASK));
}

using Debug = PapiTest;

TEST_F(Debug, SaysWhyInASentence) {
  int code = 0;
  ASSERT_EQ(PAPI_set_debug(PAPI_VERB_ECONT), PAPI_OK);
  const csink::testing::CapturedStderr captured;
  EXPECT_EQ(PAPI_event_name_to_code("PAPI_TOT_CYK", &code), PAPI_ENOEVNT);
  const std::string said = captured.text();
  EXPECT_EQ(said.find("PAPI Error: Error Code -7,PAPI_ENOEVNT,No such event"), 0u) << said;
  EXPECT_NE(said.find("PAPI_TOT_CYC"), std::string::npos) << said;
  EXPECT_EQ(PAPI_set_debug(3), PAPI_EINVAL);
  EXPECT_EQ(PAPI_set_debug(-1), PAPI_EINVAL);
}

TEST_F(Debug, AnUnavailablePresetNamesTheFileThatHelps) {
  ASSERT_EQ(PAPI_set_debug(PAPI_VERB_ECONT), PAPI_OK);
  const csink::testing::CapturedStderr captured;
  if (PAPI_query_event(PAPI_FP_OPS) != PAPI_ENOEVNT) GTEST_SKIP() << "PAPI_FP_OPS counts here";
  const std::string said = captured.text();
  EXPECT_NE(said.find("presets-software.csv"), std::string::npos) << said;
}

TEST_F(Debug, AnUnavailablePresetIsNotSentToAFileThatLacksItToo) {
  ASSERT_EQ(PAPI_set_debug(PAPI_VERB_ECONT), PAPI_OK);
  const csink::testing::CapturedStderr captured;
  if (PAPI_query_event(PAPI_L3_TCM) != PAPI_ENOEVNT) GTEST_SKIP() << "PAPI_L3_TCM counts here";
  const std::string said = captured.text();
  EXPECT_NE(said.find("PAPI_L3_TCM"), std::string::npos) << said;
  EXPECT_EQ(said.find("presets-software.csv"), std::string::npos) << said;
}

int g_handled = 0;
int Handle(int code) {
  g_handled = code;
  return PAPI_EBUF;
}

TEST_F(Debug, TheProgramsHandlerAnswersInItsPlace) {
  PAPI_option_t option;
  std::memset(&option, 0, sizeof option);
  option.debug = {PAPI_VERB_ECONT, Handle};
  ASSERT_EQ(PAPI_set_opt(PAPI_DEBUG, &option), PAPI_OK);
  EXPECT_EQ(PAPI_start(99), PAPI_EBUF);
  EXPECT_EQ(g_handled, PAPI_ENOEVST);
}

TEST_F(Debug, PerrorSaysWhyToo) {
  int code = 0;
  EXPECT_EQ(PAPI_event_name_to_code("perf::TASK-CLOK", &code), PAPI_ENOEVNT);
  const csink::testing::CapturedStderr captured;
  PAPI_perror("app");
  const std::string said = captured.text();
  EXPECT_EQ(said.rfind("app: No such event", 0), 0u) << said;
  EXPECT_NE(said.find("task-clock"), std::string::npos) << said;
}

TEST_F(Debug, ALaterCallDoesNotRepeatAnEarlierSentence) {
  int code = 0;
  const int set = SetOf({"perf::TASK-CLOCK"});
  EXPECT_EQ(PAPI_event_name_to_code("perf::TASK-CLOK", &code), PAPI_ENOEVNT);
  EXPECT_EQ(PAPI_read(set, nullptr), PAPI_EINVAL);
  const csink::testing::CapturedStderr captured;
  PAPI_perror(nullptr);
  EXPECT_EQ(captured.text().find("task-clock"), std::string::npos) << captured.text();
}

TEST_F(Debug, ABadEventFileIsExplainedLineByLine) {
  std::string name = testing::TempDir() + "csink_papi_bad_XXXXXX";
  close(mkstemp(name.data()));
  std::ofstream(name) << "CPU,perf\n"
                         "EVENT,GOOD_ONE,NOT_DERIVED,perf::PAGE-FAULTS\n"
                         "PRESET,PAPI_TOT_CYX,NOT_DERIVED,perf::CPU-CLOCK\n"
                         "EVENT,BAD_ONE,DERIVED_FOO,perf::CPU-CLOCK\n"
                         "EVENTS,X,NOT_DERIVED,perf::CPU-CLOCK\n";
  ASSERT_EQ(PAPI_set_debug(PAPI_VERB_ECONT), PAPI_OK);
  PAPI_option_t option = {};
  option.events_file = name.data();
  const csink::testing::CapturedStderr captured;
  EXPECT_EQ(PAPI_set_opt(PAPI_USER_EVENTS_FILE, &option), PAPI_EINVAL);
  std::string said = captured.text();
  EXPECT_NE(said.find(":4:15: \"DERIVED_FOO\""), std::string::npos) << said;
  EXPECT_NE(said.find(":5:1: \"EVENTS\" is not a command"), std::string::npos) << said;
  EXPECT_EQ(PAPI_query_named_event("GOOD_ONE"), PAPI_ENOEVNT) << "nothing is half-applied";
  // What is only unknown here is left out, and the others are used.
  std::ofstream(name) << "CPU,perf\n"
                         "EVENT,GOOD_ONE,NOT_DERIVED,perf::PAGE-FAULTS\n"
                         "PRESET,PAPI_TOT_CYX,NOT_DERIVED,perf::CPU-CLOCK\n"
                         "EVENT,NOT_HERE,NOT_DERIVED,PAPI_CSR_TOT\n";
  EXPECT_EQ(PAPI_set_opt(PAPI_USER_EVENTS_FILE, &option), PAPI_OK);
  said = captured.text();
  EXPECT_NE(said.find(":3:8: \"PAPI_TOT_CYX\" is not a preset"), std::string::npos) << said;
  EXPECT_NE(said.find(":4:28: PAPI_CSR_TOT has no definition"), std::string::npos) << said;
  EXPECT_EQ(PAPI_query_event(CodeOf("GOOD_ONE")), PAPI_OK);
  option = {};
  ASSERT_EQ(PAPI_get_opt(PAPI_USER_EVENTS_FILE, &option), PAPI_OK);
  EXPECT_EQ(option.events_file, name);
  unlink(name.c_str());
}

using Listing = PapiTest;

TEST_F(Listing, OfNativesMayBeginAtTheMaskAlone) {
  (void)CodeOf("perf::TASK-CLOCK");  // known before the list is
  int first = PAPI_NATIVE_MASK;
  ASSERT_EQ(PAPI_enum_event(&first, PAPI_ENUM_FIRST), PAPI_OK);
  int code = PAPI_NATIVE_MASK;
  PAPI_event_info_t info;
  EXPECT_EQ(PAPI_get_event_info(code, &info), PAPI_ENOEVNT);
  ASSERT_EQ(PAPI_enum_event(&code, PAPI_ENUM_EVENTS), PAPI_OK);
  EXPECT_EQ(code, first);
  int events = 1;
  while (PAPI_enum_event(&code, PAPI_ENUM_EVENTS) == PAPI_OK) ++events;
  // Events that this machine does not have are not listed.
  EXPECT_GE(events, 9);  // The kernel's software events
  EXPECT_LE(events, PAPI_get_component_info(0)->num_native_events);
}

}  // namespace
}  // namespace papi_test
