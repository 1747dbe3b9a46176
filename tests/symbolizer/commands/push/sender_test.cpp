#include "symbolizer/commands/push/sender.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <string>
#include <vector>

namespace csink::push {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Gives prepared answers, the last one again and again. Each takes `takes_ms` of a clock that
/// sleeping moves, too.
class Rehearsal : public Transport {
 public:
  explicit Rehearsal(std::deque<Answer> answers) : answers_(std::move(answers)) {}

  Answer Post(const Request& /*request*/, std::uint64_t timeout_ms) override {
    timeouts.push_back(timeout_ms);
    now_ms += takes_ms;
    Answer answer = answers_.front();
    if (answers_.size() > 1) answers_.pop_front();
    return answer;
  }
  Outcome Send(RetryPolicy policy, double chance = 0.5) {
    return MakeSender(policy, chance).Send(Request{}, Receiver::kOtlp);
  }
  Sender MakeSender(RetryPolicy policy, double chance = 0.5) {
    const Timing timing = {[this] { return now_ms; }, [] { return std::int64_t{0}; },
                           [this](std::uint64_t ms) {
                             waits.push_back(ms);
                             now_ms += ms;
                           },
                           [chance] { return chance; }};
    return Sender(*this, policy, timing);
  }

  std::uint64_t now_ms = 1'000'000;
  std::uint64_t takes_ms = 0;
  std::vector<std::uint64_t> timeouts;
  std::vector<std::uint64_t> waits;

 private:
  std::deque<Answer> answers_;
};

Answer Status(long status, std::string retry_after = "") {
  Answer answer;
  answer.status = status;
  answer.retry_after = std::move(retry_after);
  return answer;
}

TEST(Sender, SendsOnceIfThatIsTaken) {
  Rehearsal rehearsal({Status(200)});
  const Outcome outcome = rehearsal.Send({});
  EXPECT_EQ(outcome.verdict, Verdict::kTaken);
  EXPECT_EQ(outcome.attempts, 1u);
  EXPECT_THAT(rehearsal.timeouts, ElementsAre(10'000));
}

TEST(Sender, TriesAgainUntilItIsTaken) {
  Rehearsal rehearsal({Status(503), Status(429), Status(200)});
  const Outcome outcome = rehearsal.Send({});
  EXPECT_EQ(outcome.verdict, Verdict::kTaken);
  EXPECT_EQ(outcome.text, "");
  EXPECT_EQ(outcome.attempts, 3u);
  // Three quarters of 500 and of 1000 ms.
  EXPECT_THAT(rehearsal.waits, ElementsAre(375, 750));
  EXPECT_THAT(rehearsal.timeouts, ElementsAre(10'000, 9'625, 8'875));
}

TEST(Sender, NeverTriesARefusalAgain) {
  Rehearsal rehearsal({Status(400), Status(200)});
  const Outcome outcome = rehearsal.Send({});
  EXPECT_EQ(outcome.verdict, Verdict::kRefused);
  EXPECT_EQ(outcome.text, "HTTP 400");
  EXPECT_EQ(outcome.attempts, 1u);
  EXPECT_THAT(rehearsal.waits, IsEmpty());
}

TEST(Sender, EndsAfterTheLastAttempt) {
  Rehearsal rehearsal({Status(503)});
  const Outcome outcome = rehearsal.Send({.most_attempts = 4, .total_ms = 1'000'000});
  EXPECT_EQ(outcome.verdict, Verdict::kRefused);
  EXPECT_EQ(outcome.attempts, 4u);
  EXPECT_EQ(outcome.text, "HTTP 503 (4 attempts)");
  EXPECT_EQ(rehearsal.waits.size(), 3u);
}

TEST(Sender, DoublesTheWaitUpToTheLongest) {
  Rehearsal rehearsal({Status(503)});
  (void)rehearsal.Send(
      {.most_attempts = 6, .first_wait_ms = 1000, .most_wait_ms = 5000, .total_ms = 1'000'000}, 0);
  EXPECT_THAT(rehearsal.waits, ElementsAre(500, 1000, 2000, 2500, 2500));
}

TEST(Sender, EndsWithTheTotalTime) {
  Rehearsal rehearsal({Status(503)});
  rehearsal.takes_ms = 400;
  const Outcome outcome = rehearsal.Send(
      {.most_attempts = 100, .first_wait_ms = 400, .most_wait_ms = 400, .total_ms = 2000}, 0);
  EXPECT_EQ(outcome.verdict, Verdict::kRefused);
  // 400 + 200 ms each, of 2000.
  EXPECT_EQ(outcome.attempts, 4u);
  EXPECT_THAT(rehearsal.timeouts, ElementsAre(2000, 1400, 800, 200));
}

TEST(Sender, WaitsAsLongAsTheReceiverAsks) {
  Rehearsal rehearsal({Status(429, "3"), Status(200)});
  EXPECT_EQ(rehearsal.Send({}).verdict, Verdict::kTaken);
  EXPECT_THAT(rehearsal.waits, ElementsAre(3000));
}

TEST(Sender, GivesUpIfTheReceiverAsksForTooLong) {
  Rehearsal rehearsal({Status(429, "3600"), Status(200)});
  const Outcome outcome = rehearsal.Send({});
  EXPECT_EQ(outcome.verdict, Verdict::kRefused);
  EXPECT_EQ(outcome.attempts, 1u);
  EXPECT_THAT(outcome.text, HasSubstr("asks to wait 3600 s"));
  EXPECT_THAT(rehearsal.waits, IsEmpty());
}

TEST(Sender, TriesAgainAfterFailuresOfTheConnectionAlone) {
  Answer closed;
  closed.failure = "closed";
  closed.may_pass = true;
  Rehearsal rehearsal({closed, Status(200)});
  EXPECT_EQ(rehearsal.Send({}).attempts, 2u);
  closed.may_pass = false;
  Rehearsal refused({closed, Status(200)});
  EXPECT_EQ(refused.Send({}).attempts, 1u);
}

TEST(Sender, WaitsAsLongAsTheReceiverAskedInAnEarlierSend) {
  Rehearsal rehearsal({Status(503, "30"), Status(200)});
  Sender sender = rehearsal.MakeSender({});
  const Outcome first = sender.Send(Request{}, Receiver::kOtlp);
  EXPECT_EQ(first.verdict, Verdict::kRefused);
  EXPECT_TRUE(first.may_pass);
  EXPECT_EQ(sender.HeldMs(), 30'000u);
  // The whole timeout is too short for the wait.
  rehearsal.now_ms += 15'000;
  const Outcome second = sender.Send(Request{}, Receiver::kOtlp);
  EXPECT_EQ(second.verdict, Verdict::kRefused);
  EXPECT_TRUE(second.may_pass);
  EXPECT_EQ(second.attempts, 0u);
  EXPECT_EQ(second.text, "the receiver asks to wait 15 s");
  EXPECT_EQ(rehearsal.timeouts.size(), 1u);
  // Now there is time for it.
  rehearsal.now_ms += 9'000;
  EXPECT_EQ(sender.Send(Request{}, Receiver::kOtlp).verdict, Verdict::kTaken);
  EXPECT_THAT(rehearsal.waits, ElementsAre(6'000));
  EXPECT_THAT(rehearsal.timeouts, ElementsAre(10'000, 4'000));
  EXPECT_EQ(sender.HeldMs(), 0u);
  EXPECT_EQ(sender.Send(Request{}, Receiver::kOtlp).verdict, Verdict::kTaken);
  EXPECT_EQ(rehearsal.waits.size(), 1u);
}

TEST(Sender, SaysWhetherTheSameRequestMayBeTakenLater) {
  EXPECT_FALSE(Rehearsal({Status(400)}).Send({}).may_pass);
  EXPECT_FALSE(Rehearsal({Status(302)}).Send({}).may_pass);
  EXPECT_TRUE(Rehearsal({Status(503)}).Send({}).may_pass);
  EXPECT_FALSE(Rehearsal({Status(503), Status(400)}).Send({}).may_pass);
  Answer late;
  late.failure = "no answer in time";
  late.may_pass = true;
  EXPECT_TRUE(Rehearsal({late}).Send({}).may_pass);
  // A success whose body is no answer of OTLP.
  Answer page = Status(200);
  page.content_type = "text/html";
  page.body = "<html>";
  const Outcome odd = Rehearsal({page}).Send({});
  EXPECT_EQ(odd.verdict, Verdict::kRefused);
  EXPECT_TRUE(odd.may_pass);
}

TEST(RealTiming, DrawsFromTheUnitInterval) {
  const Timing timing = RealTiming();
  for (int i = 0; i < 100; ++i) {
    const double chance = timing.random();
    EXPECT_GE(chance, 0);
    EXPECT_LT(chance, 1);
  }
  EXPECT_GT(timing.date_s(), 1'600'000'000);
}

}  // namespace
}  // namespace csink::push
