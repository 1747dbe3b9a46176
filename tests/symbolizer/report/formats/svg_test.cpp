#include <gmock/gmock.h>

#include <map>
#include <regex>

#include "tests/symbolizer/report/formats/written.h"
#include "tests/symbolizer/report/formats/xml_text.h"

namespace csink::testing {
namespace {

/// A rectangle of the flame graph.
struct Rectangle {
  double x = 0, y = 0, width = 0;
  std::string title;  ///< All of its title
  std::string name;   ///< The function
  std::uint64_t ns = 0;
};

struct Picture {
  std::vector<XmlElement> elements;
  std::vector<Rectangle> rectangles;
  std::string facts;

  explicit Picture(const std::string& text) {
    const auto read = ReadXml(text);
    EXPECT_TRUE(read) << text.substr(0, 2000);
    if (!read) return;
    elements = *read;
    static const std::regex kTitle(
        R"((.*?)(?: \([^()]*\))?: (?:.*, )?([\d,]+) (?:ns|events) in .*)");
    std::string title;
    bool is_in_group = false;
    for (const XmlElement& element : elements) {
      if (element.name == "g") is_in_group = true;
      if (element.name == "desc") facts = element.text;
      if (element.name == "title") title = element.text;
      if (element.name != "rect" || !is_in_group) continue;
      Rectangle rectangle;
      rectangle.x = std::stod(element.attributes.at("x"));
      rectangle.y = std::stod(element.attributes.at("y"));
      rectangle.width = std::stod(element.attributes.at("width"));
      rectangle.title = title;
      std::smatch match;
      if (std::regex_match(title, match, kTitle)) {
        rectangle.name = match[1];
        rectangle.ns = std::stoull(std::regex_replace(match[2].str(), std::regex(","), ""));
      }
      rectangles.push_back(rectangle);
    }
  }
};

TEST(Svg, DrawsEachPathAsWideAsItsShare) {
  const auto report = MakeStacksReport();
  const Picture picture(Written(report, ReportFormat::kSvg));
  const double all_ns = static_cast<double>(report.profile.events[0].weight);
  std::map<std::string, std::uint64_t> ns;
  for (const Rectangle& rectangle : picture.rectangles) {
    ASSERT_FALSE(rectangle.name.empty()) << rectangle.title;
    ns[rectangle.name] += rectangle.ns;
    EXPECT_NEAR(rectangle.width, 1180 * static_cast<double>(rectangle.ns) / all_ns, 0.01);
    EXPECT_GE(rectangle.x, 10);
    EXPECT_LE(rectangle.x + rectangle.width, 1190.01);
  }
  EXPECT_EQ(ns["all"], report.profile.events[0].weight);
  EXPECT_EQ(ns["main"], (1000 - 50) * 1'000'003ull);
  EXPECT_EQ(ns["memcpy"], 320 * 1'000'003ull);
  EXPECT_EQ(ns["[cut]"], 50 * 1'000'003ull);
}

TEST(Svg, PutsCalleesAboveTheirCallers) {
  const Picture picture(Written(MakeStacksReport(), ReportFormat::kSvg));
  std::map<std::string, Rectangle> by_name;
  for (const Rectangle& rectangle : picture.rectangles) by_name[rectangle.name] = rectangle;
  const Rectangle& caller = by_name.at("main");
  const Rectangle& callee = by_name.at("load(char const*)");
  EXPECT_LT(callee.y, caller.y);
  EXPECT_LT(caller.y, by_name.at("all").y);
  EXPECT_GE(callee.x, caller.x);
  EXPECT_LE(callee.x + callee.width, caller.x + caller.width + 0.01);
}

TEST(Svg, HasIntervalsAndTheVerdict) {
  const Picture picture(Written(MakeStacksReport(), ReportFormat::kSvg));
  static const std::regex kInterval(R"(.*: [\d.]+% \[[\d.]+\.\.[\d.]+\], .*)");
  for (const Rectangle& rectangle : picture.rectangles) {
    if (rectangle.name == "all") continue;
    EXPECT_TRUE(std::regex_match(rectangle.title, kInterval)) << rectangle.title;
  }
  EXPECT_THAT(picture.facts, ::testing::HasSubstr("\nverdict "));
}

TEST(Svg, HasNothingThatRunsOrLoads) {
  const std::string text = Written(MakeStacksReport(), ReportFormat::kSvg);
  for (const XmlElement& element : Picture(text).elements) {
    EXPECT_THAT(element.name, ::testing::AnyOf("svg", "title", "desc", "rect", "text", "g"));
    for (const auto& [name, value] : element.attributes) {
      EXPECT_NE(name.substr(0, 2), "on");
      EXPECT_EQ(name.find("href"), name.npos);
      if (name != "xmlns") {
        EXPECT_EQ(value.find("://"), value.npos);
      }
    }
  }
}

TEST(Svg, HasModulesWithoutStacks) {
  const SpoolBuilder spool = XzSpool();
  const std::string text = Written(MakeAll({&spool}, XzNames()), ReportFormat::kSvg);
  EXPECT_THAT(text, ::testing::HasSubstr("<title>liblzma.so.5.4.1: "));
  EXPECT_THAT(text, ::testing::HasSubstr("no stacks were recorded"));
}

TEST(Svg, CountsWhatIsTooNarrow) {
  SpoolBuilder spool;
  const auto region = spool.AddRegion({.path = "/bin/app", .start = 0, .end = 0x40000});
  spool.AddHits(region, 1, 0x1000, 100'000);
  spool.AddHits(region, 1, 0x2000, 1);
  FakeResolver names;
  names.Add("/bin/app", 0x1000, {.end = 0x1100, .name = "hot"});
  names.Add("/bin/app", 0x2000, {.end = 0x2100, .name = "cold"});
  const std::string text = Written(MakeAll({&spool}, names), ReportFormat::kSvg);
  EXPECT_THAT(text, ::testing::HasSubstr("; 1 path is too narrow to be drawn"));
  EXPECT_EQ(text.find("cold"), text.npos);
}

TEST(Svg, DrawsTheChosenEvent) {
  const SpoolBuilder spool = PmuSpool();
  const auto report = MakeAll({&spool}, PmuNames());
  const Picture picture(Written(report, ReportFormat::kSvg, {.events = {2}}));
  EXPECT_EQ(picture.rectangles.at(0).ns, report.profile.events[2].weight);
}

}  // namespace
}  // namespace csink::testing
