#include "compat/apapi/interval/interval_sampler.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace csink {
namespace {

constexpr std::uint64_t kMs = 1'000'000;
constexpr std::uint64_t kHourNs = 3'600'000 * kMs;

/// A device whose reads can be held, and that remembers what was taken.
class Device final : public Sampled {
 public:
  bool Read() noexcept override {
    ++reads;
    std::unique_lock lock(mutex_);
    open_.wait(lock, [this] { return !held_; });
    sigset_t blocked;
    pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
    signals_blocked = sigismember(&blocked, SIGUSR1) == 1 && sigismember(&blocked, SIGINT) == 1 &&
                      sigismember(&blocked, SIGRTMIN + 3) == 1;
    return good;
  }
  void Take(bool was_good, bool last) noexcept override {
    if (on_take) on_take();
    good_taken += was_good ? 1 : 0;
    lasts += last ? 1 : 0;
    ++taken;
  }
  void Hold(bool held) {
    const std::lock_guard lock(mutex_);
    held_ = held;
    open_.notify_all();
  }

  std::atomic<int> reads{0}, taken{0}, lasts{0}, good_taken{0};
  std::atomic<bool> good{true}, signals_blocked{false};
  void (*on_take)() = nullptr;

 private:
  std::mutex mutex_;
  std::condition_variable open_;
  bool held_ = false;
};

void WaitFor(const std::atomic<int>& number, int at_least) {
  while (number < at_least) usleep(200);
}

TEST(IntervalSampler, MeasuresAtOnceAndAtTheEndWhateverTheInterval) {
  const auto device = std::make_shared<Device>();
  IntervalSampler sampler(device, kHourNs, "test");
  ASSERT_TRUE(sampler.Start());
  WaitFor(device->taken, 1);
  sampler.Finish();
  const auto end = sampler.Wait();
  ASSERT_TRUE(end);
  EXPECT_EQ(*end, IntervalSampler::End::kEnded);
  EXPECT_EQ(device->taken, 2);
  EXPECT_EQ(device->lasts, 1);
  EXPECT_TRUE(device->signals_blocked);
}

TEST(IntervalSampler, StoppedBeforeItCouldBeginItStillMeasuresTwice) {
  const auto device = std::make_shared<Device>();
  IntervalSampler sampler(device, kHourNs, "test");
  ASSERT_TRUE(sampler.Start());
  sampler.Finish();
  ASSERT_TRUE(sampler.Wait());
  EXPECT_EQ(device->taken, 2);
  EXPECT_EQ(device->lasts, 1);
}

TEST(IntervalSampler, AnInterruptedOneTakesNoFinalMeasurement) {
  const auto device = std::make_shared<Device>();
  {
    IntervalSampler sampler(device, kHourNs, "test");
    ASSERT_TRUE(sampler.Start());
    WaitFor(device->taken, 1);
  }  // the destructor interrupts: the hour is not waited for
  EXPECT_EQ(device->taken, 1);
  EXPECT_EQ(device->lasts, 0);
}

TEST(IntervalSampler, NeverStartedEndsAtOnce) {
  IntervalSampler sampler(std::make_shared<Device>(), kHourNs, "test");
  sampler.Finish();
  ASSERT_TRUE(sampler.Wait());
}

TEST(IntervalSampler, MissedWakeUpsAreCountedAndNotMadeUp) {
  const auto device = std::make_shared<Device>();
  IntervalSampler sampler(device, kMs, "test");
  ASSERT_TRUE(sampler.Start());
  WaitFor(device->taken, 3);
  device->Hold(true);
  const int before = device->reads;
  WaitFor(device->reads, before + 1);
  usleep(100'000);  // a hundred intervals
  const int held = device->taken;
  const std::uint64_t missed = sampler.missed();
  device->Hold(false);
  WaitFor(device->taken, held + 3);
  EXPECT_GE(sampler.missed() - missed, 98u);
  // In a burst the hundred would have come first: each measurement stands for one interval or more.
  timespec begin = {}, now = {};
  clock_gettime(CLOCK_MONOTONIC, &begin);
  const int from = device->taken;
  usleep(20'000);
  const int taken = device->taken - from;
  clock_gettime(CLOCK_MONOTONIC, &now);
  const auto passed = static_cast<double>((now.tv_sec - begin.tv_sec) * 1000) +
                      static_cast<double>(now.tv_nsec - begin.tv_nsec) / 1e6;
  EXPECT_LE(taken, passed + 2);
  sampler.Finish();
  ASSERT_TRUE(sampler.Wait());
}

std::uint64_t NowNs() {
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1000 * kMs +
         static_cast<std::uint64_t>(now.tv_nsec);
}

std::atomic<std::uint64_t> s_first_ns, s_last_ns;

TEST(IntervalSampler, KeepsToTheMultiplesOfItsInterval) {
  constexpr std::uint64_t kInterval = 2 * kMs;
  const auto device = std::make_shared<Device>();
  s_first_ns = 0;
  device->on_take = [] {
    s_last_ns = NowNs();
    if (s_first_ns == 0) s_first_ns = s_last_ns.load();
  };
  const std::uint64_t begin = NowNs();
  std::uint64_t counted = 0;
  {
    IntervalSampler sampler(device, kInterval, "test");
    ASSERT_TRUE(sampler.Start());
    usleep(300'000);
    sampler.Interrupt();  // no final measurement between the multiples
    ASSERT_TRUE(sampler.Wait());
    counted = static_cast<std::uint64_t>(device->taken.load()) + sampler.missed();
  }
  // Each interval is a measurement or is counted as missed; no drift adds up.
  EXPECT_GE(counted, (s_last_ns - s_first_ns) / kInterval);
  EXPECT_LE(counted, (NowNs() - begin) / kInterval + 1);
}

TEST(IntervalSampler, FailedReadsAreCountedAndSaid) {
  const auto device = std::make_shared<Device>();
  device->good = false;
  IntervalSampler sampler(device, kHourNs, "test");
  ASSERT_TRUE(sampler.Start());
  sampler.Finish();
  ASSERT_TRUE(sampler.Wait());
  EXPECT_EQ(sampler.failed(), 2u);
  EXPECT_EQ(device->good_taken, 0);
}

TEST(IntervalSampler, AHangingReadIsAbandonedAndTouchesNothingLater) {
  const auto device = std::make_shared<Device>();
  const auto other = std::make_shared<Device>();
  IntervalSampler beside(other, kMs, "beside");
  ASSERT_TRUE(beside.Start());
  {
    IntervalSampler sampler(device, 30 * kMs, "hangs");
    ASSERT_TRUE(sampler.Start());
    WaitFor(device->taken, 1);
    device->Hold(true);
    WaitFor(device->reads, 2);
    const int before = other->taken;
    WaitFor(other->taken, before + 5);  // the other one goes on
    sampler.Finish();
    const auto end = sampler.Wait();
    ASSERT_TRUE(end);
    EXPECT_EQ(*end, IntervalSampler::End::kAbandoned);
  }
  const int taken = device->taken;
  device->Hold(false);  // the read returns after all: its thread ends and takes nothing
  while (device.use_count() > 1) usleep(200);
  EXPECT_EQ(device->taken, taken);
  beside.Finish();
  ASSERT_TRUE(beside.Wait());
}

TEST(IntervalSampler, AReadThatHangsFromTheStartIsAbandonedToo) {
  const auto device = std::make_shared<Device>();
  device->Hold(true);
  auto sampler = std::make_unique<IntervalSampler>(device, 10 * kMs, "hangs");
  ASSERT_TRUE(sampler->Start());
  WaitFor(device->reads, 1);
  sampler.reset();
  EXPECT_EQ(device->taken, 0);
  device->Hold(false);
  while (device.use_count() > 1) usleep(200);
}

IntervalSampler* s_own = nullptr;
std::atomic<int> s_refused{0};

TEST(IntervalSampler, DoesNotWaitForItself) {
  const auto device = std::make_shared<Device>();
  IntervalSampler sampler(device, kHourNs, "test");
  s_own = &sampler;
  device->on_take = [] {
    if (!s_own->Wait()) ++s_refused;
    s_own->Finish();
  };
  ASSERT_TRUE(sampler.Start());
  ASSERT_TRUE(sampler.Wait());
  EXPECT_EQ(s_refused, 2);
}

TEST(IntervalSampler, AForkedChildHasNothingToWaitFor) {
  const auto device = std::make_shared<Device>();
  auto sampler = std::make_unique<IntervalSampler>(device, kHourNs, "test");
  ASSERT_TRUE(sampler->Start());
  WaitFor(device->taken, 1);
  const pid_t child = fork();
  if (child == 0) {
    alarm(10);
    sampler.reset();
    _exit(0);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  sampler->Finish();
  ASSERT_TRUE(sampler->Wait());
}

TEST(IntervalSampler, ManyThreadsMayAskForTheEnd) {
  for (int round = 0; round < 50; ++round) {
    IntervalSampler sampler(std::make_shared<Device>(), kMs / 20, "test");
    ASSERT_TRUE(sampler.Start());
    std::vector<std::thread> askers;
    for (int i = 0; i < 3; ++i) askers.emplace_back([&] { sampler.Finish(); });
    ASSERT_TRUE(sampler.Wait());
    for (std::thread& asker : askers) asker.join();
  }
}

}  // namespace
}  // namespace csink
