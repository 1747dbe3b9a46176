#include "core/util/nearest.h"

#include <gtest/gtest.h>

namespace csink {
namespace {

constexpr std::string_view kKeys[] = {"CSINK_ENABLE", "CSINK_EVENTS", "CSINK_TOP", "CSINK_KEEP"};

TEST(NearestName, FindsWhatWasMeant) {
  EXPECT_EQ(NearestName("CSINK_EVENT", kKeys, 4), "CSINK_EVENTS");
  EXPECT_EQ(NearestName("csink_tpo", kKeys, 4), "CSINK_TOP");
}

TEST(NearestName, SaysNothingWhenNothingIsNear) {
  EXPECT_EQ(NearestName("COMPLETELY_ELSE", kKeys, 4), "");
  EXPECT_EQ(NearestName("xy", kKeys, 0), "");
}

TEST(NearestNames, PutsTheClosestFirstAndKeepsTheOrderOfEquals) {
  NearestNames<3> nearest("cylces");
  for (std::string_view name : {"bicycles", "cylcesx", "cycles", "CYCLES", "cylcesy", "cylcesz"}) {
    nearest.Offer(name);
  }
  ASSERT_EQ(nearest.count(), 3u);
  EXPECT_EQ(nearest[0], "cylcesx");
  EXPECT_EQ(nearest[1], "cylcesy");
  EXPECT_EQ(nearest[2], "cylcesz");
}

TEST(NearestNames, TakesTheSameNameOnceWhateverItsCase) {
  NearestNames<3> nearest("cylces");
  nearest.Offer("cycles");
  nearest.Offer("CYCLES");
  EXPECT_EQ(nearest.count(), 1u);
}

TEST(NearestNames, TakesWhatBeginsSoBehindWhatIsNear) {
  NearestNames<3> nearest("INST_RET");
  nearest.Offer("INST_RETIRED_AND_MORE");
  nearest.Offer("INST_SET");
  ASSERT_EQ(nearest.count(), 2u);
  EXPECT_EQ(nearest[0], "INST_SET");
  EXPECT_EQ(nearest[1], "INST_RETIRED_AND_MORE");
}

}  // namespace
}  // namespace csink
