#include <vector>

#include "tests/compat/papi/papi_fixture.h"

namespace papi_test {
namespace {

using EventSets = PapiTest;

TEST_F(EventSets, GetTheLowestFreeHandle) {
  const int first = SetOf({});
  int second = SetOf({});
  const int third = SetOf({});
  EXPECT_EQ(first, 0);
  EXPECT_EQ(second, 1);
  EXPECT_EQ(third, 2);
  ASSERT_EQ(PAPI_destroy_eventset(&second), PAPI_OK);
  EXPECT_EQ(second, PAPI_NULL);
  EXPECT_EQ(PAPI_num_events(1), PAPI_ENOEVST);
  EXPECT_EQ(SetOf({}), 1);
}

TEST_F(EventSets, RefuseAHandleThatIsNotNull) {
  int taken = 5;
  EXPECT_EQ(PAPI_create_eventset(&taken), PAPI_EINVAL);
  EXPECT_EQ(taken, 5);
  EXPECT_EQ(PAPI_create_eventset(nullptr), PAPI_EINVAL);
}

TEST_F(EventSets, KnowNoStrangeHandle) {
  SetOf({});
  for (const int handle :
       {-1, -2, 1, 63, 64, 65535, 65536, 0x7fffffff, static_cast<int>(1u << 31)}) {
    long long values[1];
    EXPECT_EQ(PAPI_add_event(handle, PAPI_TOT_CYC), PAPI_ENOEVST) << handle;
    EXPECT_EQ(PAPI_start(handle), PAPI_ENOEVST) << handle;
    EXPECT_EQ(PAPI_read(handle, values), PAPI_ENOEVST) << handle;
    int copy = handle;
    EXPECT_EQ(PAPI_destroy_eventset(&copy), PAPI_ENOEVST) << handle;
  }
}

TEST_F(EventSets, ManyExistAtOnce) {
  std::vector<int> sets(300, PAPI_NULL);
  for (int& set : sets) ASSERT_EQ(PAPI_create_eventset(&set), PAPI_OK);
  for (std::size_t i = 0; i < sets.size(); ++i) EXPECT_EQ(sets[i], static_cast<int>(i));
  for (int& set : sets) ASSERT_EQ(PAPI_destroy_eventset(&set), PAPI_OK);
}

TEST_F(EventSets, AreDestroyedEmptyAndStopped) {
  int set = SetOf({"perf::TASK-CLOCK"});
  EXPECT_EQ(PAPI_destroy_eventset(&set), PAPI_EINVAL);
  ASSERT_EQ(PAPI_start(set), PAPI_OK);
  EXPECT_EQ(PAPI_destroy_eventset(&set), PAPI_EISRUN);
  EXPECT_EQ(PAPI_cleanup_eventset(set), PAPI_EISRUN);
  ASSERT_EQ(PAPI_stop(set, nullptr), PAPI_OK);
  EXPECT_EQ(PAPI_cleanup_eventset(set), PAPI_OK);
  EXPECT_EQ(PAPI_cleanup_eventset(set), PAPI_OK);
  EXPECT_EQ(PAPI_get_eventset_component(set), PAPI_ENOCMP);
  EXPECT_EQ(PAPI_destroy_eventset(&set), PAPI_OK);
  EXPECT_EQ(PAPI_destroy_eventset(nullptr), PAPI_EINVAL);
}

using AddEvents = PapiTest;

TEST_F(AddEvents, SaysHowManyWentWell) {
  const int set = SetOf({});
  int events[] = {PAPI_TOT_CYC, PAPI_TOT_INS, PAPI_L3_TCM, PAPI_L1_TCM};
  EXPECT_EQ(PAPI_add_events(set, events, 4), 2);
  EXPECT_EQ(PAPI_num_events(set), 2);
  EXPECT_EQ(PAPI_add_events(set, events, 1), PAPI_ECNFLCT);
  int removed[] = {PAPI_TOT_CYC, PAPI_L3_TCM};
  EXPECT_EQ(PAPI_remove_events(set, removed, 2), 1);
  EXPECT_EQ(PAPI_remove_events(set, removed, 2), PAPI_EINVAL);
  EXPECT_EQ(PAPI_num_events(set), 1);
}

TEST_F(AddEvents, RefusesAbsurdArguments) {
  const int set = SetOf({});
  int events[] = {PAPI_TOT_CYC};
  EXPECT_EQ(PAPI_add_events(set, nullptr, 1), PAPI_EINVAL);
  EXPECT_EQ(PAPI_add_events(set, events, 0), PAPI_EINVAL);
  EXPECT_EQ(PAPI_add_events(set, events, -3), PAPI_EINVAL);
  EXPECT_EQ(PAPI_remove_events(set, nullptr, 1), PAPI_EINVAL);
  EXPECT_EQ(PAPI_add_named_event(set, nullptr), PAPI_EINVAL);
  EXPECT_EQ(PAPI_add_named_event(set, ""), PAPI_EINVAL);
  EXPECT_EQ(PAPI_remove_event(set, PAPI_TOT_CYC), PAPI_EINVAL);
  for (const int code : {0, 1, 127}) EXPECT_EQ(PAPI_add_event(set, code), PAPI_EINVAL) << code;
  EXPECT_EQ(PAPI_add_event(set, -1), PAPI_ENOEVNT);
  EXPECT_EQ(PAPI_add_event(set, 0x4fffffff), PAPI_ENOEVNT);
  EXPECT_EQ(PAPI_add_event(set, 0x40ffffff), PAPI_ENOEVNT);
  EXPECT_EQ(PAPI_num_events(set), 0);
}

TEST_F(AddEvents, AFailureLeavesNothingBehind) {
  const int set = SetOf({});
  EXPECT_EQ(PAPI_add_named_event(set, "perf::NO-SUCH-EVENT"), PAPI_ENOEVNT);
  EXPECT_EQ(PAPI_add_event(set, PAPI_L3_TCM), PAPI_ENOEVNT);
  EXPECT_EQ(PAPI_get_eventset_component(set), PAPI_ENOCMP);
  ASSERT_EQ(PAPI_add_event(set, PAPI_TOT_CYC), PAPI_OK);
  EXPECT_EQ(PAPI_add_event(set, PAPI_TOT_CYC), PAPI_ECNFLCT);
  EXPECT_EQ(PAPI_add_named_event(set, "perf::TASK-CLOCK:zz=1"), PAPI_EATTR);
  EXPECT_EQ(PAPI_num_events(set), 1);
  long long value = 0;
  ASSERT_EQ(PAPI_start(set), PAPI_OK);
  EXPECT_EQ(PAPI_add_event(set, PAPI_TOT_INS), PAPI_EISRUN);
  EXPECT_EQ(PAPI_remove_event(set, PAPI_TOT_CYC), PAPI_EISRUN);
  Burn(2);
  ASSERT_EQ(PAPI_stop(set, &value), PAPI_OK);
  EXPECT_GT(value, 1'000'000);
}

TEST_F(AddEvents, ListsInTheOrderOfAdding) {
  const int set = SetOf({"PAPI_TOT_INS", "perf::PAGE-FAULTS", "PAPI_TOT_CYC", "MY_FAULTS"});
  int events[8] = {};
  int number = 2;
  ASSERT_EQ(PAPI_list_events(set, events, &number), PAPI_OK);
  EXPECT_EQ(number, 4) << "more than there was room for";
  EXPECT_EQ(events[2], 0);
  number = 8;
  ASSERT_EQ(PAPI_list_events(set, events, &number), PAPI_OK);
  EXPECT_EQ(events[0], PAPI_TOT_INS);
  EXPECT_EQ(events[1], CodeOf("perf::PAGE-FAULTS"));
  EXPECT_EQ(static_cast<unsigned>(events[3]), 0xC0000000u);
  ASSERT_EQ(PAPI_remove_named_event(set, "perf::PAGE-FAULTS"), PAPI_OK);
  number = 8;
  ASSERT_EQ(PAPI_list_events(set, events, &number), PAPI_OK);
  EXPECT_EQ(number, 3);
  EXPECT_EQ(events[1], PAPI_TOT_CYC);
  number = -1;
  EXPECT_EQ(PAPI_list_events(set, events, &number), PAPI_EINVAL);
  number = 1;
  EXPECT_EQ(PAPI_list_events(set, nullptr, &number), PAPI_EINVAL);
  EXPECT_EQ(PAPI_list_events(set, events, nullptr), PAPI_EINVAL);
}

using Derived = PapiTest;

// PAPI_BR_CN = CPU-CLOCK + PAGE-FAULTS, PAPI_BR_MSP = (PAGE-FAULTS - MAJOR-FAULTS) * 2
TEST_F(Derived, SharesCountersAndComputesItsFormula) {
  const int set = SetOf({"PAPI_L1_TCM", "PAPI_BR_MSP", "PAPI_BR_CN", "PAPI_TOT_CYC"});
  long long values[4];
  ASSERT_EQ(PAPI_start(set), PAPI_OK);
  Touch(50);
  ASSERT_EQ(PAPI_stop(set, values), PAPI_OK);
  EXPECT_GE(values[0], 50);
  EXPECT_EQ(values[1], 2 * values[0]);
  EXPECT_EQ(values[2], values[3] + values[0]);
}

TEST_F(Derived, KeepsACounterThatAnotherEventNeeds) {
  const int set = SetOf({"PAPI_BR_CN", "PAPI_L1_TCM", "PAPI_TOT_CYC"});
  ASSERT_EQ(PAPI_remove_event(set, PAPI_BR_CN), PAPI_OK);
  long long values[2] = {};
  ASSERT_EQ(PAPI_start(set), PAPI_OK);
  Touch(30);
  Burn(2);
  ASSERT_EQ(PAPI_stop(set, values), PAPI_OK);
  EXPECT_GE(values[0], 30);
  EXPECT_LT(values[0], 1000);
  EXPECT_GT(values[1], 1'000'000);
}

using AssignComponent = PapiTest;

TEST_F(AssignComponent, BindsOnce) {
  const int set = SetOf({});
  EXPECT_EQ(PAPI_assign_eventset_component(set, 99), PAPI_ENOCMP);
  EXPECT_EQ(PAPI_assign_eventset_component(set, -1), PAPI_ENOCMP);
  EXPECT_EQ(PAPI_assign_eventset_component(77, 0), PAPI_ENOEVST);
  EXPECT_EQ(PAPI_assign_eventset_component(set, 0), PAPI_OK);
  EXPECT_EQ(PAPI_get_eventset_component(set), 0);
  EXPECT_EQ(PAPI_assign_eventset_component(set, 0), PAPI_EINVAL);
  EXPECT_EQ(PAPI_start(set), PAPI_EINVAL) << "it has no event";
}

}  // namespace
}  // namespace papi_test
