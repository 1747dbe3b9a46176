#include "symbolizer/commands/push/answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace csink::push {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kType = "application/x-protobuf";

/// A field of wire type 2 with a number below 16 and a length below 128.
std::string Field(unsigned number, const std::string& bytes) {
  return std::string(1, static_cast<char>(number << 3 | 2)) +
         std::string(1, static_cast<char>(bytes.size())) + bytes;
}

/// partial_success with 3 rejected profiles.
std::string ThreeRejected(const std::string& message) {
  return Field(1, std::string("\x08\x03", 2) + Field(2, message));
}

Answer Http(long status, std::string body = "", std::string type = std::string(kType)) {
  Answer answer;
  answer.status = status;
  answer.body = std::move(body);
  answer.content_type = std::move(type);
  return answer;
}

TEST(DecodeResponse, ReadsPartialSuccess) {
  const auto partial = DecodeResponse(ThreeRejected("too old"));
  ASSERT_TRUE(partial);
  EXPECT_EQ(partial->rejected, 3);
  EXPECT_EQ(partial->message, "too old");
}

TEST(DecodeResponse, TakesAnEmptyBodyForSuccess) {
  const auto partial = DecodeResponse("");
  ASSERT_TRUE(partial);
  EXPECT_EQ(partial->rejected, 0);
  EXPECT_EQ(partial->message, "");
}

TEST(DecodeResponse, SkipsUnknownFields) {
  const auto partial = DecodeResponse(Field(9, "new") + ThreeRejected("x") + Field(7, ""));
  ASSERT_TRUE(partial);
  EXPECT_EQ(partial->rejected, 3);
}

TEST(DecodeResponse, RefusesGarbage) {
  EXPECT_FALSE(DecodeResponse("<html>It works</html>"));
  EXPECT_FALSE(DecodeResponse("{\"partialSuccess\":{}}"));
  // Every cut in the middle of a message.
  const std::string whole = ThreeRejected("message");
  for (std::size_t size = 1; size < whole.size(); ++size) {
    EXPECT_FALSE(DecodeResponse(whole.substr(0, size))) << size;
  }
  EXPECT_FALSE(DecodeResponse(std::string(20, '\xff')));
}

TEST(DecodeStatus, ReadsTheMessage) {
  EXPECT_EQ(DecodeStatus(std::string("\x08\x03", 2) + Field(2, "bad profile")), "bad profile");
  EXPECT_EQ(DecodeStatus(""), std::nullopt);
  EXPECT_EQ(DecodeStatus("<html>"), std::nullopt);
}

TEST(RetryAfterMs, ReadsSecondsAndDates) {
  EXPECT_EQ(RetryAfterMs("0", 0), 0u);
  EXPECT_EQ(RetryAfterMs("7", 0), 7'000u);
  // 784111777 s after 1970, the example of RFC 9110.
  EXPECT_EQ(RetryAfterMs("Sun, 06 Nov 1994 08:49:37 GMT", 784111770), 7'000u);
  EXPECT_EQ(RetryAfterMs("Sun, 06 Nov 1994 08:49:37 GMT", 784111790), 0u);
  EXPECT_EQ(RetryAfterMs("99999999999", 0), 86'400'000u);
  EXPECT_EQ(RetryAfterMs("99999999999999999999999", 0), 86'400'000u);
  EXPECT_EQ(RetryAfterMs("Sun, 06 Nov 9994 08:49:37 GMT", 784111770), 86'400'000u);
}

TEST(RetryAfterMs, IgnoresAnythingElse) {
  for (const char* value : {"", "-1", "soon", "1.5", "-99999999999999999999999",
                            "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 GMT x"}) {
    EXPECT_EQ(RetryAfterMs(value, 0), std::nullopt) << value;
  }
}

TEST(Judge, TakesTheStatusesOfOtlp) {
  for (const long status : {200L, 202L, 204L}) {
    EXPECT_EQ(Judge(Http(status), Receiver::kOtlp).verdict, Verdict::kTaken) << status;
  }
  for (const long status : {429L, 502L, 503L, 504L}) {
    EXPECT_EQ(Judge(Http(status), Receiver::kOtlp).verdict, Verdict::kRetry) << status;
    EXPECT_EQ(Judge(Http(status), Receiver::kPyroscope).verdict, Verdict::kRetry) << status;
  }
  for (const long status : {100L, 301L, 307L, 400L, 401L, 403L, 404L, 408L, 413L, 500L, 501L}) {
    EXPECT_EQ(Judge(Http(status), Receiver::kOtlp).verdict, Verdict::kRefused) << status;
  }
}

TEST(Judge, ShowsTheWordsOfTheReceiver) {
  const std::string status = std::string("\x08\x03", 2) + Field(2, "bad\nprofile");
  EXPECT_EQ(Judge(Http(400, status), Receiver::kOtlp).text, "HTTP 400: bad profile");
  EXPECT_EQ(Judge(Http(401, "no token\n", "text/plain; charset=utf-8"), Receiver::kOtlp).text,
            "HTTP 401: no token");
  EXPECT_EQ(Judge(Http(404, "<html>", "text/html"), Receiver::kOtlp).text, "HTTP 404");
  EXPECT_EQ(Judge(Http(400, "<html>"), Receiver::kOtlp).text, "HTTP 400");
}

TEST(Judge, BoundsTheWordsOfTheReceiver) {
  const Judgement judgement =
      Judge(Http(500, std::string(60'000, 'x') + "\x1b[2J", "text/plain"), Receiver::kOtlp);
  EXPECT_LT(judgement.text.size(), 300u);
  EXPECT_THAT(Judge(Http(500, "\x1b[2J", "text/plain"), Receiver::kOtlp).text,
              Not(HasSubstr("\x1b")));
}

TEST(Judge, CountsRejectedProfiles) {
  const Judgement some = Judge(Http(200, ThreeRejected("too old")), Receiver::kOtlp);
  EXPECT_EQ(some.verdict, Verdict::kPartly);
  EXPECT_EQ(some.text, "the receiver rejected 3 profiles: too old");
  const Judgement warning = Judge(Http(200, Field(1, Field(2, "use v2"))), Receiver::kOtlp);
  EXPECT_EQ(warning.verdict, Verdict::kTaken);
  EXPECT_EQ(warning.text, "the receiver warns: use v2");
}

TEST(Judge, DoesNotBelieveASuccessThatIsNoOtlp) {
  for (const Answer& answer :
       {Http(200, "<html>It works</html>", "text/html"), Http(200, "<html>It works</html>"),
        Http(200, "ok", "text/plain"), Http(200, "{}", "application/json")}) {
    const Judgement judgement = Judge(answer, Receiver::kOtlp);
    EXPECT_EQ(judgement.verdict, Verdict::kRefused) << answer.body;
    EXPECT_THAT(judgement.text, HasSubstr("no answer of OTLP"));
  }
  // Pyroscope's success has no form.
  EXPECT_EQ(Judge(Http(200, "ok", "text/plain"), Receiver::kPyroscope).verdict, Verdict::kTaken);
}

TEST(Judge, TriesAgainOnlyWhereThatMayHelp) {
  Answer answer;
  answer.failure = "Connection refused";
  EXPECT_EQ(Judge(answer, Receiver::kOtlp).verdict, Verdict::kRefused);
  answer.may_pass = true;
  EXPECT_EQ(Judge(answer, Receiver::kOtlp).verdict, Verdict::kRetry);
  EXPECT_EQ(Judge(answer, Receiver::kOtlp).text, "Connection refused");
}

}  // namespace
}  // namespace csink::push
