#include "symbolizer/commands/push/request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <string>

namespace csink::push {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::StartsWith;

/// zlib's reading of gzip; "" for other bytes.
std::string Gunzipped(const std::string& packed, std::size_t size) {
  z_stream stream = {};
  if (inflateInit2(&stream, 16 + MAX_WBITS) != Z_OK) return "";
  std::string text(size + 1, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(text.data());
  stream.avail_out = static_cast<uInt>(text.size());
  const int result = inflate(&stream, Z_FINISH);
  text.resize(stream.total_out);
  inflateEnd(&stream);
  return result == Z_STREAM_END ? text : "";
}

Settings SettingsFor(Receiver receiver) {
  Settings settings;
  settings.receiver = receiver;
  settings.url = "http://host/x";
  settings.headers = {{"a", "b"}};
  settings.certificate = "/ca.pem";
  return settings;
}

TEST(OtlpRequest, IsCompressed) {
  const std::string bytes(100'000, 'x');
  const auto request = RequestFor(SettingsFor(Receiver::kOtlp), {}, bytes);
  ASSERT_TRUE(request);
  EXPECT_EQ(request->url, "http://host/x");
  EXPECT_EQ(request->content_type, "application/x-protobuf");
  EXPECT_EQ(request->content_encoding, "gzip");
  EXPECT_EQ(request->certificate, "/ca.pem");
  EXPECT_THAT(request->headers, ElementsAre(Pair("a", "b")));
  EXPECT_LT(request->body.size(), 1'000u);
  EXPECT_EQ(Gunzipped(request->body, bytes.size()), bytes);
}

TEST(OtlpRequest, CanBePlain) {
  Settings settings = SettingsFor(Receiver::kOtlp);
  settings.compress = false;
  const auto request = RequestFor(settings, {}, "bytes");
  ASSERT_TRUE(request);
  EXPECT_EQ(request->content_encoding, "");
  EXPECT_EQ(request->body, "bytes");
}

TEST(PyroscopeUrl, HasTheFactsAsAQuery) {
  const ProfileFacts facts = {"my app{host=n&7}", 100, 250};
  EXPECT_EQ(PyroscopeUrl("http://p:4040", facts),
            "http://p:4040/ingest?name=my%20app%7Bhost%3Dn%267%7D&from=100&until=250&format=pprof&"
            "spyName=csink");
  EXPECT_THAT(PyroscopeUrl("http://p/ingest/", facts), StartsWith("http://p/ingest?name="));
  EXPECT_THAT(PyroscopeUrl("http://p/a?tenant=1#x", facts),
              StartsWith("http://p/a/ingest?tenant=1&name="));
}

TEST(PyroscopeRequest, IsAFormWithTheProfile) {
  const std::string pprof = std::string("\x1f\x8b\0\r\n--", 7);
  const Request request = *RequestFor(SettingsFor(Receiver::kPyroscope), {"app", 1, 2}, pprof);
  const std::string prefix = "multipart/form-data; boundary=";
  ASSERT_THAT(request.content_type, StartsWith(prefix));
  const std::string boundary = request.content_type.substr(prefix.size());
  EXPECT_THAT(request.body, StartsWith("--" + boundary + "\r\n"));
  EXPECT_THAT(request.body, HasSubstr("name=\"profile\""));
  EXPECT_THAT(request.body, EndsWith("\r\n\r\n" + pprof + "\r\n--" + boundary + "--\r\n"));
}

TEST(PyroscopeRequest, ChoosesABoundaryThatTheProfileDoesNotContain) {
  const std::string pprof = "csink-profile-boundary csink-profile-boundary-x";
  const Request request = *RequestFor(SettingsFor(Receiver::kPyroscope), {"app", 1, 2}, pprof);
  EXPECT_THAT(request.content_type, EndsWith("boundary=csink-profile-boundary-x-x"));
}

}  // namespace
}  // namespace csink::push
