#include "core/sampling/core_kinds.h"

#include <errno.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "core/sampling/ring_source.h"
#include "tests/fakes/fake_kernel.h"
#include "tests/fakes/recording_sink.h"

namespace csink {
namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t kCore = 4;  // types as sysfs names them
constexpr std::uint32_t kAtom = 10;
constexpr CoreKinds kHybrid = {{kCore, kAtom}, 2, {"cpu_core", "cpu_atom"}};

EventSpec Counter(std::uint32_t type, std::uint64_t config) {
  EventSpec spec;
  spec.type = type;
  spec.config = config;
  spec.kind = EventClass::kCycles;
  spec.frequency_hz = 1000;
  return spec;
}

EventSpec Clock() {
  EventSpec spec;
  spec.type = PERF_TYPE_SOFTWARE;
  spec.config = PERF_COUNT_SW_TASK_CLOCK;
  spec.kind = EventClass::kClock;
  spec.period = 1'000'003;
  return spec;
}

EventList ListOf(std::initializer_list<EventSpec> specs) {
  EventList list;
  for (const EventSpec& spec : specs) list.events[list.count++] = spec;
  return list;
}

class CoreKindsOfSysfs : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("csink-core-kinds-" + std::to_string(getpid()));
    AddPmu("software", 1);
  }
  void TearDown() override { fs::remove_all(folder_); }
  void AddPmu(const std::string& name, std::uint32_t type) {
    fs::create_directories(folder_ / name);
    std::ofstream(folder_ / name / "type") << type << "\n";
  }
  fs::path folder_;
};

TEST(CoreKindsOfThisMachine, AreThoseOfSysfs) {
  const std::string devices = "/sys/bus/event_source/devices/";
  // With a slash at its end the folder is read whatever the processor says.
  const CoreKinds there = ReadCoreKinds(devices.c_str());
  const CoreKinds kinds = ReadCoreKinds();
  ASSERT_EQ(kinds.count, there.count);
  for (std::size_t i = 0; i < kinds.count; ++i) EXPECT_EQ(kinds.types[i], there.types[i]);
}

TEST_F(CoreKindsOfSysfs, AreThePerformanceCoresFirst) {
  AddPmu("cpu_atom", kAtom);
  AddPmu("cpu_core", kCore);
  const CoreKinds kinds = ReadCoreKinds(folder_.c_str());
  ASSERT_EQ(kinds.count, 2u);
  EXPECT_EQ(kinds.types[0], kCore);
  EXPECT_EQ(kinds.types[1], kAtom);
  EXPECT_EQ(kinds.pmus[0], "cpu_core");
  EXPECT_EQ(kinds.pmus[1], "cpu_atom");
}

TEST_F(CoreKindsOfSysfs, AreNoneWhereAllCoresAreAlike) {
  AddPmu("cpu", 4);
  EXPECT_EQ(ReadCoreKinds(folder_.c_str()).count, 0u);
  AddPmu("cpu_core", kCore);
  EXPECT_EQ(ReadCoreKinds(folder_.c_str()).count, 0u) << "a virtual machine with one kind";
  EXPECT_EQ(ReadCoreKinds("/nonexistent").count, 0u);
}

TEST(OpenForEachKind, OpensGenericEventsOnEachKindAndOthersOnce) {
  const OpenedEvents opened =
      OpenForEachKind(ListOf({Counter(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES), Clock(),
                              Counter(PERF_TYPE_HW_CACHE, 0x10002), Counter(kAtom, 0xc0),
                              Counter(PERF_TYPE_HARDWARE, std::uint64_t{kAtom} << 32 | 1)}),
                      kHybrid);
  EXPECT_EQ(opened.columns, 5u);
  EXPECT_TRUE(opened.complete);
  ASSERT_EQ(opened.list.count, 7u);
  EXPECT_EQ(opened.list.events[0].config, std::uint64_t{kCore} << 32);
  EXPECT_EQ(opened.list.events[1].config, std::uint64_t{PERF_COUNT_SW_TASK_CLOCK});
  EXPECT_EQ(opened.list.events[2].config, std::uint64_t{kCore} << 32 | 0x10002);
  EXPECT_EQ(opened.list.events[3].config, 0xc0u);
  EXPECT_EQ(opened.list.events[4].config, std::uint64_t{kAtom} << 32 | 1);
  EXPECT_EQ(opened.list.events[5].config, std::uint64_t{kAtom} << 32);
  EXPECT_EQ(opened.list.events[6].config, std::uint64_t{kAtom} << 32 | 0x10002);
  EXPECT_EQ(opened.column[5], 0u);
  EXPECT_EQ(opened.column[6], 2u);
}

TEST(WarningOfMissingCores, IsAboutEventsWhoseNamesHaveNoPmu) {
  const auto named = [](const char* name, std::uint32_t type) {
    EventSpec spec = Counter(type, 0x3c);
    std::strncpy(spec.name, name, sizeof spec.name - 1);
    return spec;
  };
  const auto warning = [&](std::initializer_list<EventSpec> specs, const CoreKinds& kinds) {
    return std::string(WarningOfMissingCores(ListOf(specs), kinds).view());
  };
  EXPECT_EQ(
      warning({Clock(), named("r003c", PERF_TYPE_RAW), named("r00c0", PERF_TYPE_RAW)}, kHybrid),
      "event r003c counts on the cores of cpu_core alone: the processor is hybrid, and what "
      "runs on its other cores has no sample");
  EXPECT_NE(warning({named("INST_RETIRED", kAtom)}, kHybrid).find("cpu_atom"), std::string::npos);
  EXPECT_EQ(warning({named("cpu_atom/event=0x3c/", kAtom), named("adl_glc::INST_RETIRED", kCore),
                     named("cycles", PERF_TYPE_HARDWARE)},
                    kHybrid),
            "");
  EXPECT_EQ(warning({named("r003c", PERF_TYPE_RAW)}, {}), "");
}

TEST(OpenForEachKind, SaysWhenThereIsNoRoomForAKind) {
  EventList list;
  for (list.count = 0; list.count < 5; ++list.count) {
    list.events[list.count] = Counter(PERF_TYPE_HARDWARE, list.count);
  }
  const OpenedEvents opened = OpenForEachKind(list, kHybrid);
  EXPECT_EQ(opened.list.count, kMaxEventSpecs);
  EXPECT_EQ(opened.columns, 5u);
  EXPECT_FALSE(opened.complete);
  EXPECT_TRUE(OpenForEachKind(list, {}).complete);
}

/// Cycles of a thread that moves between two kinds of cores.
class RingSourceHybrid : public ::testing::Test {
 protected:
  void Begin(std::initializer_list<EventSpec> specs) {
    source_.set_core_kinds(kHybrid);
    source_.Configure(ListOf(specs));
    slot().tid.store(5);
  }
  void BeginWithCycles() {
    Begin({Counter(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES), Clock()});
    ASSERT_TRUE(source_.Arm(slot(), 5));
  }
  void TearDown() override { source_.Disarm(slot()); }
  ThreadSlot& slot() { return *slot_; }
  EventAccount::Totals Account() { return source_.AccountOf(slot(), 0, /*own=*/false); }

  testing::FakeKernel kernel_;
  RingSource source_{kernel_};
  std::unique_ptr<ThreadSlot> slot_ = std::make_unique<ThreadSlot>();
  testing::RecordingSink sink_;
};

constexpr std::size_t kOnCore = 0;  // rings in the order of opening
constexpr std::size_t kOnAtom = 2;

TEST_F(RingSourceHybrid, OpensCyclesOnBothKindsAndTheClockOnce) {
  BeginWithCycles();
  ASSERT_EQ(kernel_.opens().size(), 3u);
  EXPECT_EQ(kernel_.opens()[kOnCore].attr.config >> 32, kCore);
  EXPECT_EQ(kernel_.opens()[kOnAtom].attr.config >> 32, kAtom);
  EXPECT_EQ(kernel_.opens()[kOnAtom].attr.mmap, 0u) << "mappings are recorded once";
  EXPECT_EQ(source_.columns(), 2u);
}

TEST_F(RingSourceHybrid, AddsTheSamplesOfBothKindsUpInOneColumn) {
  BeginWithCycles();
  kernel_.ring(kOnCore).Sample(0x10, 3000);
  kernel_.ring(kOnAtom).Sample(0x20, 1000);
  kernel_.ring(kOnAtom).Lost(4);
  source_.Drain(slot(), sink_);
  const std::vector<testing::RecordingSink::Sample> expected = {{0, 0x10, 3000}, {0, 0x20, 1000}};
  EXPECT_EQ(sink_.samples, expected);
  EXPECT_EQ(sink_.lost, 4u);
}

TEST_F(RingSourceHybrid, HasItsCounterForTheTimeOnEitherKind) {
  BeginWithCycles();
  // 60 ms on a performance core, then 40 ms on an efficient one: the first page stands still.
  kernel_.ring(kOnCore).SetTimes(60'000'000, 60'000'000);
  kernel_.ring(kOnCore).SetCount(5000);
  kernel_.ring(kOnAtom).SetTimes(100'000'000, 40'000'000);
  kernel_.ring(kOnAtom).SetCount(700);
  kernel_.ring(kOnAtom).Throttle(70'000'000);
  kernel_.ring(kOnAtom).Unthrottle(71'000'000);
  source_.Drain(slot(), sink_);
  EXPECT_TRUE(source_.HasCounted(slot()));
  EXPECT_EQ(Account().enabled_ns, 100'000'000u);
  EXPECT_EQ(Account().running_ns, 100'000'000u);
  EXPECT_EQ(Account().throttled_ns, 1'000'000u);
  EXPECT_EQ(Account().unsampled, 5700u);
}

TEST_F(RingSourceHybrid, LeavesOutAKindThatDoesNotHaveTheEvent) {
  kernel_.SetOpenRule(
      [](const perf_event_attr& attr) { return attr.config >> 32 == kAtom ? -ENOENT : 0; });
  BeginWithCycles();
  EXPECT_EQ(kernel_.mapped_rings(), 2u);
  EXPECT_EQ(slot().rings[kOnAtom].data_bytes(), 0u);
  kernel_.ring(kOnCore).Sample(0x10, 3000);
  source_.Drain(slot(), sink_);
  EXPECT_EQ(sink_.samples.size(), 1u);
  // Other threads do not try it again.
  const auto other = std::make_unique<ThreadSlot>();
  other->tid.store(6);
  const std::size_t before = kernel_.opens().size();
  ASSERT_TRUE(source_.Arm(*other, 6));
  EXPECT_EQ(kernel_.opens().size(), before + 2);
  source_.Disarm(*other);
}

TEST_F(RingSourceHybrid, NamesTheColumnWhereAKindIsRefused) {
  kernel_.SetOpenRule(
      [](const perf_event_attr& attr) { return attr.config >> 32 == kAtom ? -EACCES : 0; });
  Begin({Clock(), Counter(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES)});
  EXPECT_FALSE(source_.Arm(slot(), 5));
  EXPECT_EQ(source_.failed_event(), 1u);
  EXPECT_EQ(kernel_.mapped_rings(), 0u) << "all events or none";
}

}  // namespace
}  // namespace csink
