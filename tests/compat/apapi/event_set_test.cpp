// Event sets: which events they hold, and by whose operations.
#include <errno.h>

#include "apapi_fixture.h"

namespace {

class EventSet : public ApapiTest {};

apapi_event_ops* ParseOps(std::string& text) {
  apapi_event_ops* ops = nullptr;
  int count = 0;
  EXPECT_EQ(APAPI_read_event_ops_csv(text.data(), ',', &ops, &count), 0);
  return ops;
}

TEST_F(EventSet, OfPerfHasItsDefaultListAndNeverAllEvents) {
  ASSERT_EQ(APAPI_init_apapi_eventset_cmp(&set_, Perf(), nullptr, nullptr), PAPI_OK);
  EXPECT_STREQ(set_->cmp_name, "perf");
  ASSERT_GE(set_->num_events, 4);
  EXPECT_LE(set_->num_events, 8);
  char clock[] = "perf::TASK-CLOCK", faults[] = "perf::PAGE-FAULTS";
  const int place = APAPI_apapi_eventset_find_event(set_, clock);
  ASSERT_EQ(place, 0);
  EXPECT_GT(APAPI_apapi_eventset_find_event(set_, faults), 0);
  EXPECT_EQ(set_->event_ops[place].op1, APAPI_OP1_DIV_DIFF_TIME);
  EXPECT_EQ(set_->event_ops[place].value0_prefix, 1e9);
  EXPECT_EQ(set_->event_ops[place].data_type, PAPI_DATATYPE_UINT64);
  EXPECT_EQ(set_->max_counters[place], 0x7fffffffffffffff);
  EXPECT_EQ(set_->event_ops[set_->num_events].event_name, nullptr);
}

TEST_F(EventSet, AnAbsentEventOfTheUsersListIsAnError) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(MakeSet({kFaults, "perf::NO-SUCH-THING"}), -1);
  const std::string message = testing::internal::GetCapturedStderr();
  EXPECT_NE(message.find("perf::NO-SUCH-THING"), std::string::npos);
  // libpapi's own sentence, not the words of the code alone.
  EXPECT_NE(message.find("\"perf::NO-SUCH-THING\" is not known"), std::string::npos) << message;
  EXPECT_EQ(set_, nullptr);
}

TEST_F(EventSet, AnAbsentEventIsLeftOutWithSoftfail) {
  const Variable softfail("APAPI_SOFTFAIL", "1");
  ASSERT_EQ(APAPI_init(), PAPI_VER_CURRENT);
  ASSERT_EQ(MakeSet({"perf::NO-SUCH-THING", kFaults}), PAPI_OK);
  ASSERT_EQ(set_->num_events, 1);
  EXPECT_EQ(set_->event_ops[0].event_name, kFaults);
}

TEST_F(EventSet, AnEmptyListIsAnEmptySet) {
  ASSERT_EQ(MakeSet({}), PAPI_OK);
  EXPECT_EQ(set_->num_events, 0);
  ASSERT_EQ(MakeTimer(kHour), PAPI_OK);
  ASSERT_EQ(StartTimer(), PAPI_OK);
  EXPECT_EQ(APAPI_stop_timer(timer_), PAPI_OK);
  EXPECT_EQ(set_->count, 2);
}

TEST_F(EventSet, AStarStandsForAnyText) {
  ASSERT_EQ(MakeSet({"perf::PAGE*AULTS"}), PAPI_OK);
  EXPECT_EQ(set_->num_events, 1);
  EXPECT_EQ(set_->event_ops[0].event_name, kFaults);
  APAPI_destroy_apapi_eventset(&set_);
  EXPECT_EQ(MakeSet({"perf::*-NONSENSE"}), -1);
}

TEST_F(EventSet, TheUsersOperationsComeFirst) {
  std::string text =
      "perf::*,APAPI_OP1_NOP,APAPI_STAT_MIN,APAPI_STAT_NO,0,any,-,1,-,-,1\n"
      "perf::PAGE-FAULTS,APAPI_OP1_NOP,APAPI_STAT_MAX,APAPI_STAT_NO,0,faults,#,2,-,-,1\n";
  apapi_event_ops* ops = ParseOps(text);
  ASSERT_EQ(MakeSet({kFaults, kClock}, ops), PAPI_OK);
  free(ops);
  text.assign(text.size(), 'x');                           // the set keeps nothing of the caller's
  EXPECT_STREQ(set_->event_ops[0].value0_type, "faults");  // by its name
  EXPECT_EQ(set_->values0_stats[0], APAPI_STAT_MAX);
  EXPECT_STREQ(set_->event_ops[1].value0_type, "any");  // by a pattern
  EXPECT_EQ(set_->event_ops[0].data_type, PAPI_DATATYPE_UINT64);
}

TEST_F(EventSet, OperationsAreFoundByPapisNameOfTheEventToo) {
  ASSERT_EQ(MakeSet({"perf_event:::perf::PAGE-FAULTS"}), PAPI_OK);
  EXPECT_STREQ(set_->event_ops[0].value0_type, "count");
  EXPECT_STREQ(set_->event_ops[0].event_name, "perf_event:::perf::PAGE-FAULTS");
}

class NoOperations : public testing::Test {
 protected:
  NoOperations()
      : folder_("APAPI_DATADIR", testing::TempDir() + "apapi_data"),
        softfail_("APAPI_SOFTFAIL", "1") {}
  ~NoOperations() override {
    APAPI_destroy_apapi_eventset(&set_);
    APAPI_destroy();
  }
  apapi_eventset* set_ = nullptr;

 private:
  Variable folder_, softfail_;
};

TEST_F(NoOperations, IsAnErrorAndWithSoftfailAFallbackThatIsFound) {
  APAPI_destroy();
  ASSERT_EQ(APAPI_init(), PAPI_VER_CURRENT);  // the default files are not there
  char name[] = "perf::PAGE-FAULTS";
  char* names[] = {name, nullptr};
  const int perf = csink_apapi_find_component("perf_event");
  ASSERT_EQ(APAPI_init_apapi_eventset_cmp(&set_, perf, names, nullptr), PAPI_OK);
  EXPECT_EQ(APAPI_apapi_eventset_find_event(set_, name), 0);
  EXPECT_STREQ(set_->event_ops[0].value0_unit, "unknown");
  EXPECT_EQ(set_->values0_stats[0], APAPI_STAT_ALL);
  APAPI_destroy_apapi_eventset(&set_);
  // No list, and all of the kernel's events are none.
  EXPECT_EQ(APAPI_init_apapi_eventset_cmp(&set_, perf, nullptr, nullptr), -1);
  const Variable hard("APAPI_SOFTFAIL", "no");  // no number: as if it were not set
  EXPECT_EQ(APAPI_init(), -1);
  EXPECT_EQ(APAPI_init_apapi_eventset_cmp(&set_, perf, names, nullptr), -1);
}

TEST_F(EventSet, OfNoComponentIsRefused) {
  EXPECT_EQ(APAPI_init_apapi_eventset_cmp(&set_, 999, nullptr, nullptr), -1);
  EXPECT_EQ(APAPI_init_apapi_eventset_cmp(&set_, -1, nullptr, nullptr), -1);
  EXPECT_EQ(APAPI_init_apapi_eventset_cmp(nullptr, Perf(), nullptr, nullptr), -1);
}

TEST_F(EventSet, OfADisabledComponentIsRefused) {
  const int uncore = csink_apapi_find_component("perf_event_uncore");
  if (uncore < 0 || PAPI_get_component_info(uncore)->disabled == 0) {
    GTEST_SKIP() << "skipped: this machine has an uncore PMU";
  }
  EXPECT_EQ(csink_apapi_find_component("peu"), uncore);
  EXPECT_EQ(APAPI_init_apapi_eventset_cmp(&set_, uncore, nullptr, nullptr), -1);
}

TEST_F(EventSet, AnUnknownComponentIsNotFound) {
  EXPECT_EQ(csink_apapi_find_component("abacus"), PAPI_ENOCMP);
  EXPECT_EQ(csink_apapi_find_component(nullptr), PAPI_ENOCMP);
}

TEST_F(EventSet, ListsMakePapiSets) {
  char faults[] = "perf::PAGE-FAULTS", clock[] = "perf::TASK-CLOCK", none[] = "perf::NOTHING";
  char* names[] = {faults, clock, nullptr};
  int handle = PAPI_NULL, count = 0;
  ASSERT_EQ(APAPI_create_eventset_list(names, Perf(), &handle, &count), PAPI_OK);
  EXPECT_EQ(count, 2);
  EXPECT_EQ(PAPI_num_events(handle), 2);
  PAPI_cleanup_eventset(handle);
  PAPI_destroy_eventset(&handle);
  names[1] = none;
  EXPECT_EQ(APAPI_create_eventset_list(names, Perf(), &handle, &count), -1);
}

TEST_F(EventSet, AllEventsThatFailAreLeftOutWithSoftfail) {
  const Variable softfail("APAPI_SOFTFAIL", "0x1");
  ASSERT_EQ(APAPI_init(), PAPI_VER_CURRENT);
  int handle = PAPI_NULL, count = 0;
  testing::internal::CaptureStderr();
  ASSERT_EQ(APAPI_create_eventset_cmp_all(Perf(), &handle, &count), PAPI_OK);
  testing::internal::GetCapturedStderr();
  EXPECT_GE(count, 8);
  EXPECT_EQ(PAPI_num_events(handle), count);
  PAPI_cleanup_eventset(handle);
  PAPI_destroy_eventset(&handle);
}

TEST(Init, AnswersTwiceAndSetsErrnoToNothing) {
  errno = EINTR;
  EXPECT_EQ(APAPI_init(), PAPI_VER_CURRENT);
  EXPECT_EQ(errno, 0);
  EXPECT_EQ(APAPI_init(), PAPI_VER_CURRENT);
  APAPI_destroy();
}

TEST(Init, ReadsDefaultsOfAFolderOfAnyLength) {
  if (access(APAPI_SHARE, R_OK) != 0) GTEST_SKIP() << "the default files are not on this machine";
  const std::string long_part(120, 'd');
  const std::string folder =
      testing::TempDir() + "apapi." + std::to_string(getpid()) + "." + long_part;
  ASSERT_EQ(
      std::system(
          ("mkdir -p " + folder + "/apapi && cp " APAPI_SHARE "/* " + folder + "/apapi").c_str()),
      0);
  {
    const Variable variable("APAPI_DATADIR", folder);
    EXPECT_EQ(APAPI_init(), PAPI_VER_CURRENT);
    APAPI_destroy();
  }
  {
    const Variable variable("APAPI_DATADIR", folder + "/apapi");
    EXPECT_EQ(APAPI_init(), PAPI_VER_CURRENT);
    APAPI_destroy();
  }
  EXPECT_EQ(std::system(("rm -r " + folder).c_str()), 0);
}

TEST(Init, SaysWhereTheDefaultsAreMissing) {
  const Variable variable("APAPI_DATADIR", "/nowhere/at/all");
  testing::internal::CaptureStderr();
  EXPECT_EQ(APAPI_init(), -1);
  const std::string message = testing::internal::GetCapturedStderr();
  EXPECT_NE(message.find("/nowhere/at/all/apapi/default_eventops.csv"), std::string::npos)
      << message;
  EXPECT_NE(message.find("/nowhere/at/all/apapi/default_eventlist.txt"), std::string::npos)
      << message;
}

}  // namespace
