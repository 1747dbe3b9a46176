#include "core/counting/components/vendor/bounded_source.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "tests/fakes/captured_stderr.h"

namespace csink {
namespace {

// A device that answers, stands still, or takes its time in steps.
struct Script {
  std::mutex lock;
  std::condition_variable moved;
  bool absent = false, stuck_open = false, stuck_read = false;
  bool lost = false;   // the card of place 0
  int slow_steps = 0;  // of 20 ms each
  int opens = 0, reads = 0, reconnects = 0;
  bool alive = true;
  pid_t read_by = 0;
  sigset_t blocked = {};

  void Release() {
    const std::scoped_lock held(lock);
    stuck_open = stuck_read = false;
    moved.notify_all();
  }
  void WaitWhile(const bool& stuck) {
    std::unique_lock held(lock);
    moved.wait(held, [&] { return !stuck; });
  }
};

class ScriptedReader final : public VendorReader {
 public:
  explicit ScriptedReader(std::shared_ptr<Script> script) : script_(std::move(script)) {
    DeviceEvent event;
    event.name = "A";
    events_ = {event, event};
  }
  ~ScriptedReader() override { script_->alive = false; }

  Result<void> Look(std::string& reason) override {
    if (!script_->absent) return {};
    reason = "there is none";
    return Error{Errc::kNotFound, 0, "none"};
  }
  Result<void> Open(VendorSteps& steps, std::string&) override {
    ++script_->opens;
    script_->WaitWhile(script_->stuck_open);
    TakeSteps(steps);
    return {};
  }
  const std::vector<DeviceEvent>& events() const noexcept override { return events_; }
  Result<void> Read(VendorSteps& steps, std::span<const std::uint32_t> places, std::uint64_t* bits,
                    Error* errors) override {
    ++script_->reads;
    script_->read_by = gettid();
    pthread_sigmask(SIG_BLOCK, nullptr, &script_->blocked);
    script_->WaitWhile(script_->stuck_read);
    TakeSteps(steps);
    for (std::size_t i = 0; i < places.size(); ++i) {
      bits[i] = 100 + places[i];
      errors[i] = {};
      if (script_->lost && places[i] == 0) errors[i] = {Errc::kSystem, ENODEV, "a card is lost"};
    }
    return {};
  }
  Result<void> Reconnect(VendorSteps&) override {
    ++script_->reconnects;
    return {};
  }

 private:
  void TakeSteps(VendorSteps& steps) {
    for (int i = 0; i < script_->slow_steps; ++i) {
      usleep(20'000);
      steps.Step();
    }
  }

  const std::shared_ptr<Script> script_;
  std::vector<DeviceEvent> events_;
};

constexpr VendorPatience kShort{100'000'000, 100'000'000, "the fake does not answer"};

struct BoundedSource : ::testing::Test {
  std::shared_ptr<Script> script = std::make_shared<Script>();
  std::unique_ptr<DeviceSource> source =
      MakeBoundedSource(std::make_unique<ScriptedReader>(script), kShort);
  std::string reason;
  Error errors[2];

  Error Read(std::uint64_t* bits) {
    const std::uint32_t places[] = {1, 0};
    return source->Read(places, bits, errors).error();
  }
};

TEST_F(BoundedSource, ReadsOnAThreadOfItsOwnThatTakesNoSignals) {
  ASSERT_TRUE(source->Open(reason));
  ASSERT_EQ(source->events().size(), 2u);
  std::uint64_t bits[2] = {};
  ASSERT_EQ(Read(bits).code, Errc::kOk);
  EXPECT_EQ(bits[0], 101u);
  EXPECT_EQ(bits[1], 100u);
  EXPECT_NE(script->read_by, gettid());
  EXPECT_TRUE(sigismember(&script->blocked, SIGINT));
  EXPECT_TRUE(sigismember(&script->blocked, SIGPROF));
}

TEST_F(BoundedSource, OneCardThatFailsLeavesTheValuesOfTheOthers) {
  ASSERT_TRUE(source->Open(reason));
  std::uint64_t bits[2];
  script->lost = true;
  ASSERT_EQ(Read(bits).code, Errc::kOk);
  EXPECT_EQ(bits[0], 101u);
  EXPECT_EQ(errors[0].code, Errc::kOk);
  EXPECT_EQ(errors[1].sys_errno, ENODEV);
  script->lost = false;
  ASSERT_EQ(Read(bits).code, Errc::kOk);
  EXPECT_EQ(errors[1].code, Errc::kOk);
}

TEST_F(BoundedSource, MakesNoThreadWhereThereIsNothing) {
  script->absent = true;
  EXPECT_FALSE(source->Open(reason));
  EXPECT_EQ(reason, "there is none");
  EXPECT_EQ(script->opens, 0);
  EXPECT_TRUE(source->events().empty());
}

TEST_F(BoundedSource, GivesUpAReadThatNeverReturnsAndFailsAtOnceFromThenOn) {
  ASSERT_TRUE(source->Open(reason));
  script->stuck_read = true;
  testing::CapturedStderr said;
  std::uint64_t bits[2] = {};
  Error error = Read(bits);
  EXPECT_EQ(error.code, Errc::kSystem);
  EXPECT_EQ(error.sys_errno, ETIMEDOUT);
  EXPECT_NE(said.text().find("the fake does not answer"), std::string::npos);
  for (int i = 0; i < 1000; ++i) error = Read(bits);  // would be 100 s
  EXPECT_EQ(error.sys_errno, ETIMEDOUT);
  EXPECT_EQ(script->reads, 1);
  script->Release();
}

TEST_F(BoundedSource, LetsTheAbandonedThreadFinishWithTheReaderAlive) {
  ASSERT_TRUE(source->Open(reason));
  script->stuck_read = true;
  testing::CapturedStderr said;
  std::uint64_t bits[2] = {7, 7};
  EXPECT_FALSE(Read(bits).code == Errc::kOk);
  source = nullptr;
  EXPECT_TRUE(script->alive);  // the thread is still inside
  script->Release();
  for (int i = 0; i < 1000 && script.use_count() > 1; ++i) usleep(5'000);
  EXPECT_EQ(script.use_count(), 1);
  EXPECT_EQ(bits[0], 7u);  // what came too late goes nowhere
}

TEST_F(BoundedSource, GivesUpAnOpenThatNeverReturns) {
  script->stuck_open = true;
  testing::CapturedStderr said;
  const Result<void> opened = source->Open(reason);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().sys_errno, ETIMEDOUT);
  EXPECT_EQ(reason, "the fake does not answer");
  EXPECT_TRUE(source->events().empty());
  script->Release();
}

TEST_F(BoundedSource, WaitsAsLongAsTheReaderTakesSteps) {
  script->slow_steps = 15;  // 300 ms, three times the patience
  ASSERT_TRUE(source->Open(reason)) << reason;
  std::uint64_t bits[2] = {};
  EXPECT_EQ(Read(bits).code, Errc::kOk);
}

TEST_F(BoundedSource, ConnectsAnewInAForkedChild) {
  ASSERT_TRUE(source->Open(reason));
  std::uint64_t bits[2] = {};
  ASSERT_EQ(Read(bits).code, Errc::kOk);
  const pid_t child = fork();
  if (child == 0) {
    source->ForgetAfterFork();
    const bool right = Read(bits).code == Errc::kOk && bits[0] == 101 &&
                       Read(bits).code == Errc::kOk && script->reconnects == 1;
    _exit(right ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(Read(bits).code, Errc::kOk);
  EXPECT_EQ(script->reconnects, 0);
}

}  // namespace
}  // namespace csink
