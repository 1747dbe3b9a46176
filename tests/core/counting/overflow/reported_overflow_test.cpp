#include "core/counting/overflow/reported_overflow.h"

#include <gtest/gtest.h>
#include <ucontext.h>

#include <atomic>
#include <thread>
#include <vector>

#include "core/counting/overflow/set_overflow.h"
#include "core/util/thread_id.h"

namespace csink {
namespace {

/// A set over variables of the test.
class VariableSet final : public CounterSet {
 public:
  long long values[2] = {};
  bool runs = true;

  Result<void> Configure(std::span<const CounterRequest>, const CountingOptions&) override {
    return {};
  }
  std::size_t size() const noexcept override { return 2; }
  Result<void> Start() override { return {}; }
  Result<void> Stop() override { return {}; }
  Result<void> Read(long long* out) noexcept override {
    ++reads;
    out[0] = values[0], out[1] = values[1];
    return {};
  }
  Result<void> Reset() noexcept override { return {}; }
  Result<void> ReadAndReset(long long*) noexcept override { return {}; }
  Result<void> Write(const long long*) noexcept override { return {}; }
  bool running() const noexcept override { return runs; }
  int fd(std::size_t) const noexcept override { return -1; }
  pid_t counted_tid() const noexcept override { return AskTid(); }
  void Times(std::size_t, std::uint64_t*, std::uint64_t*) const noexcept override {}
  void ForgetAfterFork() noexcept override {}
  int reads = 0;
};

struct ReportedOverflow : testing::Test {
  VariableSet set;
  SetOverflow overflow;
  std::vector<OverflowHit> hits;
  std::atomic<int> calls{0};
  CounterRequest requests[2];
  void (*extra)(ReportedOverflow&) = nullptr;

  static long long Look(const void* variable, const long long*) noexcept {
    return *static_cast<const long long*>(variable);
  }
  static void OnHit(void* self, const OverflowHit& hit) noexcept {
    auto& test = *static_cast<ReportedOverflow*>(self);
    test.hits.push_back(hit);
    ++test.calls;
    if (test.extra) test.extra(test);
  }
  OverflowArming Arming(std::size_t counter, OverflowReporter reporter) {
    OverflowArming arming;
    arming.counter = counter;
    arming.vector = std::uint64_t{1} << counter;
    arming.threshold = 10;
    arming.reporter = reporter;
    arming.reported_number = static_cast<std::uint32_t>(40 + counter);
    arming.value = Look;
    arming.formula = &set.values[counter];
    return arming;
  }
  void Arm(std::vector<OverflowArming> armings) {
    ASSERT_TRUE(overflow.Prepare(requests, armings, OverflowMode::kReported, OnHit, this));
    ASSERT_TRUE(overflow.Arm(set));
  }
  /// The library counts to `latest`; the set began at 1000.
  static void Count(std::uint32_t number, long long latest) {
    ucontext_t context = {};
    ReportOverflow({number, latest, latest - 1000}, &context);
  }
};

TEST_F(ReportedOverflow, CallsAtEachMultipleFromTheStart) {
  Arm({Arming(0, OverflowReporter::kLibrary)});
  EXPECT_STREQ(overflow.source(), "reported");
  EXPECT_EQ(requests[0].sampling.delivery, SamplingRequest::Delivery::kNone);
  for (long long latest = 1001; latest <= 1035; ++latest) {
    Count(40, latest);
    EXPECT_EQ(hits.size(), static_cast<std::size_t>((latest - 1000) / 10)) << latest;
  }
  Count(40, 1100);
  ASSERT_EQ(hits.size(), 4u);
  EXPECT_EQ(hits[3].missed, 6u);
  EXPECT_EQ(hits[3].vector, 1u);
  Count(40, 1050);
  Count(40, 1109);
  EXPECT_EQ(hits.size(), 4u) << "what was told is not told again when it is counted down";
  Count(40, 1110);
  EXPECT_EQ(hits.size(), 5u);
  EXPECT_EQ(overflow.totals().calls, 5u);
  EXPECT_EQ(overflow.totals().missed, 6u);
  EXPECT_EQ(set.reads, 0) << "a read may be dear, or allocate";
}

TEST_F(ReportedOverflow, IsExpectedWhileArmed) {
  EXPECT_FALSE(HasReportedOverflows());
  Arm({Arming(0, OverflowReporter::kLibrary)});
  EXPECT_TRUE(HasReportedOverflows());
  EXPECT_FALSE(IsReportedOverflowDue({40, 1009, 9}));
  EXPECT_TRUE(IsReportedOverflowDue({40, 1010, 10}));
  EXPECT_FALSE(IsReportedOverflowDue({41, 1010, 10})) << "another counter";
  overflow.Disarm();
  EXPECT_FALSE(HasReportedOverflows());
  Count(40, 1100);
  EXPECT_TRUE(hits.empty());
  ASSERT_TRUE(overflow.Arm(set));
  overflow.ForgetAfterFork();
  EXPECT_FALSE(HasReportedOverflows());
}

TEST_F(ReportedOverflow, GoesOnOverAResetAndFromWhatIsWritten) {
  Arm({Arming(0, OverflowReporter::kLibrary)});
  Count(40, 1007);
  overflow.CountsSet(nullptr);
  Count(40, 1010);
  EXPECT_EQ(hits.size(), 1u);
  const long long written[2] = {500, 0};
  overflow.CountsSet(written);
  Count(40, 509);
  EXPECT_EQ(hits.size(), 1u);
  Count(40, 510);
  EXPECT_EQ(hits.size(), 2u);
}

TEST_F(ReportedOverflow, IsHeardByTheThreadThatArmed) {
  Arm({Arming(0, OverflowReporter::kLibrary)});
  std::thread([&] { Count(40, 1100); }).join();
  EXPECT_TRUE(hits.empty());
  Count(40, 1101);
  ASSERT_EQ(hits.size(), 1u);
  EXPECT_EQ(hits[0].missed, 9u);
}

TEST_F(ReportedOverflow, TheHandlerMayCountAndDisarm) {
  extra = [](ReportedOverflow& test) {
    if (test.hits.size() == 1) Count(41, 1010);
    if (test.hits.size() == 2) test.overflow.Disarm();
  };
  Arm({Arming(0, OverflowReporter::kLibrary), Arming(1, OverflowReporter::kLibrary)});
  Count(40, 1010);
  ASSERT_EQ(hits.size(), 2u);
  EXPECT_EQ(hits[1].vector, 2u);
  Count(40, 1100);
  EXPECT_EQ(hits.size(), 2u);
}

TEST_F(ReportedOverflow, LooksAtWhatNobodyTellsOf) {
  Arm({Arming(0, OverflowReporter::kLibrary), Arming(1, OverflowReporter::kPolled)});
  set.values[0] = 100;
  set.values[1] = 25;
  ucontext_t context = {};
  PollOverflows(&context);
  ASSERT_EQ(hits.size(), 1u) << "the other one is told of";
  EXPECT_EQ(hits[0].vector, 2u);
  EXPECT_EQ(hits[0].missed, 1u);
  set.values[1] = 35;
  hits.reserve(16);  // the tick is a signal
  volatile long long spin = 0;
  for (long long i = 0; calls < 2 && i < 5'000'000'000; ++i) spin = spin + 1;
  EXPECT_EQ(calls, 2) << "the thread's own tick";
  set.runs = false;
  set.values[1] = 95;
  PollOverflows(&context);
  EXPECT_EQ(calls, 2) << "not before it runs";
}

TEST_F(ReportedOverflow, WhatIsStillToComeMayBecomeEither) {
  Arm({Arming(0, OverflowReporter::kUndecided), Arming(1, OverflowReporter::kUndecided)});
  Count(40, 1010);
  EXPECT_EQ(hits.size(), 1u);
  set.values[1] = 10;
  ucontext_t context = {};
  PollOverflows(&context);
  ASSERT_EQ(hits.size(), 2u);
  EXPECT_EQ(hits[1].vector, 2u);
}

TEST_F(ReportedOverflow, IsNoSourceForCountersThatInterrupt) {
  std::vector<OverflowArming> armings = {Arming(0, OverflowReporter::kLibrary)};
  EXPECT_FALSE(overflow.Prepare(requests, armings, OverflowMode::kReported, OnHit, this,
                                OverflowSourceKind::kSigtrap));
  armings[0].value = nullptr;
  EXPECT_FALSE(overflow.Prepare(requests, armings, OverflowMode::kHardware, OnHit, this,
                                OverflowSourceKind::kReported));
  armings.push_back(armings[0]);
  EXPECT_FALSE(overflow.Prepare(requests, armings, OverflowMode::kReported, OnHit, this));
}

}  // namespace
}  // namespace csink
