#include "core/events/topdown_events.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/fakes/recorded_tree.h"

namespace csink {
namespace {

using Vendor = Processor::Vendor;

class TopdownEvents : public ::testing::Test {
 protected:
  TopdownEvents() { machine_.Add("/sys/bus/event_source/devices/cpu/type", "4\n"); }
  Result<void> Add(const char* item) {
    return AddTopdownEvents(processor_, machine_.tree().PathOf(""), item, list_, complaint_);
  }
  testing::RecordedTree machine_;
  Processor processor_{Vendor::kAmd, 0x1a, 0x24};
  EventList list_;
  EventComplaint complaint_;
};

TEST_F(TopdownEvents, AreAllOfOneRateWithoutPrecision) {
  ASSERT_TRUE(Add("topdown")) << complaint_.view();
  ASSERT_EQ(list_.count, 6u);
  EXPECT_STREQ(list_.events[0].name, "topdown.zen.slots-x8");
  EXPECT_EQ(list_.events[0].kind, EventClass::kCycles);
  for (std::size_t i = 0; i < list_.count; ++i) {
    const EventSpec& spec = list_.events[i];
    TopdownName name;
    EXPECT_TRUE(ParseTopdownName(EventDisplayName(spec).view(), name));
    EXPECT_EQ(spec.type, 4u);
    EXPECT_EQ(spec.frequency_hz, kTopdownHz);
    EXPECT_EQ(spec.period, 0u);
    EXPECT_TRUE(spec.precise_given && spec.precise == 0);
    EXPECT_TRUE(spec.exclude_kernel);
    EXPECT_EQ(spec.kind == EventClass::kCycles, i == 0);
  }
}

TEST_F(TopdownEvents, TakeModifiersAndARate) {
  ASSERT_TRUE(Add("topdown:uk@1kHz"));
  EXPECT_FALSE(list_.events[5].exclude_kernel);
  EXPECT_EQ(list_.events[5].frequency_hz, 1000u);
  list_ = {};
  ASSERT_TRUE(Add("TOPDOWN@1000003"));
  EXPECT_EQ(list_.events[5].period, 1000003u);
  EXPECT_EQ(list_.events[5].frequency_hz, 0u);
  list_ = {};
  ASSERT_TRUE(Add("topdown@20kHz"));
  EXPECT_EQ(complaint_.view(), "topdown: the frequency is clamped to 10 kHz: 10000 Hz");
  for (const char* wrong : {"topdown:p", "topdown:x", "topdown@", "topdown@0", "topdown@50"}) {
    list_ = {};
    complaint_.Clear();
    EXPECT_FALSE(Add(wrong)) << wrong;
    EXPECT_NE(complaint_.size(), 0u) << wrong;
  }
}

TEST_F(TopdownEvents, OfLevel2AreMore) {
  ASSERT_TRUE(Add("topdown-l2"));
  EXPECT_EQ(list_.count, 8u);
  list_ = {};
  processor_ = {Vendor::kIntel, 6, 0x6a};
  EXPECT_FALSE(Add("topdown-l2"));
  EXPECT_NE(complaint_.view().find("use topdown"), std::string_view::npos);
  ASSERT_TRUE(Add("topdown"));
  EXPECT_EQ(list_.count, 4u);
}

TEST_F(TopdownEvents, BesideTwoOthersFitAndBesideThreeDoNot) {
  list_.count = 2;
  EXPECT_TRUE(Add("topdown"));
  list_.count = 3;
  const auto added = Add("topdown");
  ASSERT_FALSE(added);
  EXPECT_EQ(added.error().code, Errc::kLimit);
  EXPECT_EQ(complaint_.view(), "too many events; at most 8 can be sampled in one run");
}

TEST_F(TopdownEvents, SayWhyThisMachineHasNone) {
  processor_.family = 0x17;
  const auto added = Add("topdown@1kHz");
  ASSERT_FALSE(added);
  EXPECT_EQ(added.error().code, Errc::kUnsupported);
  EXPECT_EQ(complaint_.view(),
            "event \"topdown\": there is no top-down table for this processor (AMD family 17h, "
            "model 24h)");
}

TEST(ParseEventList, AsksThisMachineForTopdownEvents) {
  EventComplaint complaint;
  const auto list = ParseEventList("task-clock,topdown", complaint);
  TopdownReason reason;
  const auto model = FindTopdownModel(ThisProcessor(), {}, TopdownUse::kSampling, reason);
  ASSERT_EQ(list.has_value(), model.has_value());
  if (list) {
    EXPECT_EQ(list->count, 1 + model->level1_count);
  } else {
    EXPECT_NE(complaint.view().find(reason.view()), std::string_view::npos) << complaint.view();
  }
}

}  // namespace
}  // namespace csink
