#include <gmock/gmock.h>

#include <cerrno>
#include <fstream>
#include <set>

#include "symbolizer/report/compare/compare.h"
#include "symbolizer/report/html/comparison_data.h"
#include "symbolizer/report/html/page_assets.h"
#include "symbolizer/report/html/renamed_rows.h"
#include "symbolizer/report/text/diff_writers.h"
#include "tests/symbolizer/report/html/written_page.h"

/// File: the page of a comparison: its numbers are those of the JSON comparison of the same runs.

namespace csink::testing {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::json;

/// A run of the solver with `more` samples in kernel(), and one at an address without a name: too
/// few for a test.
SpoolBuilder Run(std::uint64_t more) {
  SpoolBuilder spool = StacksSpool();
  spool.AddHits(0, 1, 0x404100, 1 + more);
  spool.AddHits(1, 1, 0x7f2000, 1);
  return spool;
}

/// Runs that differ a little. `more` samples are added to kernel().
std::vector<report::Baseline> Runs(std::size_t count, std::uint64_t more) {
  std::vector<report::Baseline> runs;
  for (std::size_t i = 0; i < count; ++i) {
    const SpoolBuilder spool = Run(more + i);
    runs.push_back(report::BaselineOf(MakeAll({&spool}, StacksNames())));
  }
  return runs;
}

/// A comparison with everything that its page needs.
struct Compared {
  std::vector<report::Baseline> then;
  std::vector<report::Baseline> now;
  report::Comparison comparison;
  report::Report was_report;
  report::Report now_report;

  explicit Compared(std::size_t count = 3) : then(Runs(count, 0)), now(Runs(count, 4000)) {
    comparison = report::CompareRuns(now, then);
    comparison.was.name = "before";
    comparison.now.name = "after";
    const SpoolBuilder a = Run(0);
    const SpoolBuilder b = Run(4000);
    was_report = MakeAll({&a}, StacksNames());
    now_report = MakeAll({&b}, StacksNames());
  }
};

/// The page with the profiles that are given.
std::string PageOf(const Compared& compared, const report::Report* was, const report::Report* now) {
  const report::RowFinder rows(compared.comparison, compared.now, compared.then);
  std::string text;
  report::Sink sink([&](std::string_view bytes) -> Result<void> {
    text += bytes;
    return {};
  });
  const auto written = report::WriteComparisonPage({compared.comparison, rows, {was}, {now}}, sink);
  EXPECT_TRUE(written) << written.error().what;
  return text;
}
std::string PageOf(const Compared& compared) {
  return PageOf(compared, &compared.was_report, &compared.now_report);
}

/// The comparison in the block of data, with at most `most` rows.
Json DataWith(const Compared& compared, std::size_t most) {
  const report::RowFinder rows(compared.comparison, compared.now, compared.then);
  std::string text;
  report::Sink sink([&](std::string_view bytes) -> Result<void> {
    text += bytes;
    return {};
  });
  report::PageJson json(sink);
  report::WriteComparisonData({compared.comparison, rows, {}, {}}, json, most);
  EXPECT_TRUE(sink.Finish());
  return Json::parse(text);
}

TEST(ComparisonPage, HasTheNumbersOfTheJsonComparison) {
  for (const std::size_t count : {std::size_t{1}, std::size_t{3}}) {
    const Compared compared(count);
    const Json page = Json::parse(DataOf(PageOf(compared)));
    const Json& data = page["comparison"];
    const Json json = Json::parse(report::WriteDiffJson(compared.comparison));
    const Json& rows = data["rows"];
    ASSERT_EQ(rows["function"].size(), json["rows"].size());
    ASSERT_GE(json["rows"].size(), 4u);
    for (std::size_t i = 0; i < json["rows"].size(); ++i) {
      const Json& row = json["rows"][i];
      for (const char* key : {"share", "was", "change", "amount", "was_amount", "ratio_low",
                              "ratio_high", "p_value", "adjusted_p_value", "findable", "moved"}) {
        EXPECT_EQ(rows[key][i], row[key]) << key << " of row " << i;
      }
      for (const char* key : {"function", "module"}) {
        EXPECT_EQ(data["names"][rows[key][i].get<std::size_t>()], row[key]);
      }
      const std::string mark = rows["mark"][i];
      EXPECT_EQ(mark == "t", row["significant"].get<bool>());
      EXPECT_EQ(rows["direction"][i] != 0, !mark.empty());
    }
    EXPECT_EQ(data["tested"], count == 3);
    EXPECT_EQ(data["event"], json["event"]);
    for (const char* key : {"ratio", "ratio_low", "ratio_high"}) EXPECT_EQ(data[key], json[key]);
    EXPECT_EQ(data["cpu_p_value"], json["cpu_p_value"]);
    for (const auto& [key, value] : json["a"].items()) EXPECT_EQ(data["sides"][0][key], value);
    for (const auto& [key, value] : json["b"].items()) EXPECT_EQ(data["sides"][1][key], value);
  }
}

TEST(ComparisonPage, FramesKnowTheRowOfTheirFunction) {
  const Compared compared;
  const Json page = Json::parse(DataOf(PageOf(compared)));
  const Json& data = page["comparison"];
  for (std::size_t side = 0; side < 2; ++side) {
    const Json& profile = page["profiles"][side];
    const Json& frames = data["sides"][side]["frames"];
    EXPECT_EQ(data["sides"][side]["profile"], side);
    ASSERT_EQ(frames.size(), profile["frames"]["name"].size());
    std::size_t found = 0;
    for (std::size_t f = 0; f < frames.size(); ++f) {
      const std::string name = profile["names"][profile["frames"]["name"][f].get<std::size_t>()];
      if (frames[f] == -1) continue;
      ++found;
      const std::size_t row = frames[f];
      // Addresses in modules without a build-id are one row.
      const bool is_address = name.rfind("[", 0) == 0;
      EXPECT_EQ(data["names"][data["rows"]["function"][row].get<std::size_t>()],
                is_address ? "[libc.so.6, without symbols]" : name);
      // Only kernel() grew; the others lost shares.
      const bool is_kernel = name.rfind("kernel", 0) == 0;
      EXPECT_EQ(data["rows"]["direction"][row] == 1, is_kernel) << name;
    }
    EXPECT_GE(found, 4u);
  }
}

TEST(ComparisonPage, SaysWhatTheTextSays) {
  const Compared compared(1);
  const std::string page = PageOf(compared);
  const Json data = Json::parse(DataOf(page))["comparison"];
  const auto lines = report::DiffLines(compared.comparison);
  ASSERT_EQ(data["lines"].size(), lines.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    EXPECT_EQ(data["lines"][i], Json::array({lines[i].label, lines[i].text}));
  }
  // Without JavaScript, too.
  const std::string first = Between(page, "<main", "</main>");
  EXPECT_THAT(first, HasSubstr("before</bdi> (A) and <bdi>after"));
  EXPECT_THAT(first, HasSubstr("Give three or more runs on each side"));
  EXPECT_THAT(first, HasSubstr("kernel(double*, double*)"));
}

TEST(ComparisonPage, ASideWithoutSamplesHasNoProfile) {
  const Compared compared;
  const Json without_a = Json::parse(DataOf(PageOf(compared, nullptr, &compared.now_report)));
  EXPECT_EQ(without_a["profiles"].size(), 1u);
  EXPECT_EQ(without_a["comparison"]["sides"][0]["profile"], -1);
  EXPECT_TRUE(without_a["comparison"]["sides"][0]["frames"].empty());
  EXPECT_EQ(without_a["comparison"]["sides"][1]["profile"], 0);
  const Json without_both = Json::parse(DataOf(PageOf(compared, nullptr, nullptr)));
  EXPECT_TRUE(without_both["profiles"].empty());
  EXPECT_EQ(without_both["comparison"]["rows"], without_a["comparison"]["rows"]);
}

/// Runs of a program in which work() has `name`, and begins at `line` of `file`.
struct NamedRuns {
  std::vector<report::Baseline> runs;
  report::Report report;

  NamedRuns(const std::string& name, const std::string& file, std::uint32_t line,
            std::uint64_t samples, bool has_twin = false) {
    const auto make = [&](std::uint64_t more) {
      SpoolBuilder spool;
      const auto app = spool.AddRegion({.path = "/bin/app", .start = 0x400000, .end = 0x410000});
      spool.AddHits(app, 1, 0x401000, 1000 + more);
      spool.AddHits(app, 1, 0x402000, samples / 4);
      spool.AddHits(app, 1, 0x402040, samples / 2 + more);
      spool.AddHits(app, 1, 0x402080, samples / 4);
      if (has_twin) spool.AddHits(app, 1, 0x403040, samples);
      FakeResolver names;
      names.Add("/bin/app", 0x1000,
                {.end = 0x2000, .name = "main", .file = file, .first_line = 100});
      names.Add("/bin/app", 0x2000,
                {.end = 0x3000, .name = name, .file = file, .first_line = line});
      names.Add("/bin/app", 0x3000,
                {.end = 0x4000, .name = name + "_twin", .file = file, .first_line = line});
      return MakeAll({&spool}, names);
    };
    for (std::uint64_t i = 0; i < 3; ++i) runs.push_back(report::BaselineOf(make(i)));
    report = make(0);
  }
};

/// The renamed functions between two builds.
std::vector<report::RenamedRow> RenamedBetween(const NamedRuns& was, const NamedRuns& now,
                                               report::Comparison& comparison) {
  comparison = report::CompareRuns(now.runs, was.runs);
  const report::RowFinder rows(comparison, now.runs, was.runs);
  return report::FindRenamed(comparison, rows, was.report, now.report, was.runs, now.runs);
}

TEST(ComparisonPage, AFunctionWithAnotherNameAndTheSameLinesIsOneRow) {
  const NamedRuns was("old_work", "/a/work.c", 10, 400);
  const NamedRuns now("new_work", "/b/work.c", 12, 404);
  report::Comparison comparison;
  const auto renamed = RenamedBetween(was, now, comparison);
  ASSERT_EQ(renamed.size(), 1u);
  const report::ChangeRow& gone = comparison.functions[renamed[0].was];
  const report::ChangeRow& added = comparison.functions[renamed[0].now];
  EXPECT_EQ(gone.function, "old_work");
  EXPECT_EQ(added.function, "new_work");
  EXPECT_EQ(renamed[0].joined.was, gone.was);
  EXPECT_EQ(renamed[0].joined.share, added.share);
  // Two rows with significant changes were one function that did not change.
  EXPECT_TRUE(gone.significant);
  EXPECT_FALSE(renamed[0].joined.significant);
  EXPECT_EQ(renamed[0].evidence, "work.c: lines 10-18 in A, 12-20 in B; hottest 14 and 16");

  const report::RowFinder rows(comparison, now.runs, was.runs);
  report::ComparedPage page{comparison, rows, {&was.report}, {&now.report}};
  page.renamed = renamed;
  std::string text;
  report::Sink sink([&](std::string_view bytes) -> Result<void> {
    text += bytes;
    return {};
  });
  report::PageJson json(sink);
  report::WriteComparisonData(page, json);
  ASSERT_TRUE(sink.Finish());
  const Json data = Json::parse(text);
  EXPECT_EQ(data["rows"]["function"].size(), comparison.functions.size() - 1);
  ASSERT_EQ(data["renamed"].size(), 1u);
  const std::size_t row = data["renamed"][0]["row"];
  EXPECT_EQ(data["names"][data["renamed"][0]["was"].get<std::size_t>()], "old_work");
  EXPECT_EQ(data["names"][data["rows"]["function"][row].get<std::size_t>()], "new_work");
  EXPECT_EQ(data["rows"]["direction"][row], 0);
  EXPECT_EQ(data["left_out"], 0);
}

TEST(ComparisonPage, NothingIsRenamedWithoutEvidence) {
  const NamedRuns was("old_work", "/a/work.c", 10, 400);
  report::Comparison comparison;
  EXPECT_TRUE(RenamedBetween(was, {"new_work", "/a/work.c", 19, 400}, comparison).empty())
      << "the lines do not overlap";
  EXPECT_TRUE(RenamedBetween(was, {"new_work", "/a/work.c", 16, 400}, comparison).empty())
      << "the hottest lines are outside";
  EXPECT_TRUE(RenamedBetween(was, {"new_work", "/a/other.c", 10, 400}, comparison).empty())
      << "another file";
  EXPECT_TRUE(RenamedBetween(was, {"new_work", "", 10, 400}, comparison).empty())
      << "no lines are known";
  EXPECT_TRUE(RenamedBetween(was, {"new_work", "/a/work.c", 10, 4000}, comparison).empty())
      << "a much larger share";
  EXPECT_TRUE(RenamedBetween(was, {"new_work", "/a/work.c", 10, 400, true}, comparison).empty())
      << "two functions with the same lines";
  EXPECT_TRUE(RenamedBetween(was, {"old_work", "/a/work.c", 10, 400}, comparison).empty())
      << "the same name";
}

TEST(ComparisonPage, AnEmptySideIsAPage) {
  Compared compared;
  compared.then = {report::Baseline()};
  compared.comparison = report::CompareRuns(compared.now, compared.then);
  SpoolBuilder empty;
  const report::Report nothing = MakeAll({&empty}, FakeResolver());
  const std::string page = PageOf(compared, &nothing, &compared.now_report);
  const Json data = Json::parse(DataOf(page));
  EXPECT_EQ(data["profiles"].size(), 2u);
  EXPECT_TRUE(data["comparison"]["rows"]["function"].empty());
  EXPECT_EQ(data["comparison"]["event"], "");
  EXPECT_THAT(page, HasSubstr("A and B have no event in common"));
  for (const Json& row : data["comparison"]["sides"][1]["frames"]) EXPECT_EQ(row, -1);
}

TEST(ComparisonPage, KeepsMarkedRowsWhenItLeavesOutOthers) {
  const Compared compared;
  const Json all = DataWith(compared, 1000);
  EXPECT_EQ(all["left_out"], 0);
  std::size_t marked = 0;
  for (const Json& mark : all["rows"]["mark"]) marked += mark != "";
  ASSERT_GT(marked, 0u);
  ASSERT_LT(marked, all["rows"]["mark"].size());
  const Json few = DataWith(compared, 0);
  EXPECT_EQ(few["rows"]["mark"].size(), marked);
  EXPECT_EQ(few["left_out"], all["rows"]["mark"].size() - marked);
  for (const Json& mark : few["rows"]["mark"]) EXPECT_NE(mark, "");
}

TEST(ComparisonPage, ShowsHostileNamesAsText) {
  Compared compared;
  const std::string name = "</script><img src=x onerror=\"alert(1)\">\xff" + std::string(1, '\0') +
                           "\xe2\x80\xae" + std::string(10'000, 'n');
  compared.comparison.was.name = compared.comparison.now.command = name;
  compared.comparison.functions[0].function = name;
  const std::string page = PageOf(compared);
  std::size_t scripts = 0;
  for (std::size_t at = 0; (at = page.find("<script", at)) != page.npos; ++at) ++scripts;
  EXPECT_EQ(scripts, 2u);
  EXPECT_EQ(page.find("<img"), page.npos);
  EXPECT_EQ(page.find('\0'), page.npos);
  const Json data = Json::parse(DataOf(page))["comparison"];
  const std::size_t function = data["rows"]["function"][0];
  EXPECT_THAT(data["names"][function].get<std::string>(), HasSubstr("</script><img src=x"));
}

TEST(ComparisonPage, HasTheDocumentedKeysAndNoOthers) {
  std::ifstream file(std::string(CSINK_DOCS_DIR) + "/page.schema.json");
  ASSERT_TRUE(file);
  const Json described = Json::parse(file)["properties"]["comparison"]["properties"];
  std::set<std::string> documented;
  for (const auto& [key, value] : described.items()) documented.insert(key);
  for (const auto& [key, value] : described["sides"]["items"]["properties"].items()) {
    documented.insert("sides[]." + key);
  }
  for (const auto& [key, value] : described["rows"]["properties"].items()) {
    documented.insert("rows." + key);
  }
  const Json data = Json::parse(DataOf(PageOf(Compared())))["comparison"];
  std::set<std::string> written;
  for (const auto& [key, value] : data.items()) written.insert(key);
  for (const auto& [key, value] : data["sides"][0].items()) written.insert("sides[]." + key);
  for (const auto& [key, value] : data["rows"].items()) written.insert("rows." + key);
  EXPECT_EQ(written, documented);
}

TEST(ComparisonPage, HasThePolicyOfAllPagesAndKeepsTheSinksError) {
  const Compared compared;
  EXPECT_THAT(PageOf(compared), HasSubstr("default-src 'none'; img-src data:; style-src '" +
                                          std::string(report::kPageStyleHash)));
  const report::RowFinder rows(compared.comparison, compared.now, compared.then);
  report::Sink sink([](std::string_view) -> Result<void> {
    return Error{Errc::kLimit, ENOSPC, "full"};
  });
  const auto result = report::WriteComparisonPage({compared.comparison, rows, {}, {}}, sink);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().sys_errno, ENOSPC);
}

}  // namespace
}  // namespace csink::testing
