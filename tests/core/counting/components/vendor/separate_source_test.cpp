#include "core/counting/components/vendor/separate_source.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <stdexcept>
#include <thread>

#include "core/counting/components/vendor/vendor_message.h"
#include "tests/fakes/captured_stderr.h"

namespace csink {
namespace {

enum class Act { kAnswer, kFail, kThrow, kBlock, kSlow, kExit, kAbort, kCrash, kLose };

// Place 1 answers the number of the process.
class ActingReader final : public VendorReader {
 public:
  ActingReader(Act look, Act open, Act read) : look_(look), open_(open), read_(read) {}

  Result<void> Look(std::string& reason) override { return Do(look_, nullptr, reason); }
  Result<void> Open(VendorSteps& steps, std::string& reason) override {
    DeviceEvent energy;
    energy.name = "card:energy";
    energy.units = "nJ";
    energy.accumulates = true;
    energy.aliases = {"card_0:energy", "energy"};
    energy.longest_gap_ns = 12'345;
    DeviceEvent power;
    power.name = "card:power";
    power.value_type = ComponentEvent::Type::kFloating;
    power.rate = {0.5, {0}, {0, 1}};
    events_ = {energy, power};
    return Do(open_, &steps, reason);
  }
  const std::vector<DeviceEvent>& events() const noexcept override { return events_; }
  Result<void> Read(VendorSteps& steps, std::span<const std::uint32_t> places, std::uint64_t* bits,
                    Error* errors) override {
    std::string reason;
    // The first read succeeds, so that a source fails in the middle of its use.
    const Act act = reads_++ == 0 ? Act::kAnswer : read_;
    for (std::size_t i = 0; i < places.size(); ++i) {
      bits[i] = places[i] == 1 ? static_cast<std::uint64_t>(getpid()) : 100;
      errors[i] = {};
      if (act == Act::kLose && places[i] == 0) errors[i] = {Errc::kSystem, ENODEV, "a lost card"};
    }
    return Do(act, &steps, reason);
  }
  Result<void> Reconnect(VendorSteps&) override { return {}; }
  std::string version() const override { return "1.2.3"; }

 private:
  static Result<void> Do(Act act, VendorSteps* steps, std::string& reason) {
    switch (act) {
      case Act::kAnswer:
      case Act::kLose:
        break;
      case Act::kFail:
        reason = "there is none";
        return Error{Errc::kNotFound, ENOENT, "no device"};
      case Act::kThrow:
        throw std::runtime_error("the vendor's");
      case Act::kBlock:
        for (;;) pause();
      case Act::kSlow:
        for (int i = 0; i < 20; ++i) {
          usleep(20'000);
          if (steps) steps->Step();
        }
        break;
      case Act::kExit:
        exit(3);
      case Act::kAbort:
        abort();
      case Act::kCrash:
        kill(getpid(), SIGKILL);
        pause();
    }
    return {};
  }

  const Act look_, open_, read_;
  int reads_ = 0;
  std::vector<DeviceEvent> events_;
};

constexpr VendorPatience kShort{300'000'000, 300'000'000, "the fake does not answer"};

std::unique_ptr<DeviceSource> Make(Act look, Act open = Act::kAnswer, Act read = Act::kAnswer) {
  return MakeSeparateSource(std::make_unique<ActingReader>(look, open, read), kShort);
}

Error Read(DeviceSource& source, std::uint64_t* bits, Error* errors) {
  const std::uint32_t places[] = {1, 0};
  return source.Read(places, bits, errors).error();
}
Error Read(DeviceSource& source, std::uint64_t* bits) {
  Error errors[2];
  return Read(source, bits, errors);
}

// No process of a test may remain, not even as a zombie.
struct SeparateSource : ::testing::Test {
  void TearDown() override {
    EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
    EXPECT_EQ(errno, ECHILD);
  }
  std::string reason;
  std::uint64_t bits[2] = {};
};

TEST_F(SeparateSource, ReadsInAnotherProcess) {
  const auto source = Make(Act::kAnswer);
  ASSERT_TRUE(source->Open(reason)) << reason;
  EXPECT_EQ(source->support_version(), "1.2.3");
  ASSERT_EQ(source->events().size(), 2u);
  const DeviceEvent& energy = source->events()[0];
  EXPECT_EQ(energy.name, "card:energy");
  EXPECT_EQ(energy.units, "nJ");
  EXPECT_TRUE(energy.accumulates);
  EXPECT_EQ(energy.aliases, (std::vector<std::string>{"card_0:energy", "energy"}));
  EXPECT_EQ(energy.longest_gap_ns, 12'345u);
  const DeviceEvent& power = source->events()[1];
  EXPECT_EQ(power.value_type, ComponentEvent::Type::kFloating);
  EXPECT_EQ(power.rate.factor, 0.5);
  EXPECT_EQ(power.rate.under, (std::vector<std::uint32_t>{0, 1}));
  ASSERT_EQ(Read(*source, bits).code, Errc::kOk);
  EXPECT_NE(bits[0], static_cast<std::uint64_t>(getpid()));
  EXPECT_EQ(bits[1], 100u);
}

TEST_F(SeparateSource, OutlivesTheThreadThatOpenedIt) {
  const auto source = Make(Act::kAnswer);
  std::thread([&] { ASSERT_TRUE(source->Open(reason)) << reason; }).join();
  EXPECT_EQ(Read(*source, bits).code, Errc::kOk);
  EXPECT_EQ(Read(*source, bits).code, Errc::kOk);
}

TEST_F(SeparateSource, PassesErrorsOn) {
  const auto absent = Make(Act::kFail);
  EXPECT_EQ(absent->Open(reason).error().code, Errc::kNotFound);
  EXPECT_EQ(reason, "there is none");
  EXPECT_TRUE(absent->events().empty());
  const auto source = Make(Act::kAnswer, Act::kAnswer, Act::kFail);
  ASSERT_TRUE(source->Open(reason));
  ASSERT_EQ(Read(*source, bits).code, Errc::kOk);
  const Error error = Read(*source, bits);
  EXPECT_EQ(error.code, Errc::kNotFound);
  EXPECT_EQ(error.sys_errno, ENOENT);
  EXPECT_STREQ(error.what, "no device");
  const auto throws = Make(Act::kAnswer, Act::kThrow);
  EXPECT_STREQ(throws->Open(reason).error().what, "a device's library threw an exception");
}

TEST_F(SeparateSource, PassesTheErrorOfOneCardOn) {
  const auto source = Make(Act::kAnswer, Act::kAnswer, Act::kLose);
  ASSERT_TRUE(source->Open(reason));
  Error errors[2];
  ASSERT_EQ(Read(*source, bits, errors).code, Errc::kOk);
  EXPECT_EQ(errors[1].code, Errc::kOk);
  bits[0] = 0;
  ASSERT_EQ(Read(*source, bits, errors).code, Errc::kOk);
  EXPECT_NE(bits[0], 0u);
  EXPECT_EQ(errors[0].code, Errc::kOk);
  EXPECT_EQ(errors[1].code, Errc::kSystem);
  EXPECT_EQ(errors[1].sys_errno, ENODEV);
  EXPECT_STREQ(errors[1].what, "a lost card");
}

TEST_F(SeparateSource, SaysHowALibraryEndedItsProcess) {
  const struct {
    Act act;
    const char* says;
  } kEnds[] = {
      {Act::kExit, "exit status "}, {Act::kAbort, "signal 6 "}, {Act::kCrash, "signal 9 "}};
  for (const auto& [act, says] : kEnds) {
    const auto source = Make(Act::kAnswer, Act::kAnswer, act);
    ASSERT_TRUE(source->Open(reason));
    ASSERT_EQ(Read(*source, bits).code, Errc::kOk);
    const testing::CapturedStderr captured;
    const Error error = Read(*source, bits);
    EXPECT_EQ(error.code, Errc::kSystem);
    EXPECT_EQ(error.sys_errno, EIO);
    EXPECT_NE(std::string(error.what).find(says), std::string::npos) << error.what;
    EXPECT_STREQ(Read(*source, bits).what, error.what) << "the source is lost";
  }
}

TEST_F(SeparateSource, ALibraryThatEndsItsProcessAtOnceIsOff) {
  for (const Act act : {Act::kExit, Act::kAbort}) {
    const testing::CapturedStderr captured;
    const auto at_load = Make(act);
    EXPECT_EQ(at_load->Open(reason).error().code, Errc::kSystem);
    EXPECT_NE(reason.find("ended the process"), std::string::npos) << reason;
    const auto at_start = Make(Act::kAnswer, act);
    EXPECT_EQ(at_start->Open(reason).error().code, Errc::kSystem);
    EXPECT_TRUE(at_start->events().empty());
  }
}

TEST_F(SeparateSource, GivesUpAStepThatTakesTooLong) {
  const auto source = Make(Act::kAnswer, Act::kAnswer, Act::kBlock);
  ASSERT_TRUE(source->Open(reason));
  ASSERT_EQ(Read(*source, bits).code, Errc::kOk);
  const testing::CapturedStderr captured;
  const Error error = Read(*source, bits);
  EXPECT_EQ(error.sys_errno, ETIMEDOUT);
  EXPECT_STREQ(error.what, "the fake does not answer");
}

TEST_F(SeparateSource, AReaderThatMakesStepsHasTime) {
  const auto source = Make(Act::kAnswer, Act::kAnswer, Act::kSlow);
  ASSERT_TRUE(source->Open(reason));
  ASSERT_EQ(Read(*source, bits).code, Errc::kOk);
  EXPECT_EQ(Read(*source, bits).code, Errc::kOk);
}

TEST_F(SeparateSource, AForkedProcessHasAProcessOfItsOwn) {
  const auto source = Make(Act::kAnswer);
  ASSERT_TRUE(source->Open(reason));
  ASSERT_EQ(Read(*source, bits).code, Errc::kOk);
  const std::uint64_t first = bits[0];
  const pid_t child = fork();
  if (child == 0) {
    source->ForgetAfterFork();
    const bool good = Read(*source, bits).code == Errc::kOk && bits[0] != first;
    _exit(good ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  ASSERT_EQ(Read(*source, bits).code, Errc::kOk);
  EXPECT_EQ(bits[0], first);
}

TEST(VendorMessage, AShortMessageIsIncomplete) {
  MessageWriter writer;
  writer.AddText("card");
  MessageReader reader(std::string_view(writer.bytes()).substr(0, 6));
  EXPECT_EQ(reader.TakeText(), "");
  EXPECT_FALSE(reader.complete());
  EXPECT_EQ(reader.Take<int>(), 0);
}

}  // namespace
}  // namespace csink
