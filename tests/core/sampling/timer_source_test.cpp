#include "core/sampling/timer_source.h"

#include <errno.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <ucontext.h>

#include "tests/fakes/fake_kernel.h"
#include "tests/fakes/recording_sink.h"

namespace csink {
namespace {

using testing::FakeKernel;
using testing::RecordingSink;

ThreadRegistry g_registry;

class TimerSourceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    slot_ = g_registry.Claim();
    source_.Configure(1'000'003);
  }
  void TearDown() override {
    source_.Disarm(*slot_);
    g_registry.Release(*slot_);
  }

  siginfo_t TickOf(std::size_t timer, int overrun = 0) {
    siginfo_t info = {};
    info.si_signo = SIGURG;
    info.si_code = SI_TIMER;
    info.si_timerid = static_cast<int>(timer);
    info.si_overrun = overrun;
    info.si_value.sival_ptr = kernel_.timers().at(timer).value;
    return info;
  }
  static ucontext_t At(std::uint64_t pc) {
    ucontext_t context = {};
#if defined(__x86_64__)
    context.uc_mcontext.gregs[REG_RIP] = static_cast<greg_t>(pc);
#else
    context.uc_mcontext.pc = pc;
#endif
    return context;
  }

  FakeKernel kernel_;
  TimerSource source_{kernel_, g_registry, SIGURG};
  ThreadSlot* slot_ = nullptr;
  RecordingSink sink_;
};

using TimerSourceArm = TimerSourceTest;
using TimerSourceTick = TimerSourceTest;

TEST_F(TimerSourceArm, StartsATimerOfTheThreadsOwnWithThePeriodAskedFor) {
  ASSERT_TRUE(source_.Arm(*slot_, 77));
  ASSERT_EQ(kernel_.timers().size(), 1u);
  const FakeKernel::Timer& timer = kernel_.timers()[0];
  EXPECT_EQ(timer.tid, 77);
  EXPECT_EQ(timer.signal, SIGURG);
  EXPECT_EQ(timer.first_ns, 1'000'003u);
  EXPECT_EQ(timer.interval_ns, 1'000'003u);
  EXPECT_TRUE(slot_->armed());
  source_.Disarm(*slot_);
  EXPECT_TRUE(kernel_.timers()[0].deleted);
  EXPECT_FALSE(slot_->armed());
}

TEST_F(TimerSourceArm, SaysSoWhenThereIsNoTimer) {
  kernel_.RefuseTimers(EAGAIN);
  const Result<void> armed = source_.Arm(*slot_, 77);
  ASSERT_FALSE(armed);
  EXPECT_EQ(armed.error().code, Errc::kLimit);
  EXPECT_EQ(armed.error().sys_errno, EAGAIN);
  EXPECT_FALSE(slot_->armed());
}

TEST_F(TimerSourceTick, WeighsEachHitByOnePlusTheTicksMissed) {
  ASSERT_TRUE(source_.Arm(*slot_, 77));
  const ucontext_t here = At(0x1000);
  const ucontext_t there = At(0x2000);
  EXPECT_TRUE(source_.Tick(TickOf(0), &here));
  EXPECT_TRUE(source_.Tick(TickOf(0, 3), &there));
  source_.Drain(*slot_, sink_);
  EXPECT_EQ(sink_.samples, (std::vector<RecordingSink::Sample>{{0, 0x1000, 1'000'003},
                                                               {0, 0x2000, 4 * 1'000'003}}));
}

TEST_F(TimerSourceTick, ReportsHitsThatFoundNoRoom) {
  ASSERT_TRUE(source_.Arm(*slot_, 77));
  const ucontext_t here = At(0x1000);
  for (std::size_t i = 0; i < SoftRing::kSamples + 5; ++i) source_.Tick(TickOf(0), &here);
  source_.Drain(*slot_, sink_);
  EXPECT_EQ(sink_.samples.size(), SoftRing::kSamples);
  EXPECT_EQ(sink_.lost, 5u);
  source_.Drain(*slot_, sink_);
  EXPECT_EQ(sink_.lost, 5u) << "told once";
}

TEST_F(TimerSourceTick, RejectsSignalsThatNoTimerSent) {
  ASSERT_TRUE(source_.Arm(*slot_, 77));
  const ucontext_t here = At(0x1000);
  siginfo_t info = TickOf(0);
  for (const int code : {SI_USER, SI_TKILL, SI_QUEUE, SI_KERNEL}) {
    info.si_code = code;
    EXPECT_FALSE(source_.Tick(info, &here)) << code;
  }
  source_.Drain(*slot_, sink_);
  EXPECT_TRUE(sink_.samples.empty());
}

TEST_F(TimerSourceTick, RejectsTheProgramsOwnTimersWhateverTheirValue) {
  ASSERT_TRUE(source_.Arm(*slot_, 77));
  const ucontext_t here = At(0x1000);
  const auto slot = reinterpret_cast<std::uintptr_t>(slot_);
  const auto table = reinterpret_cast<std::uintptr_t>(&g_registry);
  for (const std::uintptr_t value :
       {std::uintptr_t{0}, std::uintptr_t{5}, ~std::uintptr_t{0}, slot, slot + 8 + 5, slot | 3,
        (table - sizeof(ThreadSlot)) | 5, (table + sizeof g_registry) | 5}) {
    siginfo_t info = TickOf(0);
    info.si_value.sival_ptr = reinterpret_cast<void*>(value);
    EXPECT_FALSE(source_.Tick(info, &here)) << std::hex << value;
  }
  source_.Drain(*slot_, sink_);
  EXPECT_TRUE(sink_.samples.empty());
}

TEST_F(TimerSourceTick, RejectsALateTickOfATimerThatIsDeleted) {
  ASSERT_TRUE(source_.Arm(*slot_, 77));
  const siginfo_t late = TickOf(0);
  source_.Disarm(*slot_);
  const ucontext_t here = At(0x1000);
  EXPECT_FALSE(source_.Tick(late, &here));
  ASSERT_TRUE(source_.Arm(*slot_, 78));
  EXPECT_FALSE(source_.Tick(late, &here)) << "it belongs to the thread that had the slot before";
  source_.Drain(*slot_, sink_);
  EXPECT_TRUE(sink_.samples.empty());
}

TEST_F(TimerSourceTick, StartsANewThreadWithAnEmptyBuffer) {
  ASSERT_TRUE(source_.Arm(*slot_, 77));
  const ucontext_t here = At(0x1000);
  EXPECT_TRUE(source_.Tick(TickOf(0), &here));
  source_.Disarm(*slot_);
  ASSERT_TRUE(source_.Arm(*slot_, 78));
  source_.Drain(*slot_, sink_);
  EXPECT_TRUE(sink_.samples.empty());
}

TEST_F(TimerSourceTick, SeesTheInterruptedInstructionOfARealSignal) {
  static volatile std::uint64_t pc = 0;
  struct sigaction action = {};
  struct sigaction old = {};
  action.sa_flags = SA_SIGINFO;
  action.sa_sigaction = [](int, siginfo_t*, void* context) { pc = ContextPc(context); };
  sigaction(SIGURG, &action, &old);
  raise(SIGURG);
  sigaction(SIGURG, &old, nullptr);
  EXPECT_NE(pc, 0u);
}

}  // namespace
}  // namespace csink
