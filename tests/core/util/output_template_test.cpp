#include "core/util/output_template.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace csink {
namespace {

using Values = std::map<std::string, std::string>;  // "p" or "{NAME"

bool ValueOf(const TemplatePart& part, std::string_view& value, void* context) noexcept {
  const auto& values = *static_cast<const Values*>(context);
  const auto found = values.find(std::string(1, part.letter) + std::string(part.variable));
  if (found == values.end()) return false;
  value = found->second;
  return true;
}

std::string Expand(std::string_view text, Values values,
                   TemplateRound round = TemplateRound::kLast) {
  TemplatePath path;
  const auto done = ExpandTemplate(text, ValueOf, &values, round, path);
  return done ? std::string(path.view()) : std::string("error: ") + done.error().what;
}

TEST(OutputTemplate, FillsInEveryPart) {
  EXPECT_EQ(Expand("/o/%e.%h.%p.%r.%j.%g.%t.%n.%{X}.%%", {{"e", "app"},
                                                          {"h", "host"},
                                                          {"p", "4711"},
                                                          {"r", "3"},
                                                          {"j", "77"},
                                                          {"g", "1"},
                                                          {"t", "T"},
                                                          {"n", "5"},
                                                          {"{X", "x"}}),
            "/o/app.host.4711.3.77.1.T.5.x.%");
}

TEST(OutputTemplate, LeavesUnknownPartsAsTheyAre) {
  EXPECT_EQ(Expand("%x%", {}), "%x%");
  EXPECT_EQ(Expand("%{}a%{X", {{"{", "bad"}, {"{X", "bad"}}), "%{}a%{X");
  EXPECT_EQ(Expand("%p%e", {{"e", "x"}}), "%px");
  EXPECT_EQ(UnknownPart("%e.%p%%"), "");
  EXPECT_EQ(UnknownPart("%e.%x%%"), "%x");
  EXPECT_EQ(UnknownPart("a%"), "%");
  EXPECT_EQ(UnknownPart("a%{}b"), "%{}");
  EXPECT_EQ(UnknownPart("a%{b"), "%{b");
}

TEST(OutputTemplate, SaysNoneForNothing) { EXPECT_EQ(Expand("r.%r", {{"r", ""}}), "r.none"); }

TEST(OutputTemplate, KeepsOneRoundsPercentsForTheNext) {
  const std::string first = Expand("%{X}%%%p", {{"{X", "1%p"}}, TemplateRound::kFirst);
  EXPECT_EQ(first, "1%%p%%%p");
  EXPECT_EQ(Expand(first, {{"p", "9"}}), "1%p%9");
  const std::string open = Expand("%{A%p", {{"p", "}"}}, TemplateRound::kFirst);
  EXPECT_EQ(Expand(open, {{"{A", "planted"}}), "%{A}");
}

TEST(OutputTemplate, LetsNoValueNameAnotherFolder) {
  EXPECT_EQ(Expand("/o/%e/x", {{"e", "../../etc/passwd"}}), "/o/_._.._etc_passwd/x");
  EXPECT_EQ(Expand("/o/%e", {{"e", ".."}}), "/o/_.");
  EXPECT_EQ(Expand("/o/%e", {{"e", "."}}), "/o/_");
  EXPECT_EQ(Expand("/o/.%e", {{"e", "."}}), "/o/._");
  EXPECT_EQ(Expand("/o/%e%h", {{"e", "."}, {"h", "."}}), "/o/_.");
  EXPECT_EQ(Expand("%e", {{"e", ".hidden"}}), "_hidden");
  EXPECT_EQ(Expand("%e", {{"e", "/abs"}}), "_abs");
  EXPECT_EQ(Expand("/o/a%e", {{"e", "..b"}}), "/o/a..b");
  EXPECT_EQ(Expand("../%e", {{"e", "x"}}), "../x") << "the template's own dots are meant";
}

TEST(OutputTemplate, LetsNoControlByteThrough) {
  EXPECT_EQ(Expand("%e", {{"e", std::string("a\n\x1b[2J\x7f\0z", 9)}}), "a__[2J__z");
  EXPECT_EQ(Expand("%e", {{"e", "\xc2\x9b"}}), "__") << "CSI of eight-bit terminals";
}

TEST(OutputTemplate, KeepsUtf8AndNothingThatOnlyLooksLikeIt) {
  for (const char* good : {"\xc3\xa4", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "\xc2\xa0"}) {
    EXPECT_EQ(Expand("%e", {{"e", good}}), good);
  }
  EXPECT_EQ(Expand("%e", {{"e", "\xff\xfe"}}), "__");
  EXPECT_EQ(Expand("%e", {{"e", "\xc0\xaf"}}), "__") << "a '/' in too many bytes";
  EXPECT_EQ(Expand("%e", {{"e", "\xe0\x80\xaf"}}), "___");
  EXPECT_EQ(Expand("%e", {{"e", "\xed\xa0\x80"}}), "___") << "half a surrogate pair";
  EXPECT_EQ(Expand("%e", {{"e", "\xf4\x90\x80\x80"}}), "____");
  EXPECT_EQ(Expand("%e", {{"e", "a\xe2\x82"}}), "a__") << "cut in the middle";
}

TEST(OutputTemplate, CutsLongValuesAtACharacter) {
  std::string name(kTemplateValueBytes - 1, 'x');
  const std::string with_umlaut = name + "\xc3\xa4";
  EXPECT_EQ(Expand("%e", {{"e", with_umlaut}}), name);
  const std::string with_two = name + "yz";
  EXPECT_EQ(Expand("%e", {{"e", with_two}}), name + "y");
}

TEST(OutputTemplate, RefusesAPathThatDoesNotFit) {
  EXPECT_EQ(Expand(std::string(5000, 'x'), {}), "error: the name of the output is too long");
  std::string many;
  for (int i = 0; i < 100; ++i) many += "%e";
  EXPECT_EQ(Expand(many, {{"e", std::string(200, 'x')}}),
            "error: the name of the output is too long");
}

TEST(OutputTemplate, FindsAPart) {
  EXPECT_TRUE(TemplateHas("a.%p", 'p'));
  EXPECT_FALSE(TemplateHas("a.%%p", 'p'));
  EXPECT_FALSE(TemplateHas("a.%{p}", 'p'));
  EXPECT_TRUE(TemplateHas("a.%{p}%n", 'n'));
}

}  // namespace
}  // namespace csink
