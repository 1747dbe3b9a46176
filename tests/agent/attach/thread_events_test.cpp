#include "agent/attach/thread_events.h"

#include <errno.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/fakes/fake_kernel.h"

namespace csink::attach {
namespace {

using ::testing::ElementsAre;
using testing::FakeKernel;
using ::testing::IsEmpty;

EventList ClockAndFaults() {
  EventComplaint complaint;
  const auto list = ParseEventList("task-clock,page-faults", complaint);
  EXPECT_TRUE(list) << complaint.c_str();
  return list ? *list : EventList();
}

TEST(ParseCpuList, RangesAndNumbers) {
  EXPECT_THAT(ParseCpuList("0-3,8\n"), ElementsAre(0, 1, 2, 3, 8));
  EXPECT_THAT(ParseCpuList("0"), ElementsAre(0));
  EXPECT_THAT(ParseCpuList("\n"), IsEmpty());
  EXPECT_THAT(ParseCpuList("0-x"), IsEmpty());
  EXPECT_THAT(ParseCpuList("3-1"), IsEmpty());
  EXPECT_THAT(ParseCpuList("0-99999999"), IsEmpty());
}

TEST(ThreadEvents, AnInheritedEventForEachProcessorAndColumn) {
  FakeKernel kernel;
  {
    ThreadEvents events(kernel, ClockAndFaults(), {0, 2}, {.ring_bytes = 1 << 16});
    ASSERT_TRUE(events.Attach(7));
    EXPECT_EQ(events.size(), 4u);
    EXPECT_EQ(kernel.mapped_rings(), 2u);
    ASSERT_TRUE(events.Attach(9));
    EXPECT_EQ(events.size(), 8u);
    EXPECT_EQ(kernel.mapped_rings(), 2u);  // those of the first thread
    for (const FakeKernel::Open& open : kernel.opens()) {
      EXPECT_TRUE(open.attr.inherit);
      EXPECT_FALSE(open.attr.disabled);
      EXPECT_TRUE(open.cpu == 0 || open.cpu == 2) << open.cpu;
    }
    const auto origin = events.OriginOf(static_cast<std::uint64_t>(kernel.opens()[0].answer));
    ASSERT_TRUE(origin);
    EXPECT_EQ(origin->cpu, 0u);
    EXPECT_FALSE(events.OriginOf(123456));
  }
  EXPECT_EQ(kernel.open_descriptors(), 0u);
  EXPECT_EQ(kernel.mapped_rings(), 0u);
}

TEST(ThreadEvents, OfARefusedThreadNothingRemains) {
  FakeKernel kernel;
  ThreadEvents events(kernel, ClockAndFaults(), {0, 1}, {.ring_bytes = 1 << 16});
  kernel.SetOpenRule([](const perf_event_attr& attr) -> long {
    return attr.config == PERF_COUNT_SW_PAGE_FAULTS ? -EACCES : 0;
  });
  const Result<void> refused = events.Attach(7);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::kPermission);
  EXPECT_EQ(events.failed_event(), 1u);
  EXPECT_EQ(events.size(), 0u);
}

EventSpec Counter(std::uint32_t type) {
  EventSpec spec;
  spec.type = type;
  spec.kind = EventClass::kCycles;
  spec.frequency_hz = 1000;
  return spec;
}

// Processor 0 is a performance core, 1 an efficiency core.
TEST(ThreadEvents, OnAHybridAnEventIsOpenedWhereItExists) {
  FakeKernel kernel;
  kernel.SetCpusOf(4, {0});
  kernel.SetCpusOf(10, {1});
  EventList list = ClockAndFaults();
  list.events[2] = list.events[0];
  list.events[0] = Counter(4);
  list.events[1] = Counter(10);
  list.count = 3;
  ThreadEvents events(kernel, list, {0, 1}, {.ring_bytes = 1 << 16});
  ASSERT_TRUE(events.Attach(7));
  EXPECT_EQ(events.size(), 4u);
  EXPECT_EQ(kernel.mapped_rings(), 2u);
  int reporters[2] = {};
  for (const auto& [fd, event] : kernel.events()) {
    const auto origin = events.OriginOf(static_cast<std::uint64_t>(fd));
    ASSERT_TRUE(origin);
    EXPECT_EQ(event.attr.type, list.events[origin->column].type);
    reporters[origin->cpu] += event.attr.mmap;
    EXPECT_EQ(event.attr.mmap, event.attr.task);
  }
  EXPECT_THAT(reporters, ElementsAre(1, 1)) << "mappings are reported once";
}

TEST(ThreadEvents, TheClockIsTheSumOfItsOwnEvents) {
  FakeKernel kernel;
  kernel.SetCpusOf(4, {0});
  EventList list = ClockAndFaults();
  list.events[1] = list.events[0];
  list.events[0] = Counter(4);
  ThreadEvents events(kernel, list, {0, 1}, {.ring_bytes = 1 << 16});
  ASSERT_TRUE(events.Attach(7));
  for (const auto& [fd, event] : kernel.events()) {
    kernel.event(fd).value = event.attr.type == PERF_TYPE_SOFTWARE ? 500 : 1'000'000;
  }
  EXPECT_EQ(events.ClockNs(), 1000u);
}

TEST(ThreadEvents, AnEventThatNoProcessorHasIsRefused) {
  FakeKernel kernel;
  kernel.SetCpusOf(4, {});
  EventList list = ClockAndFaults();
  list.events[1] = Counter(4);
  ThreadEvents events(kernel, list, {0, 1}, {.ring_bytes = 1 << 16});
  const Result<void> refused = events.Attach(7);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::kNoEvent);
  EXPECT_EQ(events.failed_event(), 1u);
  EXPECT_EQ(events.size(), 0u);
  EXPECT_EQ(kernel.open_descriptors(), 0u);
  EXPECT_EQ(kernel.mapped_rings(), 0u);
}

TEST(ThreadEvents, AnOfflineProcessorIsLeftOut) {
  FakeKernel kernel;
  ThreadEvents events(kernel, ClockAndFaults(), {0, 1}, {.ring_bytes = 1 << 16});
  kernel.RefuseOpens(ENODEV);
  ASSERT_TRUE(events.Attach(7));
  EXPECT_LT(events.size(), 4u);
  EXPECT_GT(events.size(), 0u);
}

}  // namespace
}  // namespace csink::attach
