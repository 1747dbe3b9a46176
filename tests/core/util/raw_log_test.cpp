#include "core/util/raw_log.h"

#include <gtest/gtest.h>

#include <string>

namespace csink {
namespace {

std::string Written(std::string_view text) {
  ::testing::internal::CaptureStderr();
  RawLog(LogLevel::kWarn, text);
  return ::testing::internal::GetCapturedStderr();
}

TEST(RawLog, WritesOneLine) { EXPECT_EQ(Written("too short"), "csink: warn: too short\n"); }

TEST(RawLog, StaysOneLineThatMovesNoCursorWhateverTheTextHolds) {
  EXPECT_EQ(Written("/x/a\nb\r\x1b[31m\x7f"), "csink: warn: /x/a?b??[31m?\n");
  EXPECT_EQ(Written("L\xc3\xb6sung"), "csink: warn: L\xc3\xb6sung\n");
}

TEST(RawLog, CutsWhatIsTooLongAndStillEndsTheLine) {
  const std::string line = Written(std::string(3000, 'x'));
  EXPECT_EQ(line.size(), 1023u);
  EXPECT_EQ(line.find('\n'), line.size() - 1);
}

TEST(RawLog, DropsWhatIsAboveTheLevel) {
  ::testing::internal::CaptureStderr();
  RawLog(LogLevel::kDebug, "nobody asked");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

std::string g_taken;
TEST(RawLog, GivesItsLinesToTheSinkFirst) {
  SetLogSink([](std::string_view line) noexcept {
    g_taken = line;
    return line.find("taken") != std::string_view::npos;
  });
  EXPECT_EQ(Written("taken\n"), "");
  EXPECT_EQ(g_taken, "csink: warn: taken?\n");
  EXPECT_EQ(Written("left"), "csink: warn: left\n");
  SetLogSink(nullptr);
  EXPECT_EQ(Written("taken"), "csink: warn: taken\n");
}

}  // namespace
}  // namespace csink
