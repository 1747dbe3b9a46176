#include "symbolizer/report/formats/parts/clean.h"

#include <gtest/gtest.h>

namespace csink::testing {
namespace {

using report::CleanField;

TEST(CleanField, KeepsTextWithItsLineEndsAndTabs) {
  const std::string text = "a \"b\",c\r\nd\te\n\xe2\x82\xac \xf0\x9f\x98\x80 \xef\xbf\xbd";
  EXPECT_EQ(CleanField(text), text);
  EXPECT_EQ(CleanField(""), "");
}

TEST(CleanField, MarksWhatDatabasesRefuse) {
  using namespace std::string_literals;
  EXPECT_EQ(CleanField("a\0b"s), "a\xef\xbf\xbd"s + "b");
  EXPECT_EQ(CleanField("\x1b[31m\x7f"), "\xef\xbf\xbd[31m\xef\xbf\xbd");
  // A byte that begins nothing, a character that is cut off, a surrogate, an overlong form.
  EXPECT_EQ(CleanField("\xff|\xc3"), "\xef\xbf\xbd|\xef\xbf\xbd");
  EXPECT_EQ(CleanField("\xed\xa0\x80"), "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
  EXPECT_EQ(CleanField("\xc0\x80"), "\xef\xbf\xbd\xef\xbf\xbd");
}

TEST(CleanField, CutsBetweenCharacters) {
  std::string longest(report::kMostNameBytes - 1, 'x');
  longest += "\xe2\x82\xac";  // One byte more would fit
  EXPECT_EQ(CleanField(longest), longest);
  EXPECT_EQ(CleanField(longest + "y"), longest + "...");
}

TEST(IsPlainName, IsTrueForShortPrintableAscii) {
  using report::IsPlainName;
  EXPECT_TRUE(IsPlainName(""));
  EXPECT_TRUE(IsPlainName(" std::vector<int>::~vector() ~"));
  EXPECT_TRUE(IsPlainName(std::string(report::kMostNameBytes, 'x')));
  EXPECT_FALSE(IsPlainName(std::string(report::kMostNameBytes + 1, 'x')));
  for (const char c : {'\0', '\t', '\x1f', '\x7f', '\x80', '\xff'}) {
    // Behind other characters, which may be checked several at once.
    EXPECT_FALSE(IsPlainName(std::string(40, 'x') + c)) << static_cast<int>(c);
  }
}

}  // namespace
}  // namespace csink::testing
