#include "symbolizer/report/wording/shorten.h"

#include <gtest/gtest.h>

namespace csink::report {
namespace {

TEST(ShortenFunction, LeavesWhatFits) { EXPECT_EQ(ShortenFunction("f(int)", 6), "f(int)"); }

TEST(ShortenFunction, EmptiesTheInnermostTemplateArgumentsFirst) {
  const std::string name = "std::vector<std::pair<int, std::string>, A<B>>::push_back(int)";
  EXPECT_EQ(ShortenFunction(name, 50), "std::vector<std::pair<...>, A<B>>::push_back(int)");
  EXPECT_EQ(ShortenFunction(name, 36), "std::vector<...>::push_back(int)");
  EXPECT_EQ(ShortenFunction(name, 28), "std::vector<...>::push_back");
}

TEST(ShortenFunction, DoesNotTakeOperatorsForBrackets) {
  EXPECT_EQ(ShortenFunction("bool operator< <int>(Matrix<double, 3, 3> const&)", 30),
            "bool operator< <int>(...)");
  EXPECT_EQ(ShortenFunction("std::ostream& operator<<(std::ostream&, Matrix const&)", 40),
            "std::ostream& operator<<(...)");
  EXPECT_EQ(ShortenFunction("Pointer::operator->() const", 27), "Pointer::operator->() const");
}

TEST(ShortenFunction, KeepsScopeAndFunctionOfARustName) {
  EXPECT_EQ(ShortenFunction("<alloc::vec::Vec<T> as core::clone::Clone>::clone", 40),
            "<alloc::vec:...ore::clone::Clone>::clone");
}

TEST(ShortenFunction, CutsTheMiddleWhenNothingElseHelps) {
  EXPECT_EQ(ShortenFunction("a_function_of_c_with_a_very_long_name", 20), "a_fun...ry_long_name");
}

TEST(ShortenFunction, NeverExceedsTheWidth) {
  const std::string name = "a::b<c<d>, e(f)>::g(h<i>, j) [clone .cold]";
  for (std::size_t width = 1; width < 60; ++width) {
    EXPECT_LE(DisplayWidth(ShortenFunction(name, width)), width);
  }
}

TEST(KeepTail, CountsCharactersNotBytes) {
  EXPECT_EQ(KeepTail("größe.cpp:12", 12), "größe.cpp:12");
  EXPECT_EQ(KeepTail("größe.cpp:12", 10), "....cpp:12");
  EXPECT_EQ(KeepHead("größe.cpp:12", 6), "grö...");
}

TEST(Printable, ReplacesControlsAndBrokenUtf8) {
  EXPECT_EQ(Printable("a\tb\x1b[0m"), "a?b?[0m");
  EXPECT_EQ(Printable("\xc3\xb6 \xc3 \xff"), "\xc3\xb6 ? ?");
  EXPECT_EQ(Printable("\xc2\x9b"
                      "2J"),
            "?2J");  // a C1 control
}

}  // namespace
}  // namespace csink::report
