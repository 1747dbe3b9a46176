#include "core/util/json_writer.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace csink {
namespace {

template <class Write>
std::string Written(const Write& write) {
  std::string text;
  JsonWriter<std::string> json(text);
  write(json);
  return text;
}

TEST(JsonWriter, PutsCommasBetweenMembersAndElementsAlone) {
  EXPECT_EQ(Written([](auto& json) {
              json.BeginObject();
              json.Member("name", "app");
              json.Key("empty").BeginArray();
              json.EndArray();
              json.Key("rows").BeginArray();
              json.BeginObject();
              json.EndObject();
              json.BeginObject();
              json.Member("a", 1);
              json.Member("b", true);
              json.EndObject();
              json.EndArray();
              json.Member("none", nullptr);
              json.EndObject();
            }),
            R"({"name":"app","empty":[],"rows":[{},{"a":1,"b":true}],"none":null})");
}

TEST(JsonWriter, WritesListsOfAnyValues) {
  const std::vector<std::string> texts = {"one", "two"};
  EXPECT_EQ(Written([&](auto& json) { json.List(texts); }), R"(["one","two"])");
  EXPECT_EQ(Written([&](auto& json) {
              json.List(texts, [&](const std::string& text) {
                json.BeginArray();
                json.Value(text.size());
                json.Raw("1.50");
                json.EndArray();
              });
            }),
            "[[3,1.50],[3,1.50]]");
}

TEST(JsonWriter, WritesNumbersThatReadBackTheSame) {
  EXPECT_EQ(Written([](auto& json) {
              json.BeginArray();
              json.Value(std::numeric_limits<std::uint64_t>::max());
              json.Value(std::numeric_limits<std::int64_t>::min());
              json.Value(0.1);
              json.Value(-2.0);
              json.Value(1e300);
              json.EndArray();
            }),
            "[18446744073709551615,-9223372036854775808,0.1,-2,1e+300]");
  // JSON has neither.
  EXPECT_EQ(Written([](auto& json) {
              json.BeginArray();
              json.Value(std::numeric_limits<double>::infinity());
              json.Value(std::numeric_limits<double>::quiet_NaN());
              json.EndArray();
            }),
            "[0,0]");
}

TEST(JsonWriter, EscapesWhatAStringMustNotHave) {
  EXPECT_EQ(Written([](auto& json) { json.Value("a\"b\\c\b\f\n\r\td\x01\x1f\x7f"); }),
            "\"a\\\"b\\\\c\\b\\f\\n\\r\\td\\u0001\\u001f\x7f\"");
  EXPECT_EQ(Written([](auto& json) { json.Value(std::string_view("\0", 1)); }), "\"\\u0000\"");
  EXPECT_EQ(Written([](auto& json) { json.Value("\xc3\xa9"); }), "\"\xc3\xa9\"");
}

TEST(JsonWriter, ANewLineStandsBehindTheComma) {
  EXPECT_EQ(Written([](auto& json) {
              json.BeginObject();
              json.Member("a", 1);
              json.NewLine();
              json.Key("b").BeginArray();
              json.NewLine();
              json.Value(1);
              json.NewLine();
              json.Value("x");
              json.NewLine();
              json.EndArray();
              json.EndObject();
              json.End();
            }),
            "{\"a\":1,\n\"b\":[\n1,\n\"x\"\n]}\n");
}

}  // namespace
}  // namespace csink
