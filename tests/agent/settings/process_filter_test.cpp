#include "agent/settings/process_filter.h"

#include <gtest/gtest.h>

namespace csink::agent {
namespace {

constexpr ProcessFacts kCompiler = {"/usr/lib/gcc/12/cc1", "cc1 -quiet main.c -O2", 3};

bool Matches(const char* list) { return AskFilter(list, kCompiler).matches; }

TEST(AskFilter, ComparesTheWholeName) {
  EXPECT_TRUE(Matches("cc1"));
  EXPECT_TRUE(Matches("name:cc."));
  EXPECT_FALSE(Matches("cc"));
  EXPECT_FALSE(Matches("name:/usr/lib/gcc/12/cc1"));
}

TEST(AskFilter, ComparesPathAndArgumentsAnywhere) {
  EXPECT_TRUE(Matches("path:^/usr/lib/"));
  EXPECT_FALSE(Matches("path:^lib"));
  EXPECT_TRUE(Matches("args:main\\.c\\s-O"));
  EXPECT_FALSE(Matches("args:-O3"));
}

TEST(AskFilter, KnowsDepths) {
  EXPECT_TRUE(Matches("depth:3"));
  EXPECT_TRUE(Matches("depth:1-3"));
  EXPECT_FALSE(Matches("depth:4-9"));
}

TEST(AskFilter, OneItemIsEnough) {
  EXPECT_TRUE(Matches("ld;as  cc1"));
  EXPECT_FALSE(Matches("ld;as"));
  EXPECT_TRUE(AskFilter("  ;; ", kCompiler).empty);
}

TEST(AskFilter, LeafIsAskedForLater) {
  const FilterAnswer answer = AskFilter("leaf", kCompiler);
  EXPECT_TRUE(answer.leaf);
  EXPECT_TRUE(answer.empty);
  EXPECT_FALSE(AskFilter("leaf ld", kCompiler).empty);
}

TEST(AskFilter, NamesTheFirstMistake) {
  for (const char* list : {"a(", "depth:", "depth:x", "depth:3-1", "path:", "name:"}) {
    const FilterAnswer answer = AskFilter(list, kCompiler);
    EXPECT_FALSE(answer.matches) << list;
    EXPECT_TRUE(answer.mistake.view().starts_with(list)) << answer.mistake.c_str();
  }
  EXPECT_TRUE(Matches("a( cc1"));
}

}  // namespace
}  // namespace csink::agent
