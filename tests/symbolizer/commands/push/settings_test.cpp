#include "symbolizer/commands/push/settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

namespace csink::push {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Pair;

using Environment = std::map<std::string, std::string>;

/// Settings of an environment; `wrong` receives why there are none.
std::optional<Settings> Read(const Environment& environment, std::string& wrong,
                             const std::string& url = "",
                             std::optional<Receiver> receiver = std::nullopt) {
  const auto variable = [&](const char* name) -> const char* {
    const auto it = environment.find(name);
    return it == environment.end() ? nullptr : it->second.c_str();
  };
  return ReadSettings(url, receiver, variable, wrong);
}

Settings Good(const Environment& environment, const std::string& url = "") {
  std::string wrong;
  const auto settings = Read(environment, wrong, url);
  EXPECT_TRUE(settings) << wrong;
  return settings.value_or(Settings{});
}

std::string Wrong(const Environment& environment, const std::string& url = "") {
  std::string wrong;
  EXPECT_FALSE(Read(environment, wrong, url));
  return wrong;
}

TEST(ProfilesUrl, AppendsThePathOfTheSignalToABase) {
  EXPECT_EQ(ProfilesUrl("http://c:4318"), "http://c:4318/v1development/profiles");
  EXPECT_EQ(ProfilesUrl("http://c:4318/"), "http://c:4318/v1development/profiles");
  EXPECT_EQ(ProfilesUrl("https://c/otlp/"), "https://c/otlp/v1development/profiles");
  EXPECT_EQ(ProfilesUrl("https://c/a?x=1#y"), "https://c/a/v1development/profiles");
  EXPECT_EQ(ProfilesUrl("http://c/v1development/profiles"), "http://c/v1development/profiles");
}

TEST(ReadSettings, UsesTheDefaultsOfTheSpecification) {
  const Settings settings = Good({});
  EXPECT_EQ(settings.receiver, Receiver::kOtlp);
  EXPECT_EQ(settings.url, "http://localhost:4318/v1development/profiles");
  EXPECT_EQ(settings.timeout_ms, 10'000u);
  EXPECT_TRUE(settings.compress);
  EXPECT_THAT(settings.headers, IsEmpty());
  EXPECT_THAT(settings.warnings, IsEmpty());
}

TEST(ReadSettings, UsesTheEndpointForProfilesAsItIs) {
  EXPECT_EQ(Good({{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://all"}}).url,
            "http://all/v1development/profiles");
  EXPECT_EQ(Good({{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://all"},
                  {"OTEL_EXPORTER_OTLP_PROFILES_ENDPOINT", "http://own/x"}})
                .url,
            "http://own/x");
  // An empty variable is not set.
  EXPECT_EQ(Good({{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://all"},
                  {"OTEL_EXPORTER_OTLP_PROFILES_ENDPOINT", ""}})
                .url,
            "http://all/v1development/profiles");
  EXPECT_EQ(Good({{"OTEL_EXPORTER_OTLP_PROFILES_ENDPOINT", "http://own/x"}}, "http://user/y").url,
            "http://user/y/v1development/profiles");
}

TEST(ReadSettings, PrefersTheFormForProfiles) {
  const Settings settings = Good({{"OTEL_EXPORTER_OTLP_TIMEOUT", "1"},
                                  {"OTEL_EXPORTER_OTLP_PROFILES_TIMEOUT", "2500"},
                                  {"OTEL_EXPORTER_OTLP_COMPRESSION", "gzip"},
                                  {"OTEL_EXPORTER_OTLP_PROFILES_COMPRESSION", "none"},
                                  {"OTEL_EXPORTER_OTLP_CERTIFICATE", "/a.pem"},
                                  {"OTEL_EXPORTER_OTLP_PROFILES_CERTIFICATE", "/b.pem"},
                                  {"OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE", "/c.pem"},
                                  {"OTEL_EXPORTER_OTLP_CLIENT_KEY", "/k.pem"}});
  EXPECT_EQ(settings.timeout_ms, 2500u);
  EXPECT_FALSE(settings.compress);
  EXPECT_EQ(settings.certificate, "/b.pem");
  EXPECT_EQ(settings.client_certificate, "/c.pem");
  EXPECT_EQ(settings.client_key, "/k.pem");
}

TEST(ReadSettings, BoundsTheTimeout) {
  EXPECT_EQ(Good({{"OTEL_EXPORTER_OTLP_TIMEOUT", "0"}}).timeout_ms, kMostTimeoutMs);
  EXPECT_EQ(Good({{"OTEL_EXPORTER_OTLP_TIMEOUT", "99999999999"}}).timeout_ms, kMostTimeoutMs);
}

TEST(ReadSettings, WarnsOfValuesThatItIgnores) {
  const Settings settings = Good(
      {{"OTEL_EXPORTER_OTLP_TIMEOUT", "10s"}, {"OTEL_EXPORTER_OTLP_PROFILES_COMPRESSION", "zstd"}});
  EXPECT_EQ(settings.timeout_ms, 10'000u);
  EXPECT_TRUE(settings.compress);
  EXPECT_THAT(settings.warnings,
              ElementsAre("OTEL_EXPORTER_OTLP_PROFILES_COMPRESSION=zstd is ignored: expected gzip "
                          "or none",
                          "OTEL_EXPORTER_OTLP_TIMEOUT=10s is ignored: expected milliseconds"));
}

TEST(ReadSettings, RefusesOtherProtocols) {
  EXPECT_EQ(Good({{"OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf"}}).timeout_ms, 10'000u);
  EXPECT_THAT(Wrong({{"OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"}}),
              HasSubstr("OTEL_EXPORTER_OTLP_PROTOCOL=grpc"));
  EXPECT_THAT(Wrong({{"OTEL_EXPORTER_OTLP_PROFILES_PROTOCOL", "http/json"}}),
              HasSubstr("OTEL_EXPORTER_OTLP_PROFILES_PROTOCOL=http/json"));
  // The form for profiles repairs the one for all signals.
  EXPECT_EQ(Good({{"OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"},
                  {"OTEL_EXPORTER_OTLP_PROFILES_PROTOCOL", "http/protobuf"}})
                .receiver,
            Receiver::kOtlp);
}

TEST(ReadSettings, RefusesWhatIsNoUrl) {
  for (const char* url : {"collector:4318", "ftp://c", "http://", "http://:4318", "http:///x",
                          "http://user@", "http://a b", "http://a\nb"}) {
    EXPECT_NE(Wrong({}, url), "") << url;
  }
  EXPECT_THAT(Wrong({{"OTEL_EXPORTER_OTLP_ENDPOINT", "localhost:4317"}}),
              HasSubstr("OTEL_EXPORTER_OTLP_ENDPOINT: localhost:4317"));
  EXPECT_THAT(Wrong({}, "ftp://user:secret@host/x"), Not(HasSubstr("secret")));
}

TEST(ReadSettings, KnowsPyroscopeByItsPath) {
  const Environment environment = {{"OTEL_EXPORTER_OTLP_HEADERS", "authorization=token"},
                                   {"OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"},
                                   {"OTEL_EXPORTER_OTLP_TIMEOUT", "77"}};
  const Settings settings = Good(environment, "http://p:4040/ingest?x=1");
  EXPECT_EQ(settings.receiver, Receiver::kPyroscope);
  EXPECT_EQ(settings.url, "http://p:4040/ingest?x=1");
  EXPECT_EQ(settings.timeout_ms, 77u);
  // The token is the collector's.
  EXPECT_THAT(settings.headers, IsEmpty());
  std::string wrong;
  EXPECT_FALSE(Read({}, wrong, "", Receiver::kPyroscope));
  EXPECT_THAT(wrong, HasSubstr("needs a URL"));
}

TEST(DecodeHeaders, DecodesNamesAndValues) {
  std::string wrong;
  EXPECT_THAT(*DecodeHeaders("api-key=a%20b%3Dc, x = y=z ,,empty=", wrong),
              ElementsAre(Pair("api-key", "a b=c"), Pair("x", "y=z"), Pair("empty", "")));
  EXPECT_THAT(*DecodeHeaders("", wrong), IsEmpty());
}

TEST(DecodeHeaders, RefusesWhatIsNoHeader) {
  for (const char* text : {"word", "=value", "a b=c", "a:b=c", "a=%4", "a=%zz", "a=%0d%0aX: y",
                           "a=%00", "good=1,bad"}) {
    std::string wrong;
    EXPECT_FALSE(DecodeHeaders(text, wrong)) << text;
    EXPECT_NE(wrong, "") << text;
  }
}

TEST(ReadSettings, DoesNotShowTheHeadersThatItRefuses) {
  const std::string wrong = Wrong({{"OTEL_EXPORTER_OTLP_HEADERS", "authorization=secret%0a"}});
  EXPECT_THAT(wrong, HasSubstr("OTEL_EXPORTER_OTLP_HEADERS"));
  EXPECT_THAT(wrong, Not(HasSubstr("secret")));
}

TEST(WithoutSecrets, LeavesUserAndPasswordOut) {
  EXPECT_EQ(WithoutSecrets("https://user:p@ss@host:1/a@b"), "https://host:1/a@b");
  EXPECT_EQ(WithoutSecrets("http://host/x?y=a@b"), "http://host/x?y=a@b");
  EXPECT_EQ(WithoutSecrets(""), "");
}

}  // namespace
}  // namespace csink::push
