#include "symbolizer/report/html/sorted_texts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace csink::report {
namespace {

TEST(SortedTexts, AreInTheOrderOfTheirBytesAndEachOnce) {
  std::vector<std::string> texts = {""};
  for (int i = 0; i < 5000; ++i) texts.push_back("name" + std::to_string(i % 3000));
  SortedTexts sorted;
  for (const std::string& text : texts) sorted.Add(text);
  sorted.Finish();
  EXPECT_EQ(sorted.all().size(), 3001u);
  EXPECT_TRUE(std::is_sorted(sorted.all().begin(), sorted.all().end()));
  for (const std::string& text : texts) EXPECT_EQ(sorted.all()[sorted.Of(text)], text);
}

}  // namespace
}  // namespace csink::report
