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
  if (PAPI_event_name_to_code("load:::MEM_FREE", &code) == PAPI_OK) {
    EXPECT_EQ(csink_papi_event_encoding(code, &encoding), PAPI_ECMP);
  }
}

TEST_F(CsinkPapi, AnEventOfADeviceAccumulatesOrIsMomentary) {
  int code = 0, accumulates = 7;
  if (PAPI_event_name_to_code("load:::MEM_FREE", &code) == PAPI_OK) {
    EXPECT_EQ(csink_papi_event_accumulates(code, &accumulates), PAPI_OK);
    EXPECT_EQ(accumulates, 0);
  }
  if (PAPI_event_name_to_code("load:::TIME_WORK", &code) == PAPI_OK) {
    EXPECT_EQ(csink_papi_event_accumulates(code, &accumulates), PAPI_OK);
    EXPECT_EQ(accumulates, 1);
  }
  ASSERT_EQ(PAPI_event_name_to_code("perf::PAGE-FAULTS", &code), PAPI_OK);
  EXPECT_EQ(csink_papi_event_accumulates(code, &accumulates), PAPI_ECMP);
  EXPECT_EQ(csink_papi_event_accumulates(PAPI_TOT_CYC, &accumulates), PAPI_ENOEVNT);
}

TEST_F(CsinkPapi, ReadEachIsAReadWithACodeForEachEvent) {
  int set = PAPI_NULL;
  long long values[2] = {-1, -1};
  int codes[2] = {1, 1};
  EXPECT_EQ(csink_papi_read_each(set, values, codes), PAPI_ENOEVST);
  ASSERT_EQ(PAPI_create_eventset(&set), PAPI_OK);
  EXPECT_EQ(csink_papi_read_each(set, values, codes), PAPI_ENOCMP) << "it has no event yet";
  ASSERT_EQ(PAPI_add_named_event(set, "perf::PAGE-FAULTS"), PAPI_OK);
  ASSERT_EQ(PAPI_add_named_event(set, "perf::TASK-CLOCK"), PAPI_OK);
  ASSERT_EQ(PAPI_start(set), PAPI_OK);
  Touch(50);
  EXPECT_EQ(csink_papi_read_each(set, nullptr, codes), PAPI_EINVAL);
  EXPECT_EQ(csink_papi_read_each(set, values, nullptr), PAPI_EINVAL);
  ASSERT_EQ(csink_papi_read_each(set, values, codes), PAPI_OK);
  EXPECT_THAT(codes, ::testing::Each(PAPI_OK));
  EXPECT_GE(values[0], 50);
  EXPECT_GT(values[1], 0);
  long long later[2] = {};
  ASSERT_EQ(PAPI_stop(set, later), PAPI_OK);
  EXPECT_GE(later[0], values[0]);
  EXPECT_GT(later[1], values[1]);
  EXPECT_EQ(PAPI_cleanup_eventset(set), PAPI_OK);
  EXPECT_EQ(PAPI_destroy_eventset(&set), PAPI_OK);
}

// Software events always count, so that those of a multiplexed set take no turns.
TEST_F(CsinkPapi, CountedSharesAreWholeWhereNoEventTakesTurns) {
  double shares[2] = {};
  EXPECT_EQ(csink_papi_counted_shares(PAPI_NULL, shares), PAPI_ENOEVST);
  for (const bool multiplexed : {false, true}) {
    int set = PAPI_NULL;
    ASSERT_EQ(PAPI_create_eventset(&set), PAPI_OK);
    ASSERT_EQ(PAPI_assign_eventset_component(set, 0), PAPI_OK);
    if (multiplexed) {
      ASSERT_EQ(PAPI_multiplex_init(), PAPI_OK);
      ASSERT_EQ(PAPI_set_multiplex(set), PAPI_OK);
    }
    ASSERT_EQ(PAPI_add_named_event(set, "perf::PAGE-FAULTS"), PAPI_OK);
    ASSERT_EQ(PAPI_add_named_event(set, "perf::TASK-CLOCK"), PAPI_OK);
    EXPECT_EQ(csink_papi_counted_shares(set, nullptr), PAPI_EINVAL);
    ASSERT_EQ(csink_papi_counted_shares(set, shares), PAPI_OK);
    EXPECT_THAT(shares, ::testing::Each(1.0)) << "nothing was read yet";
    ASSERT_EQ(PAPI_start(set), PAPI_OK);
    Burn(5);
    long long values[2] = {};
    ASSERT_EQ(PAPI_read(set, values), PAPI_OK);
    ASSERT_EQ(csink_papi_counted_shares(set, shares), PAPI_OK);
    EXPECT_THAT(shares, ::testing::Each(::testing::DoubleNear(1.0, 1e-3)));
    ASSERT_EQ(PAPI_stop(set, values), PAPI_OK);
    EXPECT_EQ(PAPI_cleanup_eventset(set), PAPI_OK);
    EXPECT_EQ(PAPI_destroy_eventset(&set), PAPI_OK);
  }
}

TEST_F(CsinkPapi, UserReadsAreWhatTheComponentSays) {
  EXPECT_EQ(PAPI_get_opt(CSINK_PAPI_USER_READS, nullptr),
            static_cast<int>(PAPI_get_component_info(0)->fast_counter_read));
}

}  // namespace
}  // namespace papi_test
