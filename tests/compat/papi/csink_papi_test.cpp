#include "compat/papi/include/csink_papi.h"

#include <gmock/gmock.h>
#include <linux/perf_event.h>

#include <string>
#include <thread>

#include "tests/compat/papi/papi_fixture.h"
#include "tests/fakes/captured_stderr.h"

namespace papi_test {
namespace {

using ::testing::HasSubstr;
using CsinkPapi = PapiTest;

std::string LastMessage() {
  char text[512] = "untouched";
  EXPECT_EQ(csink_papi_last_message(text, sizeof text), PAPI_OK);
  return text;
}

TEST_F(CsinkPapi, LastMessageIsTheSentenceOfTheLastFailure) {
  int code = 0;
  ASSERT_EQ(PAPI_event_name_to_code("PAPI_TOT_CYK", &code), PAPI_ENOEVNT);
  EXPECT_THAT(LastMessage(), HasSubstr("PAPI_TOT_CYC"));
  EXPECT_THAT(LastMessage(), HasSubstr("PAPI_TOT_CYC")) << "asking does not forget it";
  ASSERT_EQ(PAPI_event_name_to_code("PAPI_TOT_CYC", &code), PAPI_OK);
  EXPECT_EQ(LastMessage(), "");
}

// A thread's first call knows nothing of the thread yet.
TEST_F(CsinkPapi, LastMessageOfAThreadsFirstCallIsThere) {
  std::thread([] {
    EXPECT_EQ(LastMessage(), "");
    ASSERT_EQ(PAPI_library_init(0x03050000), PAPI_EINVAL);
    EXPECT_THAT(LastMessage(), HasSubstr("built for another version of PAPI"));
    {
      const csink::testing::CapturedStderr captured;
      PAPI_perror("app");
      EXPECT_THAT(captured.text(), HasSubstr("built for another version of PAPI"));
    }
    std::thread([] { EXPECT_EQ(LastMessage(), "") << "it is another thread's"; }).join();
    int code = 0;
    ASSERT_EQ(PAPI_event_name_to_code("PAPI_TOT_CYK", &code), PAPI_ENOEVNT);
    EXPECT_THAT(LastMessage(), HasSubstr("PAPI_TOT_CYC"));
    EXPECT_EQ(LastMessage().find("another version"), std::string::npos) << "it is over";
    ASSERT_EQ(PAPI_library_init(PAPI_VER_CURRENT), PAPI_VER_CURRENT);
    EXPECT_EQ(LastMessage(), "");
  }).join();
}

TEST_F(CsinkPapi, LastMessageIsCutToTheBuffer) {
  int code = 0;
  ASSERT_EQ(PAPI_event_name_to_code("PAPI_TOT_CYK", &code), PAPI_ENOEVNT);
  char text[6];
  ASSERT_EQ(csink_papi_last_message(text, sizeof text), PAPI_OK);
  EXPECT_EQ(std::string(text), LastMessage().substr(0, 5));
  EXPECT_EQ(csink_papi_last_message(text, 0), PAPI_EINVAL);
  EXPECT_EQ(csink_papi_last_message(nullptr, 6), PAPI_EINVAL);
}

TEST_F(CsinkPapi, EncodingIsWhatTheKernelIsAskedFor) {
  int code = 0;
  ASSERT_EQ(PAPI_event_name_to_code("perf::PAGE-FAULTS", &code), PAPI_OK);
  csink_papi_event_encoding_t encoding = {};
  ASSERT_EQ(csink_papi_event_encoding(code, &encoding), PAPI_OK);
  EXPECT_EQ(encoding.event_code, code);
  EXPECT_EQ(encoding.type, PERF_TYPE_SOFTWARE);
  EXPECT_EQ(encoding.config, PERF_COUNT_SW_PAGE_FAULTS);
}

TEST_F(CsinkPapi, EncodingRefusesWhatHasNone) {
  csink_papi_event_encoding_t encoding = {};
  EXPECT_EQ(csink_papi_event_encoding(PAPI_TOT_CYC, &encoding), PAPI_ENOEVNT);
  EXPECT_EQ(csink_papi_event_encoding(PAPI_NATIVE_MASK | 0xfffff0, &encoding), PAPI_ENOEVNT);
  int code = 0;
  if (PAPI_event_name_to_code("rapl:::MEM_FREE", &code) == PAPI_OK) {
    EXPECT_EQ(csink_papi_event_encoding(code, &encoding), PAPI_ECMP);
  }
}

TEST_F(CsinkPapi, AnEventOfADeviceAccumulatesOrIsMomentary) {
  int code = 0, accumulates = 7;
  if (PAPI_event_name_to_code("rapl:::MEM_FREE", &code) == PAPI_OK) {
    EXPECT_EQ(csink_papi_event_accumulates(code, &accumulates), PAPI_OK);
    EXPECT_EQ(accumulates, 0);
  }
  if (PAPI_event_name_to_code("rapl:::TIME_WORK", &code) == PAPI_OK) {
    EXPECT_EQ(csink_papi_event_accumulates(code, &accumulates), PAPI_OK);
    EXPECT_EQ(accumulates, 1);
  }
  ASSERT_EQ(PAPI_event_name_to_code("perf::PAGE-FAULTS", &code), PAPI_OK);
  EXPECT_EQ(csink_papi_event_accumulates(code, &accumulates), PAPI_ECMP);
  EXPECT_EQ(csink_papi_event_accumulates(PAPI_TOT_CYC, &accumulates), PAPI_ENOEVNT);
}

TEST_F(CsinkPapi, UserReadsAreWhatTheComponentSays) {
  EXPECT_EQ(PAPI_get_opt(CSINK_PAPI_USER_READS, nullptr),
            static_cast<int>(PAPI_get_component_info(0)->fast_counter_read));
}

}  // namespace
}  // namespace papi_test
