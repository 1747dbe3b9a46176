#include "agent/waiting/glibc_release.h"

#include <gtest/gtest.h>

namespace csink::agent {
namespace {

TEST(GlibcRelease, IsTheFirstTwoNumbers) {
  EXPECT_EQ(GlibcRelease("2.36"), 2u << 16 | 36);
  EXPECT_EQ(GlibcRelease("2.41.9000"), 2u << 16 | 41);
  EXPECT_EQ(GlibcRelease("2.31.\n"), 2u << 16 | 31);
}

TEST(GlibcRelease, AnotherTextHasNone) {
  for (const char* text : {"", "2", "2.", ".36", "musl 1.2", "2-36"}) {
    EXPECT_EQ(GlibcRelease(text), 0u) << text;
  }
}

TEST(GlibcByLayout, BelievesTheLayoutMoreThanTheRelease) {
  std::uint32_t old[kConditionWords] = {};
  old[9] = 2;
  std::uint32_t later[kConditionWords] = {};
  later[7] = 2;
  EXPECT_EQ(GlibcByLayout(2 << 16 | 36, old), 2u << 16 | 36);
  EXPECT_EQ(GlibcByLayout(2 << 16 | 42, later), 2u << 16 | 42);
  // An update of 2.39 with the new layout, and a later library with the old one.
  EXPECT_EQ(GlibcByLayout(2 << 16 | 39, later), 2u << 16 | 41);
  EXPECT_EQ(GlibcByLayout(2 << 16 | 41, old), 2u << 16 | 40);
}

TEST(GlibcByLayout, AnUnknownLayoutIsNone) {
  std::uint32_t words[kConditionWords] = {};
  EXPECT_EQ(GlibcByLayout(2 << 16 | 36, words), 0u);
  words[4] = 2;
  EXPECT_EQ(GlibcByLayout(2 << 16 | 36, words), 0u);
  words[9] = 2;
  EXPECT_EQ(GlibcByLayout(2 << 16 | 36, words), 0u);
  EXPECT_EQ(GlibcByLayout(0, words), 0u);
}

}  // namespace
}  // namespace csink::agent
