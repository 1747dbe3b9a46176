#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <cstring>
#include <memory>
#include <string>

#include "core/machine/clocks.h"
#include "profil/inside/collector/collector.h"
#include "profil/reading/merge/merge.h"
#include "profil/reading/reader/reader.h"
#include "symbolizer/report/verdict/explained.h"
#include "symbolizer/report/verdict/verdict.h"
#include "tests/fakes/fake_kernel.h"
#include "tests/profil/spool_bytes.h"

/// File: from the kernel's ring to the verdict: an event that counts at first and loses its counter
/// while the program runs. The kernel's page of the event stands still from then on, and only the
/// thread's CPU clock shows that time passes.

namespace csink::report {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using testing::FakeRing;
using ::testing::HasSubstr;

constexpr long kMs = 1'000'000;
constexpr pid_t kTid = 1001;

ThreadRegistry g_registry;

struct Factory final : SpoolFactory {
  bool MakeSpool(SpoolWriter& spool) noexcept override {
    spool::Header header = {};
    header.event_count = 1;
    header.start_monotonic_ns = MonotonicNs();
    std::memcpy(header.events[0].name, "cycles:u", 9);
    header.events[0].kind = EventClass::kCycles;
    header.events[0].frequency_hz = 1000;
    return spool.Create(folder.path(), "test", header).has_value();
  }
  testing::TemporaryFolder folder;
};

/// One thread that samples cycles a thousand times a second of its CPU time.
class StoppedCounter : public ::testing::Test {
 protected:
  void SetUp() override {
    EventList list;
    list.count = 1;
    list.events[0].type = PERF_TYPE_HARDWARE;
    list.events[0].kind = EventClass::kCycles;
    list.events[0].frequency_hz = 1000;
    rings_.Configure(list);
    collector_->accounts().set_clock({.event = -1});
    slot_ = g_registry.Claim();
    slot_->tid = kTid;
    kernel_.SetThreadCpu(kTid, 1);
    ASSERT_TRUE(rings_.Arm(*slot_, kTid));
    collector_->accounts().BeginThread(*slot_, kTid, true);
    slot_->state = SlotState::kLive;
  }
  void TearDown() override { g_registry.ResetAfterFork(); }

  FakeRing& Ring() { return kernel_.ring(0); }
  /// The event counts for the next `ms` of CPU time.
  void Count(long ms) {
    for (long i = 0; i < ms; ++i) Ring().Sample(0x10, 3'000'000);
    cpu_ms_ += ms;
    counted_ms_ += ms;
    Tick();
  }
  /// Another program has the counter for the next `ms` of CPU time: no sample comes, and the kernel
  /// does not touch the page.
  void RunWithoutCounter(long ms) {
    cpu_ms_ += ms;
    kernel_.SetThreadCpu(kTid, cpu_ms_ * kMs);
  }
  /// The counter is back: the page shows the time that has passed, and what of it was counted.
  void Tick() {
    kernel_.SetThreadCpu(kTid, cpu_ms_ * kMs);
    Ring().SetTimes(static_cast<std::uint64_t>(cpu_ms_ * kMs),
                    static_cast<std::uint64_t>(counted_ms_ * kMs));
    Ring().SetCount(static_cast<std::uint64_t>(counted_ms_) * 3'000'000);
    collector_->DrainAll();
  }
  /// The verdict of the report that is made of the spool.
  Verdict AfterTheEnd() {
    collector_->EndThread(*slot_);
    return VerdictOfTheSpool();
  }
  Verdict VerdictOfTheSpool() {
    collector_->DrainAll();
    const auto spool = spool::ReadSpoolFile(spool_->path());
    EXPECT_TRUE(spool);
    if (!spool) return {};
    ProfileMerger merger;
    merger.Add(*spool, ProcessState::kComplete, spool_->path());
    Profile profile = merger.Finish();
    // The spool has the CPU time of this test's process; the fake thread is its only thread.
    ProcessRow& process = profile.processes.at(0);
    process.start_user_ns = process.start_system_ns = process.system_ns = process.unseen_ns = 0;
    process.user_ns = static_cast<std::uint64_t>(cpu_ms_ * kMs);
    return Judge(profile);
  }

  testing::FakeKernel kernel_;
  RingSource rings_{kernel_};
  TimerSource timers_{kernel_, g_registry, SIGURG};
  Factory factory_;
  std::unique_ptr<SpoolWriter> spool_ = std::make_unique<SpoolWriter>();
  std::unique_ptr<RegionIndex> regions_ = std::make_unique<RegionIndex>();
  std::unique_ptr<Collector> collector_ = std::make_unique<Collector>(
      kernel_, g_registry, rings_, timers_, *spool_, *regions_, factory_);
  ThreadSlot* slot_ = nullptr;
  long cpu_ms_ = 0;
  long counted_ms_ = 0;
};

TEST_F(StoppedCounter, ThatNeverStopsIsGood) {
  for (int i = 0; i < 10; ++i) Count(100);
  const Verdict verdict = AfterTheEnd();
  EXPECT_EQ(verdict.grade, Grade::kGood);
  ASSERT_EQ(verdict.counters.size(), 1u);
  EXPECT_NEAR(verdict.counters[0].share, 1, 0.001);
}

TEST_F(StoppedCounter, ThatDoesNotComeBackIsNotGoodAndThePartIsNamed) {
  for (int i = 0; i < 6; ++i) Count(100);
  RunWithoutCounter(400);
  const Verdict verdict = AfterTheEnd();
  EXPECT_EQ(verdict.grade, Grade::kPoor);
  // A page that is a tick old is no missing counter: up to 15 ms are taken for counted.
  EXPECT_NEAR(verdict.explained_share.value_or(1), 0.6, 0.016);
  EXPECT_THAT(verdict.notes, Contains(AllOf(HasSubstr("cycles had no counter for 3"),
                                            HasSubstr("% of the CPU time"),
                                            HasSubstr("another program uses counters"))));
}

TEST_F(StoppedCounter, ThatComesBackIsNotGoodAndThePartIsNamed) {
  for (int i = 0; i < 5; ++i) Count(100);
  RunWithoutCounter(100);
  for (int i = 0; i < 4; ++i) Count(100);
  const Verdict verdict = AfterTheEnd();
  EXPECT_EQ(verdict.grade, Grade::kFair);
  EXPECT_NEAR(verdict.explained_share.value_or(1), 0.9, 0.001);
  EXPECT_THAT(verdict.notes, Contains(HasSubstr("cycles had no counter for 10.0% of the CPU")));
}

TEST_F(StoppedCounter, OfAProgramThatIsKilledIsNotGoodEither) {
  Count(50);
  RunWithoutCounter(50);
  // The threads' clocks are looked at from time to time, and a clock that is ahead of the wall's is
  // not believed.
  usleep(150'000);
  const Verdict verdict = VerdictOfTheSpool();
  EXPECT_EQ(verdict.grade, Grade::kPoor);
  ASSERT_EQ(verdict.counters.size(), 1u);
  EXPECT_NEAR(verdict.counters[0].share, 0.575, 0.08) << "up to 15 ms are taken for counted";
  collector_->EndThread(*slot_);
}

}  // namespace
}  // namespace csink::report
