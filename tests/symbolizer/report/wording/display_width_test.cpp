#include "symbolizer/report/wording/display_width.h"

#include <gtest/gtest.h>

#include <string>

#include "symbolizer/report/text/table.h"
#include "symbolizer/report/wording/shorten.h"

namespace csink::report {
namespace {

TEST(DisplayWidth, CountsColumns) {
  EXPECT_EQ(DisplayWidth(""), 0u);
  EXPECT_EQ(DisplayWidth("größe"), 5u);
  EXPECT_EQ(DisplayWidth("計算"), 4u);
  EXPECT_EQ(DisplayWidth("한글::f"), 7u);
  EXPECT_EQ(DisplayWidth("🚀"), 2u);
  EXPECT_EQ(DisplayWidth("e\u0301a"), 2u) << "an accent of its own";
  EXPECT_EQ(DisplayWidth("a\xff\xc3"), 3u) << "no UTF-8";
}

TEST(HeadBytes, KeepsWholeCharacters) {
  EXPECT_EQ(HeadBytes("計算", 3), 3u);
  EXPECT_EQ(HeadBytes("計算", 4), 6u);
  EXPECT_EQ(HeadBytes("e\u0301a", 1), 3u) << "the accent with its letter";
  EXPECT_EQ(HeadBytes("abc", 9), 3u);
}

TEST(TailBegin, KeepsWholeCharacters) {
  EXPECT_EQ(TailBegin("計算", 3), 3u);
  EXPECT_EQ(TailBegin("計算", 4), 0u);
  EXPECT_EQ(TailBegin("ae\u0301", 1), 1u);
  EXPECT_EQ(TailBegin("e\u0301a", 1), 3u) << "no accent without its letter";
}

TEST(Shortening, FitsWideCharacters) {
  const std::string name = "計算::結果<型, 型>::関数(整数)";
  for (std::size_t width = 1; width < 40; ++width) {
    EXPECT_LE(DisplayWidth(KeepHead(name, width)), width);
    EXPECT_LE(DisplayWidth(KeepTail(name, width)), width);
    EXPECT_LE(DisplayWidth(ShortenFunction(name, width)), width);
  }
}

TEST(Table, AlignsColumnsBehindWideCharacters) {
  Table table;
  table.AddColumn("function", Table::Align::kLeft);
  table.AddColumn("module", Table::Align::kLeft);
  table.AddRow({"計算する", "app"});
  table.AddRow({"main", "app"});
  EXPECT_EQ(table.Draw({}, false),
            "function  module\n"
            "計算する  app\n"
            "main      app\n");
}

}  // namespace
}  // namespace csink::report
