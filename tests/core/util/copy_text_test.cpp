#include "core/util/copy_text.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace csink {
namespace {

TEST(CopyText, FillsTheRestOfTheField) {
  char field[8] = "xxxxxxx";
  CopyText(field, "abc");
  EXPECT_EQ(std::string_view(field, sizeof field), std::string_view("abc\0\0\0\0", 8));
  CopyText(field, "");
  EXPECT_EQ(std::string_view(field, sizeof field), std::string(8, '\0'));
}

TEST(CopyText, CutsWhatDoesNotFit) {
  char field[4];
  CopyText(field, "abc");
  EXPECT_STREQ(field, "abc");
  CopyText(field, "abcd");
  EXPECT_STREQ(field, "abc");
}

TEST(CopyText, ChangesNoByteBehindTheField) {
  struct {
    char field[4];
    char next;
  } record = {{}, 'n'};
  CopyText(record.field, "abcdefgh");
  EXPECT_EQ(record.next, 'n');
}

}  // namespace
}  // namespace csink
