#include "agent/results/nothing_sampled.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <string>

namespace csink::agent {
namespace {

EventList Of(const char* name, unsigned type, EventClass kind = EventClass::kOther) {
  EventList list;
  list.count = 1;
  std::snprintf(list.events[0].name, sizeof list.events[0].name, "%s", name);
  list.events[0].type = type;
  list.events[0].kind = kind;
  return list;
}

TEST(NothingSampledLine, BlamesAnEventOfThePmuThatCountsNothing) {
  const auto line = NothingSampledLine(Of("rffff", PERF_TYPE_RAW), 400'000'000);
  EXPECT_EQ(line.view(),
            "nothing was sampled in 0.40 s of user time: rffff counted nothing; csink doctor "
            "tests the event, CSINK_EVENTS=task-clock samples the CPU clock");
}

TEST(NothingSampledLine, SaysThatASoftwareEventHappenedTooSeldom) {
  const std::string line =
      NothingSampledLine(Of("page-faults", PERF_TYPE_SOFTWARE), 1'500'000'000).c_str();
  EXPECT_NE(line.find("in 1.50 s"), std::string::npos);
  EXPECT_NE(line.find("page-faults occurred less often than one sampling period"),
            std::string::npos);
}

TEST(NothingSampledLine, OffersTimersWhereTheClockGaveNothing) {
  const std::string line =
      NothingSampledLine(Of("task-clock", PERF_TYPE_SOFTWARE, EventClass::kClock), 200'000'000)
          .c_str();
  EXPECT_NE(line.find("CSINK_SOURCE=timer"), std::string::npos) << line;
}

TEST(NothingSampledLine, HoldsAListOfEvents) {
  EventList list = Of("rffff", PERF_TYPE_RAW);
  list.events[1] = list.events[0];
  list.count = 2;
  const std::string line = NothingSampledLine(list, kBurnedNs).c_str();
  EXPECT_NE(line.find("rffff, rffff counted nothing"), std::string::npos) << line;
}

}  // namespace
}  // namespace csink::agent
