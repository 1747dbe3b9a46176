#include "symbolizer/report/wording/shorten.h"

#include <gtest/gtest.h>

#include <set>

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

TEST(ShortenFunctions, KeepsDifferentNamesDifferent) {
  std::vector<std::string> names;
  for (int i = 1; i <= 4; ++i) {
    names.push_back("void Pool::run<solve(std::vector<double>&)::{lambda(int)#" +
                    std::to_string(i) + "}>(solve(std::vector<double>&)::{lambda(int)#" +
                    std::to_string(i) + "}&&)");
  }
  names.push_back("other");
  for (const std::size_t width : {70, 40, 30, 20, 12}) {
    const auto texts = ShortenFunctions(names, std::vector<std::size_t>(names.size(), width));
    EXPECT_EQ(std::set<std::string>(texts.begin(), texts.end()).size(), names.size()) << width;
    for (const std::string& text : texts) EXPECT_LE(DisplayWidth(text), width) << text;
    EXPECT_EQ(texts[4], "other");
  }
  const auto texts = ShortenFunctions(names, std::vector<std::size_t>(names.size(), 40));
  EXPECT_NE(texts[2].find("#3"), std::string::npos) << texts[2];
}

TEST(ShortenFunctions, ShortensOneNameAsAlways) {
  const std::string name = "std::vector<std::pair<int, std::string>, A<B>>::push_back(int)";
  EXPECT_EQ(ShortenFunctions({name, name, "f(int)"}, {28, 28, 6}),
            (std::vector<std::string>{"std::vector<...>::push_back", "std::vector<...>::push_back",
                                      "f(int)"}));
}

TEST(ShortenFunctions, DoesNotCutCharacters) {
  const std::vector<std::string> names = {"ääääääääääääääää1öööööööööööööööö",
                                          "ääääääääääääääää2öööööööööööööööö"};
  const auto texts = ShortenFunctions(names, {20, 20});
  EXPECT_NE(texts[0], texts[1]);
  for (const std::string& text : texts) EXPECT_EQ(Printable(text), text);
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

TEST(Printable, ReplacesMarksThatChangeTheDirectionOfText) {
  for (const char* mark : {"\xd8\x9c", "\xe2\x80\x8e", "\xe2\x80\x8f", "\xe2\x80\xa8",
                           "\xe2\x80\xaa", "\xe2\x80\xae", "\xe2\x81\xa6", "\xe2\x81\xa9"}) {
    EXPECT_EQ(Printable("rtl-" + std::string(mark) + "txt"), "rtl-?txt");
  }
  // Neighbours of the ranges: U+2027, U+202F, U+2065, U+206A, U+200D.
  for (const char* other :
       {"\xe2\x80\xa7", "\xe2\x80\xaf", "\xe2\x81\xa5", "\xe2\x81\xaa", "\xe2\x80\x8d"}) {
    EXPECT_EQ(Printable(other), other);
  }
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
