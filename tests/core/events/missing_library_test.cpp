// Run with an LD_LIBRARY_PATH on which libpfm.so.4 is an empty library.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "core/events/event_listing.h"
#include "core/events/event_spec.h"

namespace csink {
namespace {

using testing::HasSubstr;

bool LibpfmIsLoaded() {
  std::ifstream maps("/proc/self/maps");
  std::string line;
  while (std::getline(maps, line)) {
    if (line.find("libpfm.so") != std::string::npos) return true;
  }
  return false;
}

TEST(WithoutLibpfm, BuiltInNamesDoNotEvenLookForIt) {
  EventComplaint complaint;
  EXPECT_TRUE(
      ParseEventList("cycles:u@4kHz,PERF_COUNT_SW_TASK_CLOCK,perf::faults,r1a8", complaint));
  EXPECT_FALSE(ParseEventList("cycles:x", complaint));
  EXPECT_FALSE(LibpfmIsLoaded());
}

TEST(WithoutLibpfm, OtherNamesAreUnsupportedAndTheNearestBuiltInIsNamed) {
  EventComplaint complaint;
  for (int again = 0; again < 2; ++again) {
    const Result<EventList> list = ParseEventList("cylces", complaint);
    ASSERT_FALSE(list);
    EXPECT_EQ(list.error().code, Errc::kUnsupported);
    EXPECT_THAT(complaint.c_str(),
                HasSubstr("libpfm4, which has all other events, cannot be loaded"));
    EXPECT_THAT(complaint.c_str(), HasSubstr("nearest: cycles"));
  }
  EXPECT_TRUE(LibpfmIsLoaded()) << "the empty one, or this test shows nothing";
}

bool Count(const EventName& name, void* arg) {
  EXPECT_TRUE(name.pmu.empty());
  ++*static_cast<int*>(arg);
  return true;
}

TEST(WithoutLibpfm, TheListingHasTheBuiltInNames) {
  int count = 0;
  EXPECT_FALSE(ForEachEventName(Count, &count));
  EXPECT_GT(count, 20);
  EXPECT_THAT(DescribeEventLibrary().c_str(), HasSubstr("cannot be loaded"));
}

}  // namespace
}  // namespace csink
