#include <errno.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "profil/inside/collector/collector.h"
#include "profil/reading/merge/merge.h"
#include "profil/reading/reader/reader.h"
#include "profil/reading/reader/small_reader.h"
#include "tests/fakes/fake_kernel.h"
#include "tests/profil/spool_bytes.h"

namespace csink {
namespace {

using testing::FakeKernel;
using testing::TemporaryFolder;

constexpr pid_t kTid = 1001;
constexpr std::uint64_t kInKernel = 0xffffffff81000040;

ThreadRegistry g_registry;
alignas(8) unsigned char g_record[spool::kMaxSmallBytes];

void SomewhereInTheProgram() {}

struct Factory final : SpoolFactory {
  explicit Factory(std::string folder) : directory(std::move(folder)) {}
  bool MakeSpool(SpoolWriter& spool) noexcept override {
    spool::Header header = {};
    header.event_count = 1;
    return spool.Create(directory, "test", header).has_value();
  }
  std::string directory;
};

/// Where a sample is found in a profile: module, offset, samples there.
using Found = std::tuple<std::string, std::uint64_t, std::uint64_t>;

std::vector<Found> PlacesOf(const Profile& profile) {
  std::vector<Found> found;
  for (const Place& place : profile.places) {
    const Module& module = profile.modules.at(place.address.module);
    EXPECT_FALSE(module.is_unknown) << std::hex << place.address.offset;
    EXPECT_FALSE(module.is_anonymous) << module.path;
    found.emplace_back(module.path, place.address.offset, place.counts[0].samples);
  }
  std::sort(found.begin(), found.end());
  return found;
}

/// One thread whose ring holds the same samples each time.
class CollectorSmall : public ::testing::Test {
 protected:
  void SetUp() override {
    EventList list;
    list.count = 1;
    list.events[0].type = PERF_TYPE_SOFTWARE;
    list.events[0].kind = EventClass::kClock;
    list.events[0].period = 1'000'003;
    rings_.Configure(list);
    slot_ = g_registry.Claim();
    slot_->tid = kTid;
    slot_->is_main = true;
    kernel_.SetThreadCpu(kTid, 1);
    kernel_.SetSchedule(kTid, {.run_ns = 1, .wait_ns = 2'000'000, .turns = 1});
    ASSERT_TRUE(rings_.Arm(*slot_, kTid));
    collector_->accounts().BeginThread(*slot_, kTid, true);
    slot_->state = SlotState::kLive;
    const auto program = reinterpret_cast<std::uint64_t>(&SomewhereInTheProgram);
    for (const std::uint64_t pc : {kInKernel, kInKernel + 0x1000, kInKernel, program}) {
      kernel_.ring(0).Sample(pc);
    }
  }
  void TearDown() override {
    rings_.Disarm(*slot_);
    g_registry.ResetAfterFork();
  }

  Profile AsSmallRecord() {
    SmallRecordWriter record(g_record, sizeof g_record);
    spool::Header header = {};
    header.event_count = 1;
    header.pid = kTid;
    header.threads_seen = 1;
    header.start_monotonic_ns = slot_->times.begin_ns;
    collector_->DrainAll();
    EXPECT_TRUE(collector_->DescribeSmall(record, header));
    const std::string path = folder_.path() + "/" + spool::kSmallFileName;
    EXPECT_TRUE(record.Append(path.c_str()));
    const auto small = spool::ReadSmallFile(path);
    ProfileMerger merger;
    merger.Add(small->Process(0), ProcessState::kComplete, path);
    return merger.Finish();
  }
  Profile AsSpool() {
    collector_->DrainAll();
    EXPECT_TRUE(collector_->EnsureSpool());
    const auto spool = spool::ReadSpoolFile(spool_->path());
    ProfileMerger merger;
    merger.Add(*spool, ProcessState::kLive, spool_->path());
    return merger.Finish();
  }

  TemporaryFolder folder_;
  FakeKernel kernel_;
  RingSource rings_{kernel_};
  TimerSource timers_{kernel_, g_registry, SIGURG};
  Factory factory_{folder_.path()};
  std::unique_ptr<SpoolWriter> spool_ = std::make_unique<SpoolWriter>();
  std::unique_ptr<RegionIndex> regions_ = std::make_unique<RegionIndex>();
  std::unique_ptr<Collector> collector_ = std::make_unique<Collector>(
      kernel_, g_registry, rings_, timers_, *spool_, *regions_, factory_);
  ThreadSlot* slot_ = nullptr;
};

TEST_F(CollectorSmall, NamesTheKernelWhereInterruptsCameLate) {
  const std::vector<Found> found = PlacesOf(AsSmallRecord());
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[1], Found("[kernel]", kInKernel, 2));
  EXPECT_EQ(found[2], Found("[kernel]", kInKernel + 0x1000, 1));
}

TEST_F(CollectorSmall, HasTheTimesOfItsThread) {
  kernel_.SetThreadCpu(kTid, 400'001);
  kernel_.SetSchedule(kTid, {.run_ns = 400'001, .wait_ns = 2'700'000, .turns = 3});
  usleep(5'000);  // A life that is long enough for a reading (kShortestLifeNs)
  const Profile profile = AsSmallRecord();
  ASSERT_EQ(profile.threads.size(), 2u);
  const WallParts& wall = profile.threads[1].wall;
  EXPECT_EQ(wall.wait_ns, 700'000u);
  EXPECT_EQ(wall.run_ns, 400'001u);
  EXPECT_GE(wall.wall_ns, 5'000'000u);
  EXPECT_EQ(profile.processes[0].wall, wall);
}

TEST_F(CollectorSmall, HasWhatTheSamplesDoNotShow) {
  spool::Evidence& evidence = collector_->accounts().evidence();
  evidence.vfork_children = 4;
  evidence.vfork_child_ns = 3'000'000;
  evidence.interrupt_ns = 1'300;
  const Profile profile = AsSmallRecord();
  EXPECT_EQ(profile.processes[0].evidence.vfork_children, 4u);
  EXPECT_EQ(profile.processes[0].evidence.vfork_child_ns, 3'000'000u);
  EXPECT_EQ(profile.processes[0].evidence.interrupt_ns, 1'300u);
}

TEST_F(CollectorSmall, HasNoTimesWhereTheyCannotBeRead) {
  kernel_.RefuseSchedule(ENODATA);
  kernel_.SetThreadCpu(kTid, 400'001);
  usleep(5'000);
  EXPECT_FALSE(AsSmallRecord().processes[0].wall.known());
}

TEST_F(CollectorSmall, PlacesSamplesAsASpoolDoes) {
  const std::vector<Found> in_record = PlacesOf(AsSmallRecord());
  EXPECT_EQ(in_record, PlacesOf(AsSpool()));
}

}  // namespace
}  // namespace csink
