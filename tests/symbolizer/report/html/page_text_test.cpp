#include "symbolizer/report/html/page_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

namespace csink::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string JsonString(std::string_view text) {
  std::string json;
  Sink sink([&](std::string_view bytes) -> Result<void> {
    json += bytes;
    return {};
  });
  WriteJsonString(sink, text);
  EXPECT_TRUE(sink.Finish());
  return json;
}

std::string Read(std::string_view text) {
  return nlohmann::json::parse(JsonString(text)).get<std::string>();
}

TEST(PageText, KeepsNamesAndHidesMarkup) {
  const std::string name = "</script><!--\"\\&\xe2\x80\xa8\x01 std::map<int, char>";
  EXPECT_EQ(Read(name), name);
  const std::string json = JsonString(name);
  for (const char* sign : {"<", ">", "&", "\xe2\x80\xa8", "\x01"}) {
    EXPECT_THAT(json, Not(HasSubstr(sign)));
  }
  EXPECT_EQ(Read(std::string("a\0b", 3)), std::string("a\0b", 3));
  EXPECT_EQ(Read("\xe2\x82\xac \xf0\x9f\x8c\x8d"), "\xe2\x82\xac \xf0\x9f\x8c\x8d");
}

TEST(PageText, ReplacesWhatIsNotUtf8) {
  EXPECT_EQ(Read("a\xff\xc3"), "a\xef\xbf\xbd\xef\xbf\xbd");
  EXPECT_EQ(Read("\xed\xa0\x80"), "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd") << "a surrogate";
}

TEST(PageText, CutsLongTextsBetweenCharacters) {
  std::string text;
  while (text.size() < 2 * kMostPageText) text += "\xe2\x82\xac";
  const std::string cut = Read(text);
  EXPECT_LE(cut.size(), kMostPageText + 6);
  EXPECT_EQ(cut.substr(cut.size() - 6), "\xe2\x82\xac...");
  EXPECT_EQ(Read(std::string(kMostPageText, 'x')), std::string(kMostPageText, 'x'));
  EXPECT_EQ(Read(std::string(kMostPageText + 1, 'x')), std::string(kMostPageText, 'x') + "...");
}

TEST(PageText, IsJsonWhateverTheBytesAre) {
  std::mt19937 random(42);
  for (int round = 0; round < 2000; ++round) {
    std::string text(random() % 40, '\0');
    for (char& c : text) {
      // Half of the bytes are those that matter.
      c = random() % 2 ? "<>&/\"\\\xe2\x80\xa8!-"[random() % 11] : static_cast<char>(random());
    }
    const std::string json = JsonString(text);
    EXPECT_TRUE(nlohmann::json::accept(json)) << json;
    EXPECT_EQ(json.find('<'), json.npos);
    EXPECT_EQ(HtmlText(text).find('<'), text.npos);
  }
}

TEST(PageText, EscapesADocumentWithoutChangingIt) {
  const nlohmann::json document = {{"<a>", "</script>&\xe2\x80\xa9"}, {"b", {1, 2.5, nullptr}}};
  const std::string escaped = EscapedForScript(document.dump());
  EXPECT_EQ(nlohmann::json::parse(escaped), document);
  for (const char* sign : {"<", ">", "&", "\xe2\x80\xa9"}) {
    EXPECT_THAT(escaped, Not(HasSubstr(sign)));
  }
}

TEST(PageText, ShowsSignsOfMarkupAndDirectionAsText) {
  EXPECT_EQ(HtmlText("a<b> & \"c\" 'd'"), "a&lt;b&gt; &amp; &quot;c&quot; &#39;d&#39;");
  EXPECT_EQ(HtmlText("x\xe2\x80\xaey"), "x[U+202E]y");
  EXPECT_EQ(HtmlText(std::string("a\0\n", 3)), "a[U+0000][U+000A]");
  EXPECT_LT(HtmlText(std::string(100'000, '<')).size(), kMostPageText + 16);
}

}  // namespace
}  // namespace csink::report
