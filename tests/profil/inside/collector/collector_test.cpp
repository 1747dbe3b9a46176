#include "profil/inside/collector/collector.h"

#include <errno.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <memory>
#include <set>
#include <string>
#include <thread>

#include "core/machine/clocks.h"
#include "tests/fakes/fake_kernel.h"
#include "tests/fakes/sandbox.h"
#include "tests/profil/spool_bytes.h"

namespace csink {
namespace {

using testing::FakeKernel;
using testing::FakeRing;
using testing::SpoolBytes;
using testing::TemporaryFolder;

constexpr std::uint64_t kPeriod = 1'000'003;

ThreadRegistry g_registry;

/// Makes spools in a folder, or refuses to.
struct Factory final : SpoolFactory {
  explicit Factory(std::string folder) : directory(std::move(folder)) {}
  bool MakeSpool(SpoolWriter& spool) noexcept override {
    ++calls;
    spool::Header header = {};
    header.event_count = events;
    header.events[0].frequency_hz = frequency_hz;
    return !refuse && spool.Create(directory, "test", header).has_value();
  }
  std::string directory;
  std::uint32_t events = 1;
  std::uint64_t frequency_hz = 0;
  bool refuse = false;
  int calls = 0;
};

void* RoutineA(void*) { return nullptr; }
void* RoutineB(void*) { return nullptr; }

class CollectorTest : public ::testing::Test {
 protected:
  void SetUp() override { Sample({EventClass::kClock}); }
  void TearDown() override {
    for (std::size_t i = 0; i < g_registry.high_water(); ++i) rings_.Disarm(g_registry.at(i));
    g_registry.ResetAfterFork();
  }
  /// One column for each, the clock with its period.
  void Sample(std::initializer_list<EventClass> kinds) {
    EventList list;
    for (const EventClass kind : kinds) {
      EventSpec& spec = list.events[list.count++];
      spec.type = PERF_TYPE_SOFTWARE;
      spec.kind = kind;
      spec.period = kind == EventClass::kClock ? kPeriod : 1000;
    }
    rings_.Configure(list);
    timers_.Configure(kPeriod);
    factory_.events = static_cast<std::uint32_t>(list.count);
    kernel_.SetMlockLimit(2 * PageBytes());  // rings of a page: small numbers fill them
  }
  /// A thread with `cpu_ns` on its clock when it is armed.
  ThreadSlot& Start(pid_t tid, void* (*routine)(void*) = nullptr, long cpu_ns = 0) {
    ThreadSlot& slot = *g_registry.Claim();
    slot.tid = tid;
    slot.is_main = routine == nullptr;
    slot.start_routine = reinterpret_cast<void (*)()>(routine);
    kernel_.SetThreadCpu(tid, cpu_ns + 1);
    const bool armed = rings_.Arm(slot, tid).has_value();
    collector_.accounts().BeginThread(slot, tid, armed);
    slot.state = SlotState::kLive;
    return slot;
  }
  /// Starts and ends threads of RoutineA one after another, each with a sample. `before` is called
  /// with each slot, before the thread's last sample.
  template <class Before>
  void RunAndEnd(pid_t count, Before before) {
    // No such threads exist: nothing of /proc is read.
    for (pid_t tid = kNoThread; tid < kNoThread + count; ++tid) {
      ThreadSlot& slot = Start(tid, RoutineA);
      before(slot);
      LastRing().Sample(0x1000);
      collector_.EndThread(slot);
    }
  }
  /// The thread ends and leaves its slot; from now on its number is another thread's.
  void Leave(ThreadSlot& slot, std::uint64_t cpu_ns, const char* name = "gone") {
    slot.end = {};
    slot.end.cpu_ns = cpu_ns;
    slot.end.monotonic_ns = MonotonicNs();
    slot.end.schedule_error = ENODATA;
    std::snprintf(slot.end.name, sizeof slot.end.name, "%s", name);
    ASSERT_TRUE(g_registry.PutEnded(slot));
    kernel_.SetThreadCpu(slot.tid, 99'000'000);
  }
  static constexpr pid_t kNoThread = 10'000'001;
  /// The kernel's side of the ring of the last thread that was started.
  FakeRing& LastRing(std::size_t from_last = 0) {
    return kernel_.ring(kernel_.rings_ever() - 1 - from_last);
  }
  SpoolBytes Bytes() { return SpoolBytes(spool_->path()); }

  TemporaryFolder folder_;
  FakeKernel kernel_;
  RingSource rings_{kernel_};
  TimerSource timers_{kernel_, g_registry, SIGURG};
  Factory factory_{folder_.path()};
  std::unique_ptr<SpoolWriter> spool_ = std::make_unique<SpoolWriter>();
  std::unique_ptr<RegionIndex> regions_ = std::make_unique<RegionIndex>();
  std::unique_ptr<Collector> made_ = std::make_unique<Collector>(
      kernel_, g_registry, rings_, timers_, *spool_, *regions_, factory_);
  Collector& collector_ = *made_;
};

/// Of the chains' pages, those behind the stacks that wait.
std::string Untouched(const CallerChains& chains) {
  const auto* begin = reinterpret_cast<const char*>(&chains);
  const auto* last = reinterpret_cast<const char*>(&chains.kept(CallerChains::kMaxKept - 1));
  return std::string(last + sizeof(KeptStackSample), begin + sizeof chains);
}

using CollectorSpool = CollectorTest;
using CollectorThreads = CollectorTest;
using CollectorLoss = CollectorTest;
using CollectorMappings = CollectorTest;
using CollectorFreeze = CollectorTest;

TEST_F(CollectorSpool, IsNotMadeBeforeTheThreshold) {
  Start(1001);
  for (std::uint64_t i = 0; i < 9; ++i) LastRing().Sample(i);
  collector_.DrainAll();
  EXPECT_FALSE(spool_->open());
  EXPECT_EQ(collector_.accounts().samples(), 9u);
  EXPECT_EQ(folder_.files(), 0u);
}

TEST_F(CollectorSpool, HoldsEverySampleThatWaitedForIt) {
  Start(1001);
  for (std::uint64_t i = 0; i < 9; ++i) LastRing().Sample(0x1000 + i);
  collector_.DrainAll();
  for (std::uint64_t i = 9; i < 30; ++i) LastRing().Sample(0x1000 + i);
  collector_.DrainAll();
  ASSERT_TRUE(spool_->open());
  EXPECT_EQ(Bytes().Total(0).samples, 30u);
  EXPECT_EQ(Bytes().Total(0).weight, 30 * kPeriod);
  EXPECT_EQ(Bytes().header().events[0].samples, 30u);
  EXPECT_EQ(Bytes().header().events[0].weight, 30 * kPeriod);
  EXPECT_DOUBLE_EQ(Bytes().header().events[0].weight_squared, 30.0 * kPeriod * kPeriod);
}

TEST_F(CollectorSpool, StaysCompleteWhenItIsDrainedAfterTheEnd) {
  Start(1001);
  for (std::uint64_t i = 0; i < 20; ++i) LastRing().Sample(i);
  collector_.DrainAll();
  spool_->SetState(spool::State::kComplete, spool::End::kExec);
  collector_.DrainAll();
  EXPECT_EQ(Bytes().header().state, spool::State::kLive);  // the exec has failed
  collector_.MarkEnd(spool::End::kExit, 3);
  LastRing().Sample(20);
  collector_.DrainAll();  // the agent thread's, while the report is made
  EXPECT_EQ(Bytes().header().state, spool::State::kComplete);
  EXPECT_EQ(Bytes().header().end, spool::End::kExit);
  EXPECT_EQ(Bytes().header().end_detail, 3u);
  EXPECT_EQ(Bytes().header().events[0].samples, 21u);
}

TEST_F(CollectorSpool, IsMadeWhenNoFurtherStackCanWait) {
  CallerChains* chains = CallerChains::Map();
  ASSERT_NE(chains, nullptr);
  collector_.set_chains(chains);
  collector_.set_ending(true);
  ThreadSlot& slot = Start(1001);
  StackSample sample = {};
  for (std::uint64_t i = 0; i < 40; ++i) {
    sample.pc = 0x1000 + i;
    collector_.OnStackSample(slot, 0, sample, kPeriod);
    EXPECT_EQ(spool_->open(), i + 1 >= CallerChains::kMaxKept);
  }
  ASSERT_TRUE(spool_->open());
  EXPECT_EQ(Bytes().Total(0).samples, 40u);
  // Nobody could be found who called: all are cut, and each says so.
  EXPECT_EQ(Bytes().header().bad_stacks, 40u);
  const auto nodes = Bytes().Records<spool::ChainNode>(spool::SegmentKind::kChains);
  ASSERT_EQ(nodes.size(), 1u);
  EXPECT_EQ(nodes[0].flags, spool::kChainCut | spool::kChainEmpty);
  collector_.set_chains(nullptr);
  munmap(chains, sizeof *chains);
}

TEST_F(CollectorSpool, TakesStacksThatCannotWaitWhereItCannotBeHad) {
  CallerChains* chains = CallerChains::Map();
  ASSERT_NE(chains, nullptr);
  collector_.set_chains(chains);
  factory_.refuse = true;
  ThreadSlot& slot = Start(1001);
  StackSample sample = {};
  sample.pc = 0x1000;
  for (std::size_t i = 0; i < CallerChains::kMaxKept; ++i) {
    collector_.OnStackSample(slot, 0, sample, kPeriod);
  }
  const auto before = Untouched(*chains);
  sample.pc = 0x2000;
  for (int i = 0; i < 200; ++i) collector_.OnStackSample(slot, 0, sample, kPeriod);
  EXPECT_EQ(chains->kept(CallerChains::kMaxKept - 1).pc, 0x1000u);
  EXPECT_TRUE(Untouched(*chains) == before);
  EXPECT_EQ(collector_.accounts().samples(), CallerChains::kMaxKept + 200);
  collector_.set_chains(nullptr);
  munmap(chains, sizeof *chains);
}

TEST_F(CollectorSpool, IsAskedForOnceWhenItCannotBeHad) {
  factory_.refuse = true;
  Start(1001);
  for (int round = 0; round < 3; ++round) {
    for (std::uint64_t i = 0; i < 40; ++i) LastRing().Sample(i);
    collector_.DrainAll();
  }
  EXPECT_EQ(factory_.calls, 1);
  EXPECT_EQ(collector_.accounts().samples(), 120u);
  EXPECT_FALSE(spool_->open());
}

TEST_F(CollectorSpool, KeepsSamplesOfThreadsThatEndedBeforeItWasMade) {
  ThreadSlot& first = Start(1001, RoutineA);
  for (std::uint64_t i = 0; i < 4; ++i) LastRing().Sample(i);
  collector_.EndThread(first);
  Start(1002, RoutineB);
  for (std::uint64_t i = 0; i < 6; ++i) LastRing().Sample(i);
  collector_.DrainAll();
  const SpoolBytes bytes = Bytes();
  EXPECT_EQ(bytes.Total(0).samples, 10u);
  ASSERT_EQ(bytes.threads().size(), 3u);
  EXPECT_STREQ(bytes.threads()[0].name, "(merged)");
  EXPECT_EQ(bytes.threads()[1].tid, 1001u);
  EXPECT_EQ(bytes.threads()[1].start_routine, reinterpret_cast<std::uint64_t>(&RoutineA));
  EXPECT_EQ(bytes.threads()[2].tid, 1002u);
}

TEST_F(CollectorSpool, CountsEachEventInItsOwnColumn) {
  Sample({EventClass::kClock, EventClass::kPageFaults});
  Start(1001);
  for (std::uint64_t i = 0; i < 12; ++i) LastRing(1).Sample(0x10);
  for (std::uint64_t i = 0; i < 5; ++i) LastRing(0).Sample(0x10);
  collector_.DrainAll();
  EXPECT_EQ(Bytes().Total(0).samples, 12u);
  EXPECT_EQ(Bytes().Total(1).samples, 5u);
  EXPECT_EQ(Bytes().Total(1).weight, 5000u);
  EXPECT_EQ(Bytes().Buckets().size(), 1u) << "one address, two columns";
}

TEST_F(CollectorThreads, AreDescribedByTheirRoutineNameAndClock) {
  const auto own = static_cast<pid_t>(syscall(SYS_gettid));
  ThreadSlot& slot = Start(own, RoutineA, 500);
  for (std::uint64_t i = 0; i < 20; ++i) LastRing().Sample(0x10);
  kernel_.SetThreadCpu(own, 33'000'000);
  collector_.EndThread(slot);
  const SpoolBytes bytes = Bytes();
  ASSERT_EQ(bytes.threads().size(), 2u);
  const spool::ThreadRecord thread = bytes.threads()[1];
  EXPECT_EQ(thread.tid, static_cast<std::uint32_t>(own));
  EXPECT_EQ(thread.ended, 1u);
  EXPECT_EQ(thread.cpu_ns, 33'000'000u);
  EXPECT_EQ(thread.sampled_ns, 20 * kPeriod);
  EXPECT_STRNE(thread.name, "");
  const spool::RegionRecord region = bytes.regions().at(thread.start_region);
  EXPECT_LE(region.start, thread.start_routine);
  EXPECT_GT(region.end, thread.start_routine);
  EXPECT_EQ(kernel_.mapped_rings(), 0u);
  EXPECT_EQ(g_registry.used(), 0u);
}

TEST_F(CollectorThreads, ThatHaveLeftAreSettledByTheirOwnReadings) {
  ThreadSlot& slot = Start(static_cast<pid_t>(syscall(SYS_gettid)), RoutineA, 500);
  for (std::uint64_t i = 0; i < 20; ++i) LastRing().Sample(0x10);
  Leave(slot, 33'000'000);
  LeftRings left;
  EXPECT_FALSE(collector_.EndSome(left));
  EXPECT_EQ(g_registry.ended(), 0u);
  EXPECT_EQ(slot.state, SlotState::kFree);
  EXPECT_EQ(kernel_.mapped_rings(), 1u) << "not under the lock";
  EXPECT_EQ(LastRing().tail(), 0u) << "the store would cost a page fault";
  left.Unmap(kernel_);
  EXPECT_EQ(kernel_.mapped_rings(), 0u);
  const SpoolBytes bytes = Bytes();
  ASSERT_EQ(bytes.threads().size(), 2u);
  EXPECT_EQ(bytes.threads()[1].cpu_ns, 33'000'000u);
  EXPECT_EQ(bytes.threads()[1].ended, 1u);
  EXPECT_STREQ(bytes.threads()[1].name, "gone");
  EXPECT_EQ(bytes.Total(0).samples, 20u);
}

TEST_F(CollectorThreads, ThatHaveLeftAreTakenAFewAtATime) {
  for (pid_t tid = 1; tid <= 6; ++tid) Leave(Start(kNoThread + tid, RoutineA), 5'000);
  LeftRings left;
  EXPECT_TRUE(collector_.EndSome(left));
  EXPECT_EQ(g_registry.ended(), 6 - LeftRings::kSlots);
  left.Unmap(kernel_);
  EXPECT_FALSE(collector_.EndSome(left));
  left.Unmap(kernel_);
  EXPECT_EQ(kernel_.mapped_rings(), 0u);
}

TEST_F(CollectorThreads, ThatHaveLeftAreInEachFullDrain) {
  Start(kNoThread);
  for (pid_t tid = 1; tid <= 6; ++tid) {
    ThreadSlot& slot = Start(kNoThread + tid, RoutineA);
    for (std::uint64_t i = 0; i < 3; ++i) LastRing().Sample(0x10);
    Leave(slot, 5'000'000);
  }
  EXPECT_TRUE(collector_.AnythingPending());
  collector_.DrainAll();
  EXPECT_EQ(g_registry.ended(), 0u);
  EXPECT_EQ(kernel_.mapped_rings(), 1u);
  EXPECT_EQ(collector_.accounts().samples(), 18u);
}

TEST_F(CollectorThreads, ThatHaveLeftAreInTheAccountsAtTheEndAlsoInASandbox) {
  ThreadSlot& before = Start(kNoThread, RoutineA);
  for (std::uint64_t i = 0; i < 20; ++i) LastRing().Sample(0x10);
  ThreadSlot& during = Start(kNoThread + 1, RoutineA);
  LastRing().Sample(0x10);
  Leave(before, 20'000'000);
  collector_.Freeze();
  EXPECT_EQ(g_registry.ended(), 0u) << "nothing can be unmapped later";
  Leave(during, 2'000'000);
  const std::size_t mapped = kernel_.mapped_rings();
  collector_.DrainAll();
  collector_.SettleAll();
  EXPECT_EQ(g_registry.ended(), 0u);
  EXPECT_EQ(kernel_.mapped_rings(), mapped);
  EXPECT_EQ(Bytes().Total(0).samples, 21u);
}

TEST_F(CollectorThreads, ThatLeaveDuringTheLastLookAreInTheSums) {
  Start(kNoThread);
  collector_.EnsureSpool();
  Leave(Start(kNoThread + 1, RoutineA), 7'000'000);
  collector_.accounts().SettleLive();
  collector_.accounts().SettleLive();
  EXPECT_EQ(Bytes().header().unseen_ns, 0u);
  EXPECT_EQ(g_registry.ended(), 1u) << "its end is still to be settled";
}

TEST_F(CollectorThreads, ThatHaveLeftAreForgottenByANewStart) {
  Start(kNoThread);
  ThreadSlot& slot = Start(kNoThread + 1, RoutineA);
  for (std::uint64_t i = 0; i < 20; ++i) LastRing().Sample(0x10);
  Leave(slot, 20'000'000);
  collector_.StartAnew();
  EXPECT_EQ(g_registry.ended(), 0u);
  EXPECT_EQ(collector_.accounts().samples(), 0u);
  EXPECT_EQ(collector_.accounts().threads_seen(), 1u);
}

TEST_F(CollectorThreads, AreDrainedInTurns) {
  for (pid_t tid = 0; tid < 40; ++tid) {
    Start(kNoThread + tid, RoutineA);
    LastRing().Sample(0x10);
  }
  collector_.BeginDrain();
  std::size_t next = 0;
  int turns = 1;
  std::uint64_t before = 0;
  while (collector_.DrainTurn(Collector::FirstPeriods::kLeave, next)) {
    EXPECT_EQ(collector_.accounts().samples() - before, 16u);
    before = collector_.accounts().samples();
    ++turns;
  }
  collector_.FinishDrain();
  EXPECT_EQ(turns, 3);
  EXPECT_EQ(collector_.accounts().samples(), 40u);
}

TEST_F(CollectorThreads, AreCountedWhetherSampledOrNot) {
  Start(1001);
  kernel_.RefuseOpens(EMFILE);
  Start(1002, RoutineA);
  collector_.EnsureSpool();
  collector_.DrainAll();
  EXPECT_EQ(Bytes().header().threads_seen, 2u);
  EXPECT_EQ(Bytes().header().threads_sampled, 1u);
}

TEST_F(CollectorThreads, ShorterThanAPeriodAreToldByTheirRoutine) {
  Start(1000);
  for (pid_t tid = 2000; tid < 2030; ++tid) {
    ThreadSlot& slot = Start(tid, tid % 3 == 0 ? RoutineB : RoutineA, 1000);
    kernel_.SetThreadCpu(tid, 1001 + 500'000);
    collector_.EndThread(slot);
  }
  EXPECT_EQ(collector_.accounts().Significance(), 30 * 500'000 / kPeriod);
  collector_.SettleAll();
  const SpoolBytes bytes = Bytes();
  ASSERT_EQ(bytes.routines().size(), 2u);
  std::uint64_t threads = 0;
  for (const auto& routine : bytes.routines()) {
    const bool b = routine.start_routine == reinterpret_cast<std::uint64_t>(&RoutineB);
    EXPECT_EQ(routine.threads, b ? 10u : 20u);
    EXPECT_EQ(routine.cpu_ns, routine.threads * 500'000);
    EXPECT_NE(routine.start_region, spool::kNone);
    threads += routine.threads;
  }
  EXPECT_EQ(threads, 30u);
  EXPECT_EQ(bytes.header().lost_ns[static_cast<int>(spool::Loss::kShortThread)], 15'000'000u);
}

TEST_F(CollectorThreads, ShareOneRowWhenTheirRoutinesAreTooMany) {
  for (std::uint64_t i = 1; i <= 200; ++i) {
    const auto routine = reinterpret_cast<void* (*)(void*)>(0x1000 * i);
    ThreadSlot& slot = Start(static_cast<pid_t>(5000 + i), routine);
    kernel_.SetThreadCpu(static_cast<pid_t>(5000 + i), 100'001);
    collector_.EndThread(slot);
  }
  collector_.EnsureSpool();
  collector_.SettleAll();
  const auto routines = Bytes().routines();
  EXPECT_LE(routines.size(), 64u);
  std::uint64_t threads = 0;
  for (const auto& routine : routines) threads += routine.threads;
  EXPECT_EQ(threads, 200u);
  EXPECT_EQ(routines.back().start_routine, 0u);
}

TEST_F(CollectorThreads, ShareARecordWhenManyShortOnesHaveTheSameRoutine) {
  collector_.EnsureSpool();
  constexpr pid_t kMany = 200;
  RunAndEnd(kMany, [&](ThreadSlot& slot) {
    slot.times.end_ns = slot.times.begin_ns + 3000;
    slot.times.run_ns = 2000;
    kernel_.SetThreadCpu(slot.tid, 2000);
  });
  const SpoolBytes bytes = Bytes();
  // Thread 0, those with a record of their own, and the shared one.
  ASSERT_EQ(bytes.threads().size(), 1 + SharedRecords::kOwnRecords + 1);
  EXPECT_EQ(bytes.threads()[1].flags, 0u);
  const spool::ThreadRecord shared = bytes.threads().back();
  constexpr std::uint64_t kSharing = kMany - SharedRecords::kOwnRecords;
  EXPECT_EQ(shared.flags, spool::kThreadShared);
  EXPECT_EQ(shared.threads, kSharing);
  EXPECT_EQ(shared.tid, static_cast<std::uint32_t>(kNoThread) + SharedRecords::kOwnRecords);
  EXPECT_EQ(shared.ended, 1u);
  EXPECT_EQ(shared.start_routine, reinterpret_cast<std::uint64_t>(&RoutineA));
  EXPECT_EQ(shared.cpu_ns, kSharing * 2000);
  EXPECT_EQ(shared.sampled_ns, kSharing * kPeriod);
  EXPECT_EQ(shared.start_monotonic_ns, 0u);
  EXPECT_GE(shared.end_monotonic_ns, kSharing * 3000) << "the sum of their lives";
  EXPECT_EQ(bytes.Total(0).samples, std::uint64_t{kMany});
  EXPECT_EQ(bytes.Buckets().size(), SharedRecords::kOwnRecords + 1u);
}

TEST_F(CollectorThreads, ThatLivedLongerShareNoRecord) {
  collector_.EnsureSpool();
  constexpr pid_t kMany = SharedRecords::kOwnRecords + 20;
  RunAndEnd(kMany, [](ThreadSlot& slot) { slot.times.begin_ns -= TimeLine::kLeastThreadLifeNs; });
  EXPECT_EQ(Bytes().threads().size(), std::size_t{1 + kMany});
}

TEST_F(CollectorThreads, ThatWaitedForAProcessorAreAsShortAsWithoutTheWait) {
  collector_.EnsureSpool();
  constexpr pid_t kMany = SharedRecords::kOwnRecords + 20;
  for (pid_t tid = kNoThread; tid < kNoThread + kMany; ++tid) {
    ThreadSlot& slot = Start(tid, RoutineA);
    slot.times.begin_ns -= TimeLine::kLeastThreadLifeNs;
    LastRing().Sample(0x1000);
    Leave(slot, 2000);
    slot.end.schedule = {2000, TimeLine::kLeastThreadLifeNs, 3};
    slot.end.schedule_error = 0;
    collector_.DrainAll();
  }
  EXPECT_EQ(Bytes().threads().size(), 1 + SharedRecords::kOwnRecords + 1);
}

TEST_F(CollectorThreads, ThatAreYoungAreLeftToTheirEndByASweep) {
  collector_.EnsureSpool();
  constexpr pid_t kMany = SharedRecords::kOwnRecords + 20;
  RunAndEnd(kMany, [&](ThreadSlot& slot) {
    slot.created_ns = slot.times.begin_ns;
    LastRing().Sample(0x1000);
    collector_.DrainAll(Collector::FirstPeriods::kReplace);
    EXPECT_TRUE(collector_.needs_early_sweep());
  });
  EXPECT_EQ(Bytes().threads().size(), 1 + SharedRecords::kOwnRecords + 1);
  EXPECT_EQ(Bytes().Total(0).samples, 2u * kMany);
}

TEST_F(CollectorThreads, ThatAreOldOrFullAreNotLeftByASweep) {
  collector_.EnsureSpool();
  ThreadSlot& old = Start(kNoThread, RoutineA);
  old.created_ns = 1;
  LastRing().Sample(0x1000);
  ThreadSlot& full = Start(kNoThread + 1, RoutineA);
  full.created_ns = MonotonicNs();
  for (int i = 0; i < 10; ++i) LastRing().Sample(0x1000);
  collector_.DrainAll(Collector::FirstPeriods::kReplace);
  EXPECT_EQ(Bytes().Total(0).samples, 11u);
  // No more than a few at a time: a kill -9 would lose their samples.
  for (pid_t tid = 0; tid < 100; ++tid) {
    Start(kNoThread + 2 + tid, RoutineA).created_ns = MonotonicNs();
    LastRing().Sample(0x1000);
  }
  collector_.DrainAll(Collector::FirstPeriods::kReplace);
  EXPECT_GE(Bytes().Total(0).samples, 11u + 80);
}

TEST_F(CollectorThreads, ThatWereSampledBeforeTheirEndShareNoRecord) {
  collector_.EnsureSpool();
  constexpr pid_t kMany = SharedRecords::kOwnRecords + 20;
  RunAndEnd(kMany, [&](ThreadSlot&) {
    LastRing().Sample(0x1000);
    collector_.DrainAll();
  });
  EXPECT_EQ(Bytes().threads().size(), std::size_t{1 + kMany});
}

TEST_F(CollectorThreads, BeyondTheTableShareTheMergedRecord) {
  collector_.EnsureSpool();
  constexpr pid_t kMany = 16 * 1024 + 50;
  const auto pc = reinterpret_cast<std::uint64_t>(&getpagesize);  // known: maps are read once
  for (pid_t tid = 1; tid <= kMany; ++tid) {
    ThreadSlot& slot = *g_registry.Claim();
    slot.tid = 10'000'000 + tid;  // no such thread: nothing of /proc is read
    slot.name[0] = 'n';
    ASSERT_TRUE(timers_.Arm(slot, slot.tid));
    slot.soft.load()->Push(pc, 1);
    slot.state = SlotState::kLive;
    kernel_.SetThreadCpu(slot.tid, 2'000'000);
    collector_.EndThread(slot);
  }
  const SpoolBytes bytes = Bytes();
  EXPECT_EQ(bytes.threads().size(), 16u * 1024 + 1);
  EXPECT_EQ(bytes.Total(0).samples, static_cast<std::uint64_t>(kMany));
  EXPECT_EQ(bytes.threads()[0].cpu_ns, 50u * 2'000'000);
  EXPECT_EQ(bytes.threads()[0].sampled_ns, 50 * kPeriod);
}

TEST_F(CollectorLoss, OfAFullRingIsToldByTheClock) {
  ThreadSlot& slot = Start(1001, RoutineA);
  std::uint64_t written = 0;
  while (LastRing().Sample(0x10)) ++written;
  kernel_.SetThreadCpu(1001, 2'000'000'001);
  collector_.DrainAll();
  collector_.EndThread(slot);
  const std::uint64_t lost = Bytes().header().lost_ns[static_cast<int>(spool::Loss::kBlockedDrain)];
  EXPECT_EQ(0u, lost) << "the header is brought up to date by the next drain";
  collector_.DrainAll();
  EXPECT_EQ(Bytes().header().lost_ns[static_cast<int>(spool::Loss::kBlockedDrain)],
            2'000'000'000 - written * kPeriod);
}

TEST_F(CollectorLoss, IsNotSuspectedWhileTheRingHasRoom) {
  ThreadSlot& slot = Start(1001, RoutineA);
  for (int i = 0; i < 100; ++i) LastRing().Sample(0x10);
  kernel_.SetThreadCpu(1001, 2'000'000'001);
  collector_.EndThread(slot);
  collector_.DrainAll();
  EXPECT_EQ(Bytes().header().lost_ns[static_cast<int>(spool::Loss::kBlockedDrain)], 0u);
}

TEST_F(CollectorLoss, ThatTheKernelTellsIsKeptFromTheFirstRecordOn) {
  ThreadSlot& slot = Start(1001, RoutineA);
  LastRing().Lost(5);
  LastRing().Throttle();
  collector_.DrainAll();
  EXPECT_FALSE(spool_->open());
  for (int i = 0; i < 20; ++i) LastRing().Sample(0x10);
  LastRing().Lost(7);
  LastRing().Throttle();
  collector_.EndThread(slot);
  const SpoolBytes bytes = Bytes();
  EXPECT_EQ(bytes.header().events[0].lost_records, 12u);
  EXPECT_EQ(bytes.header().events[0].throttled, 2u);
  EXPECT_EQ(bytes.threads()[1].lost_records, 12u);
}

/// One event that needs a counter, in frequency mode.
class CollectorCounters : public CollectorTest {
 protected:
  void SetUp() override {
    EventList list;
    list.count = 1;
    list.events[0].type = PERF_TYPE_HARDWARE;
    list.events[0].kind = EventClass::kCycles;
    list.events[0].frequency_hz = 1000;
    rings_.Configure(list);
    timers_.Configure(kPeriod);
    collector_.accounts().set_clock({.event = -1});
    factory_.frequency_hz = 1000;
  }
  /// Twenty samples of 1,000 cycles: enough for a spool.
  void TwentySamples() {
    for (int i = 0; i < 20; ++i) LastRing().Sample(0x10, 1000);
  }
  spool::EventColumn Column() { return Bytes().header().events[0]; }
  static constexpr std::uint64_t kMs = 1'000'000;
};

TEST_F(CollectorCounters, TellWhatWasDueAndWhatWasThrottled) {
  ThreadSlot& slot = Start(1001, RoutineA, 50 * kMs);
  TwentySamples();
  LastRing().Throttle(10 * kMs);
  LastRing().Unthrottle(13 * kMs);
  LastRing().SetTimes(99 * kMs, 99 * kMs);
  LastRing().SetCount(21'000);
  kernel_.SetThreadCpu(1001, 150 * kMs);
  kernel_.SetMaxSampleRate(6000);
  collector_.EndThread(slot);
  collector_.SettleAll();
  const spool::EventColumn column = Column();
  EXPECT_NEAR(static_cast<double>(column.due_ns), 100e6, 10);
  EXPECT_NEAR(static_cast<double>(column.running_ns), 100e6, 10) << "the page was a tick old";
  EXPECT_EQ(column.throttled_ns, 3 * kMs);
  EXPECT_EQ(column.unsampled, 1000u);
  EXPECT_EQ(column.rate_limit_hz, 6000u);
  EXPECT_EQ(column.weight, 20'000u);
}

TEST_F(CollectorCounters, TellTimeWithoutACounter) {
  ThreadSlot& slot = Start(1001, RoutineA);
  TwentySamples();
  LastRing().SetTimes(40 * kMs, 40 * kMs);  // then another tool took the counter away
  kernel_.SetThreadCpu(1001, 400 * kMs);
  collector_.EndThread(slot);
  const spool::EventColumn column = Column();
  EXPECT_NEAR(static_cast<double>(column.due_ns), 400e6, 10);
  EXPECT_LT(column.running_ns, 60 * kMs);
  EXPECT_GE(column.running_ns, 40 * kMs);
}

TEST_F(CollectorCounters, AreDueInThreadsThatGotNoRing) {
  ThreadSlot& armed = Start(1001, RoutineA);
  TwentySamples();
  LastRing().SetTimes(100 * kMs, 100 * kMs);
  kernel_.SetThreadCpu(1001, 100 * kMs);
  kernel_.RefuseOpens(EMFILE);
  ThreadSlot& without = Start(1002, RoutineB);
  kernel_.DropScript();
  kernel_.SetThreadCpu(1002, 300 * kMs);
  collector_.EndThread(armed);
  collector_.EndThread(without);
  EXPECT_NEAR(static_cast<double>(Column().due_ns), 400e6, 10);
  EXPECT_NEAR(static_cast<double>(Column().running_ns), 100e6, 10);
}

TEST_F(CollectorCounters, AreNotDueInPauses) {
  ThreadSlot& slot = Start(1001, RoutineA);
  TwentySamples();
  collector_.DrainAll();
  kernel_.SetThreadCpu(1001, 100 * kMs);
  collector_.Pause();
  kernel_.SetThreadCpu(1001, 250 * kMs);
  collector_.Resume();
  kernel_.SetThreadCpu(1001, 300 * kMs);
  LastRing().SetTimes(300 * kMs, 300 * kMs);
  collector_.EndThread(slot);
  EXPECT_NEAR(static_cast<double>(Column().due_ns), 150e6, 10);
  EXPECT_NEAR(static_cast<double>(Column().running_ns), 150e6, 10);
}

TEST_F(CollectorCounters, AreToldAtEachDrainForAProgramThatIsKilled) {
  Start(1001, RoutineA);
  TwentySamples();
  kernel_.SetThreadCpu(1001, 100 * kMs);
  LastRing().SetTimes(60 * kMs, 30 * kMs);
  collector_.DrainAll();
  const spool::EventColumn column = Column();
  EXPECT_NEAR(static_cast<double>(column.due_ns), 100e6, 10);
  EXPECT_NEAR(static_cast<double>(column.running_ns), 37.5e6, 10) << "half of the last 15 ms";
}

TEST_F(CollectorCounters, ShowTheRateThatTheKernelLeft) {
  ThreadSlot& slot = Start(1001, RoutineA);
  TwentySamples();
  for (std::uint64_t at : {kMs, 10 * kMs}) {
    LastRing().Throttle(at);
    LastRing().Unthrottle(at + kMs);
  }
  kernel_.SetMaxSampleRate(500);
  collector_.DrainAll(Collector::FirstPeriods::kReplace);
  EXPECT_EQ(slot.accounts[0].opened_hz, 250u);
  collector_.EndThread(slot);
  EXPECT_EQ(Column().frequency_hz, 250u);
}

// The process clock is the test's own, the clocks of threads are the fake's.
void BurnMs(std::uint64_t ms) {
  timespec now = {};
  const auto clock = [&now] {
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1000 + now.tv_nsec / 1'000'000;
  };
  const std::uint64_t end = clock() + ms;
  while (clock() < end) {
  }
}

TEST_F(CollectorLoss, OfThreadsThatNobodySawIsWhatTheProcessClockHasMore) {
  Start(1001);
  BurnMs(60);
  kernel_.SetThreadCpu(1001, 10'000'001);
  collector_.SettleAll();
  ASSERT_TRUE(spool_->open()) << "CPU time that nobody sampled is worth a report";
  EXPECT_GT(Bytes().header().unseen_ns, 45'000'000u);
  EXPECT_LT(Bytes().header().unseen_ns, 90'000'000u);
  EXPECT_GE(collector_.accounts().Significance(), 45u);
}

TEST_F(CollectorLoss, OfNobodyWhereTheThreadsExplainTheProcess) {
  Start(1001);
  BurnMs(60);
  kernel_.SetThreadCpu(1001, 50'000'001);  // and a little of ours
  collector_.SettleAll();
  EXPECT_EQ(collector_.accounts().Significance(), 0u);
}

TEST_F(CollectorLoss, OfNobodyInAPause) {
  Start(1001);
  collector_.Pause();
  BurnMs(60);
  collector_.SettleAll();
  EXPECT_EQ(collector_.accounts().Significance(), 0u);
}

TEST_F(CollectorLoss, WhileTheProgramHadItsEventsSwitchedOff) {
  ThreadSlot& slot = Start(1001, nullptr, 1'000'000);
  collector_.accounts().SwitchedOff(slot, true);
  collector_.accounts().SwitchedOff(slot, true);
  kernel_.SetThreadCpu(1001, 31'000'001);
  collector_.accounts().SwitchedOff(slot, false);
  kernel_.SetThreadCpu(1001, 41'000'001);
  collector_.accounts().SwitchedOff(slot, true);
  kernel_.SetThreadCpu(1001, 46'000'001);
  collector_.EnsureSpool();
  collector_.SettleAll();
  EXPECT_EQ(Bytes().header().switched_off_ns, 35'000'000u);
}

TEST_F(CollectorLoss, OfAThreadWithoutARingIsItsWholeClock) {
  kernel_.RefuseOpens(EMFILE);
  ThreadSlot& slot = Start(1001, RoutineA, 1'000'000);
  EXPECT_FALSE(slot.armed());
  kernel_.SetThreadCpu(1001, 51'000'001);
  collector_.EndThread(slot);
  EXPECT_EQ(collector_.accounts().Significance(), 50'000'000 / kPeriod);
  collector_.SettleAll();
  ASSERT_TRUE(spool_->open()) << "CPU time that nobody sampled is worth a report";
  EXPECT_EQ(Bytes().header().lost_ns[static_cast<int>(spool::Loss::kNoRing)], 50'000'000u);
}

TEST_F(CollectorLoss, IsSettledTwiceWithoutBeingDoubled) {
  kernel_.RefuseOpens(EMFILE);
  Start(1001, RoutineA);
  kernel_.SetThreadCpu(1001, 50'000'001);
  Start(1002, RoutineA);
  LastRing().SetTimes(900, 600);
  for (int i = 0; i < 20; ++i) LastRing().Sample(0x10);
  for (int i = 0; i < 3; ++i) {
    collector_.DrainAll();
    collector_.SettleAll();  // what exec does, and these execs fail
  }
  const SpoolBytes bytes = Bytes();
  EXPECT_EQ(bytes.header().lost_ns[static_cast<int>(spool::Loss::kNoRing)], 50'000'000u);
  EXPECT_EQ(bytes.header().events[0].enabled_ns, 900u);
  EXPECT_EQ(bytes.header().events[0].running_ns, 600u);
}

TEST_F(CollectorLoss, TellsHowFullTheFullestRingWas) {
  Start(1001);
  while (LastRing().head() < LastRing().data_bytes() / 2) LastRing().Sample(1);
  collector_.DrainAll();
  EXPECT_EQ(collector_.fullest_eighths(), 4u);
  collector_.DrainAll();
  EXPECT_EQ(collector_.fullest_eighths(), 0u);
}

TEST_F(CollectorMappings, OfThisProcessGiveSamplesTheirRegion) {
  Start(1001);
  const auto pc = reinterpret_cast<std::uint64_t>(&getpagesize);
  for (int i = 0; i < 20; ++i) LastRing().Sample(pc);
  collector_.DrainAll();
  const SpoolBytes bytes = Bytes();
  ASSERT_EQ(bytes.Buckets().size(), 1u);
  const spool::RegionRecord region = bytes.regions().at(bytes.Buckets().begin()->first.region);
  EXPECT_LE(region.start, pc);
  EXPECT_GT(region.end, pc);
  EXPECT_NE(bytes.PathOf(region).find("libc"), std::string::npos);
}

TEST_F(CollectorMappings, ComeFromTheRingWithTheirBuild) {
  collector_.EnsureSpool();
  Start(1001);
  const std::string build_id = "ABCDEFGHIJKLMNOPQRST";
  LastRing().Mmap2({0x10000, 0x1000, 0x3000, "/lib/plugin.so"}, build_id);
  LastRing().Sample(0x10800);
  LastRing().Mmap2({0x10000, 0x1000, 0x3000, "/lib/other.so"});
  LastRing().Sample(0x10800);
  collector_.DrainAll();
  const SpoolBytes bytes = Bytes();
  ASSERT_EQ(bytes.Buckets().size(), 2u) << "one address, two libraries";
  std::vector<spool::RegionRecord> regions;
  for (const auto& [key, counts] : bytes.Buckets())
    regions.push_back(bytes.regions().at(key.region));
  EXPECT_EQ(bytes.PathOf(regions[0]), "/lib/plugin.so");
  EXPECT_EQ(regions[0].file_offset, 0x3000u);
  EXPECT_EQ(regions[0].build_id_bytes, 20u);
  EXPECT_EQ(std::memcmp(regions[0].build_id, build_id.data(), 20), 0);
  EXPECT_EQ(bytes.PathOf(regions[1]), "/lib/other.so");
  EXPECT_EQ(regions[1].inode, 4711u);
  EXPECT_EQ(regions[1].device_major, 0xfeu);
}

TEST_F(CollectorMappings, ThatAreNotCodeOrMakeNoSenseAreSkipped) {
  collector_.EnsureSpool();
  const std::size_t before = Bytes().regions().size();
  Start(1001);
  LastRing().Mmap2({.start = 0x10000,
                    .bytes = 0x1000,
                    .file_offset = 0,
                    .path = "/lib/data.so",
                    .protection = 3});
  LastRing().Mmap2({0x10000, 0, 0, "/lib/empty.so"});
  LastRing().Mmap2({0xffffffffffff0000, 0x20000, 0, "/lib/wraps.so"});
  LastRing().Record(PERF_RECORD_MMAP2, 0, {});
  collector_.DrainAll();
  EXPECT_EQ(Bytes().regions().size(), before);
}

/// A page of code from a file of its own, at one address by turns.
class PageOfCode {
 public:
  PageOfCode(const std::string& path, void* at) {
    const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    EXPECT_EQ(ftruncate(fd, static_cast<off_t>(PageBytes())), 0);
    start_ =
        mmap(at, PageBytes(), PROT_READ | PROT_EXEC, MAP_PRIVATE | (at ? MAP_FIXED : 0), fd, 0);
    EXPECT_NE(start_, MAP_FAILED);
    close(fd);
  }
  void* start() const { return start_; }
  std::uint64_t pc() const { return reinterpret_cast<std::uint64_t>(start_) + 16; }

 private:
  void* start_;
};

TEST_F(CollectorMappings, ThatNobodyTellsAreLookedUpAfterALibraryWent) {
  const auto in_libc = reinterpret_cast<std::uint64_t>(&getpagesize);
  TemporaryFolder libraries;
  const PageOfCode left(libraries.path() + "/left.so", nullptr);
  collector_.EnsureSpool();
  collector_.set_mapping_records_off({in_libc, 0, 0});
  Start(1001);
  LastRing().Sample(left.pc());
  EXPECT_TRUE(collector_.AnythingPending());
  collector_.DrainAll();
  EXPECT_FALSE(collector_.AnythingPending());
  const std::size_t regions = Bytes().regions().size();

  const PageOfCode right(libraries.path() + "/right.so", left.start());
  collector_.MapsMayChange();
  LastRing().Sample(in_libc);
  collector_.DrainAll();
  EXPECT_EQ(Bytes().regions().size(), regions) << "the C library stays: no need to look";
  LastRing().Sample(right.pc());
  collector_.DrainAll();

  std::multiset<std::string> paths;
  const SpoolBytes bytes = Bytes();
  for (const auto& [key, counts] : bytes.Buckets()) {
    const std::string path = bytes.PathOf(bytes.regions().at(key.region));
    paths.insert(path.substr(path.rfind('/') + 1));
  }
  EXPECT_EQ(paths.count("left.so"), 1u);
  EXPECT_EQ(paths.count("right.so"), 1u);
  munmap(left.start(), PageBytes());
}

TEST_F(CollectorMappings, NameDeletedFilesAndJitCodeAsMapsDoes) {
  collector_.EnsureSpool();
  const std::size_t before = Bytes().regions().size();
  Start(1001);
  LastRing().Mmap2({0x10000, 0x1000, 0, "/memfd:jit (deleted)"});
  LastRing().Mmap2({0x20000, 0x1000, 0, "//anon"});
  LastRing().Mmap({0x30000, 0x1000, 0, "/lib/before-mmap2.so"});
  collector_.DrainAll();
  const SpoolBytes bytes = Bytes();
  ASSERT_EQ(bytes.regions().size(), before + 3);
  EXPECT_EQ(bytes.PathOf(bytes.regions()[before]), "/memfd:jit");
  EXPECT_EQ(bytes.regions()[before].flags, spool::kRegionDeleted);
  EXPECT_EQ(bytes.PathOf(bytes.regions()[before + 1]), "");
  EXPECT_EQ(bytes.regions()[before + 1].flags, spool::kRegionAnonymous);
  EXPECT_EQ(bytes.PathOf(bytes.regions()[before + 2]), "/lib/before-mmap2.so");
}

TEST_F(CollectorMappings, ThatNobodyKnowsGoToTheCatchAll) {
  Start(1001);
  for (int i = 0; i < 20; ++i) LastRing().Sample(0x10);
  collector_.DrainAll();
  const SpoolBytes bytes = Bytes();
  ASSERT_EQ(bytes.Buckets().size(), 1u);
  EXPECT_EQ(bytes.regions().at(bytes.Buckets().begin()->first.region).flags, spool::kRegionUnknown);
}

TEST_F(CollectorFreeze, MakesNoSystemCallWhenItDrainsAndSettles) {
  if (!testing::kSandboxUsable) GTEST_SKIP() << "not under thread sanitizer";
  Start(1001, RoutineA);
  Start(1002, RoutineB);
  const auto fill = [this] {
    for (std::uint64_t i = 0; i < 200; ++i) LastRing(0).Sample(i);
    for (std::uint64_t i = 0; i < 200; ++i) LastRing(1).Sample(i);
    LastRing().Mmap2({0x10000, 0x1000, 0, "/lib/late.so"});
  };
  EXPECT_EQ(testing::InSandbox(
                [&] {
                  collector_.Freeze();
                  fill();
                },
                [&] {
                  collector_.DrainAll();
                  collector_.SettleAll();
                  return spool_->header().events[0].samples == 400 ? 0 : 11;
                }),
            testing::kSurvived);
}

TEST_F(CollectorFreeze, EndsRandomFirstPeriods) {
  rings_.set_random_first(true, 1);
  Start(1001);
  ThreadSlot& other = Start(1002, RoutineA);
  other.first[0].Draw(kPeriod, true, {~std::uint64_t{0} / 2, 0});
  ASSERT_FALSE(other.first[0].steady());
  collector_.Freeze();
  EXPECT_TRUE(other.first[0].steady());
  EXPECT_EQ(kernel_.opens().back().attr.sample_period, kPeriod);
  EXPECT_EQ(kernel_.mapped_rings(), 2u);
}

TEST_F(CollectorFreeze, MakesNoSystemCallEvenWhenNoSpoolCouldBeMade) {
  if (!testing::kSandboxUsable) GTEST_SKIP() << "not under thread sanitizer";
  factory_.refuse = true;
  Start(1001, RoutineA);
  EXPECT_EQ(testing::InSandbox(
                [&] {
                  collector_.Freeze();
                  for (std::uint64_t i = 0; i < 200; ++i) LastRing().Sample(i);
                },
                [&] {
                  const std::size_t clock_reads = kernel_.clock_reads();
                  collector_.DrainAll();
                  collector_.SettleAll();
                  if (kernel_.clock_reads() != clock_reads) return 11;
                  return collector_.accounts().samples() == 200 ? 0 : 12;
                }),
            testing::kSurvived);
}

TEST_F(CollectorTest, StoresTheTimesOfThreadsThatRunForAKill) {
  kernel_.SetSchedule(1001, {.run_ns = 1, .wait_ns = 5'000, .turns = 1});
  ThreadSlot& slot = Start(1001);
  kernel_.SetSchedule(1002, {.run_ns = 1, .wait_ns = 0, .turns = 1});
  Start(1002, RoutineA);  // Without a sample it has no record
  for (int i = 0; i < 20; ++i) LastRing(1).Sample(0x10);
  kernel_.SetThreadCpu(1001, 200'001);
  kernel_.SetThreadCpu(1002, 300'001);
  kernel_.SetSchedule(1001, {.run_ns = 1, .wait_ns = 905'000, .turns = 8});
  kernel_.SetSchedule(1002, {.run_ns = 1, .wait_ns = 40'000, .turns = 2});
  usleep(5'000);  // Lives that are long enough for a reading (kShortestLifeNs)
  collector_.DrainAll();
  const spool::WallTotals& wall = spool_->header().wall;
  EXPECT_EQ(wall.threads, 2u);
  EXPECT_EQ(wall.run_ns, 500'000u);
  EXPECT_EQ(wall.wait_ns, 940'000u);
  EXPECT_EQ(wall.undivided_ns, 0u);
  EXPECT_GE(wall.wall_ns, 10'000'000u);
  EXPECT_NE(wall.processors, 0u);
  const auto* own = spool_->At<spool::ThreadRecord>(slot.spool_thread);
  ASSERT_NE(own, nullptr);
  EXPECT_EQ(own->wait_ns, 900'000u);
  EXPECT_EQ(own->turns, 7u);
  const auto* merged = spool_->At<spool::ThreadRecord>(spool::kMergedThread);
  EXPECT_EQ(merged->run_ns, 300'000u);
  EXPECT_EQ(merged->end_monotonic_ns + own->end_monotonic_ns - own->start_monotonic_ns,
            wall.wall_ns);
  // The next look is due in 50 ms at the earliest.
  const std::size_t readings = kernel_.schedule_reads();
  kernel_.SetThreadCpu(1001, 500'001);
  collector_.DrainAll();
  EXPECT_EQ(kernel_.schedule_reads(), readings);
}

TEST_F(CollectorTest, AddsUpTheTimesOfThreadsThatHaveEnded) {
  for (pid_t tid = 1001; tid <= 1003; ++tid) {
    kernel_.SetSchedule(tid, {.run_ns = 1, .wait_ns = 0, .turns = 1});
    ThreadSlot& slot = Start(tid, RoutineA);
    kernel_.SetThreadCpu(tid, 100'001);
    kernel_.SetSchedule(tid, {.run_ns = 1, .wait_ns = 250'000, .turns = 2});
    usleep(4'000);
    collector_.EndThread(slot);
  }
  ASSERT_TRUE(collector_.EnsureSpool());
  collector_.SettleAll();
  const spool::WallTotals& wall = spool_->header().wall;
  EXPECT_EQ(wall.threads, 3u);
  EXPECT_EQ(wall.run_ns, 300'000u);
  EXPECT_EQ(wall.wait_ns, 750'000u);
  EXPECT_EQ(spool_->At<spool::ThreadRecord>(spool::kMergedThread)->wait_ns, 750'000u);
}

TEST_F(CollectorTest, BeginsAnewInAForkedChild) {
  ThreadSlot& slot = Start(1001);
  for (int i = 0; i < 20; ++i) LastRing().Sample(0x10);
  collector_.DrainAll();
  ASSERT_TRUE(spool_->open());
  const std::string parents = spool_->path();
  rings_.Disarm(slot);
  g_registry.ResetAfterFork();
  ASSERT_TRUE(collector_.lock().TryLock(1));  // held by a thread that the child does not have
  collector_.ResetAfterFork();
  EXPECT_TRUE(collector_.lock().TryLock(2));
  collector_.lock().Unlock();
  EXPECT_FALSE(spool_->open());
  EXPECT_EQ(collector_.accounts().samples(), 0u);
  Start(1002);
  for (int i = 0; i < 20; ++i) LastRing().Sample(0x20);
  collector_.DrainAll();
  EXPECT_NE(spool_->path(), parents);
  EXPECT_EQ(Bytes().Total(0).samples, 20u);
  EXPECT_EQ(SpoolBytes(parents).Total(0).samples, 20u);
}

/// Timers that never tick, for threads that push their samples themselves.
struct StillKernel final : Kernel {
  long PerfEventOpen(perf_event_attr*, pid_t, int, int) noexcept override { return -ENOSYS; }
  long EventControl(int, unsigned long, unsigned long) noexcept override { return -ENOSYS; }
  long EventRead(int, void*, std::size_t) noexcept override { return -ENOSYS; }
  long SignalOverflows(int, int, pid_t) noexcept override { return -ENOSYS; }
  long MapRing(int, std::size_t) noexcept override { return -ENOSYS; }
  long Unmap(void*, std::size_t) noexcept override { return 0; }
  long Close(int) noexcept override { return 0; }
  long CheckEvent(int) noexcept override { return -ENOSYS; }
  long TimerCreate(pid_t, int, void*) noexcept override { return 1; }
  long TimerStart(int, std::uint64_t, std::uint64_t) noexcept override { return 0; }
  long TimerDelete(int) noexcept override { return 0; }
  long ThreadCpuNs(pid_t) noexcept override { return 5'000'000; }
  long ProcessCpuNs(pid_t) noexcept override { return -ENOSYS; }
  long ScheduleTimes(pid_t, ThreadTimes*) noexcept override { return -ENOSYS; }
  long OwnSwitches(std::uint64_t*, std::uint64_t*) noexcept override { return -ENOSYS; }
  long MaxSampleRateHz() noexcept override { return -ENOSYS; }
};

TEST(CollectorEndThread, LosesNothingAndEndsBesideADrainerThatNeverRests) {
  TemporaryFolder folder;
  StillKernel kernel;
  RingSource rings(kernel);
  TimerSource timers(kernel, g_registry, SIGURG);
  Factory factory(folder.path());
  auto spool = std::make_unique<SpoolWriter>();
  auto regions = std::make_unique<RegionIndex>();
  Collector collector(kernel, g_registry, rings, timers, *spool, *regions, factory);
  constexpr int kThreads = 6;
  constexpr int kRounds = 150;
  constexpr std::uint64_t kSamples = 100;
  const auto pc = reinterpret_cast<std::uint64_t>(&getpagesize);
  std::atomic<bool> stop{false};
  std::thread drainer([&] {
    while (!stop) {
      collector.lock().Lock(1);
      collector.DrainAll();
      collector.lock().Unlock();
      std::this_thread::yield();
    }
  });
  std::vector<std::thread> threads;
  for (pid_t t = 2; t < 2 + kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int round = 0; round < kRounds; ++round) {
        ThreadSlot& slot = *g_registry.Claim();
        slot.tid = 20'000'000 + t;
        slot.name[0] = 't';
        collector.accounts().BeginThread(slot, slot.tid, timers.Arm(slot, slot.tid).has_value());
        slot.state.store(SlotState::kLive, std::memory_order_release);
        for (std::uint64_t i = 0; i < kSamples; ++i) slot.soft.load()->Push(pc + i % 4, 1);
        collector.lock().Lock(t);
        collector.EndThread(slot);
        collector.lock().Unlock();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  stop = true;
  drainer.join();
  collector.SettleAll();
  const SpoolBytes bytes(spool->path());
  EXPECT_EQ(bytes.Total(0).samples, kThreads * kRounds * kSamples);
  EXPECT_EQ(bytes.header().threads_seen, static_cast<std::uint32_t>(kThreads * kRounds));
  EXPECT_EQ(bytes.header().events[0].lost_records, 0u);
  EXPECT_EQ(g_registry.used(), 0u);
}

}  // namespace
}  // namespace csink
