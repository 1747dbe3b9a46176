#include "core/util/utf8.h"

#include <gtest/gtest.h>

namespace csink {
namespace {

TEST(PrintableText, IsUtf8) {
  for (const char* text : {"", "solve", "L\xc3\xb6sung", "\xe2\x82\xac", "\xf0\x9f\x98\x80",
                           "\xc2\xa0", "\xed\x9f\xbf", "\xf4\x8f\xbf\xbf"}) {
    EXPECT_TRUE(IsPrintableText(text)) << text;
  }
}

TEST(PrintableText, IsNothingElse) {
  // Latin-1, a surrogate, longer forms than needed, beyond U+10FFFF, cut off, out of place.
  for (const char* text : {"\xff\xfe", "L\xf6sung", "\xed\xa0\x80", "\xc0\x80", "\xe0\x80\x80",
                           "\xf0\x80\x80\x80", "\xf4\x90\x80\x80", "a\xc3", "\xe2\x82", "\x80"}) {
    EXPECT_FALSE(IsPrintableText(text)) << text;
  }
}

TEST(PrintableText, HasNoControlCharacters) {
  for (const char* text : {"a\nb", "\x1b[31m", "\x7f", "\xc2\x9b"}) {
    EXPECT_FALSE(IsPrintableText(text)) << text;
  }
  EXPECT_FALSE(IsPrintableText(std::string_view("a\0b", 3)));
}

TEST(PrintableBytes, IsThatOfTheCharacterAtItsPlace) {
  constexpr std::string_view kText = "a\xc3\xb6\xe2\x82\xac";
  EXPECT_EQ(PrintableBytes(kText, 0), 1u);
  EXPECT_EQ(PrintableBytes(kText, 1), 2u);
  EXPECT_EQ(PrintableBytes(kText, 2), 0u);
  EXPECT_EQ(PrintableBytes(kText, 3), 3u);
  EXPECT_EQ(PrintableBytes(kText, kText.size()), 0u);
}

}  // namespace
}  // namespace csink
