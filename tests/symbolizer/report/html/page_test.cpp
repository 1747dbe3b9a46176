#include "symbolizer/report/html/page.h"

#include <gmock/gmock.h>

#include <fstream>
#include <map>
#include <set>

#include "symbolizer/report/html/page_assets.h"
#include "symbolizer/report/json/json.h"
#include "tests/symbolizer/report/html/written_page.h"
#include "tests/symbolizer/report/rank_sample.h"

namespace csink::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Page, HasItsPolicyStyleAndCode) {
  const std::string page = WrittenPage(MakeStacksReport());
  EXPECT_THAT(page, HasSubstr("default-src 'none'; img-src data:; style-src '" +
                              std::string(report::kPageStyleHash) + "'; script-src '" +
                              std::string(report::kPageScriptHash) + "'"));
  EXPECT_EQ(Between(page, "<style>", "</style>"), report::kPageStyle);
  EXPECT_EQ(Between(page, "</script>\n<script>", "</script>"), report::kPageScript);
  // The name of a language, which is no address that is asked.
  std::string script(report::kPageScript);
  const std::string svg = "'http://www.w3.org/2000/svg'";
  ASSERT_EQ(script.find(svg), script.rfind(svg));
  script.replace(script.find(svg), svg.size(), "''");
  for (const char* request : {"http:", "https:", "fetch(", "XMLHttpRequest", "import(", "eval("}) {
    EXPECT_THAT(script, Not(HasSubstr(request)));
  }
  EXPECT_LT(page.size(), 200'000u);
}

TEST(Page, AsksItsServerOnlyIfItIsLive) {
  const auto report = MakeStacksReport();
  std::string page;
  std::string data;
  const auto into = [](std::string& text) {
    return report::Sink([&text](std::string_view bytes) -> Result<void> {
      text += bytes;
      return {};
    });
  };
  report::Sink page_sink = into(page);
  report::Sink data_sink = into(data);
  ASSERT_TRUE(report::WritePage(report, {}, page_sink, report::PageKind::kLive));
  ASSERT_TRUE(report::WriteLiveData(report, {}, data_sink));
  EXPECT_THAT(page, HasSubstr("script-src '" + std::string(report::kPageScriptHash) + "' '" +
                              std::string(report::kLiveScriptHash) +
                              "'; connect-src 'self'; base-uri 'none'"));
  EXPECT_THAT(page, HasSubstr("<script>" + std::string(report::kLiveScript) + "</script>"));
  EXPECT_THAT(std::string(report::kLiveScript), HasSubstr("fetch("));
  EXPECT_EQ(DataOf(page), data);
  const std::string file = WrittenPage(report);
  EXPECT_THAT(file, Not(HasSubstr("connect-src")));
  EXPECT_THAT(file, Not(HasSubstr("data-live")));
  EXPECT_THAT(file, Not(HasSubstr("fetch(")));
}

TEST(Page, HasTheNumbersOfTheJsonReport) {
  const auto report = MakeStacksReport();
  const auto profile = ProfileOf(WrittenPage(report));
  auto json = nlohmann::json::parse(report::WriteJson(report));
  for (const auto& [key, value] : profile["report"].items()) EXPECT_EQ(value, json[key]) << key;

  // Samples by function, from the columns.
  std::map<std::string, std::uint64_t> sums;
  const auto& samples = profile["samples"];
  for (std::size_t r = 0; r < samples["function"].size(); ++r) {
    const std::size_t f = samples["function"][r];
    const std::size_t m = profile["functions"]["module"][f];
    const std::string name = profile["names"][profile["functions"]["name"][f].get<std::size_t>()];
    sums[profile["modules"]["name"][m].get<std::string>() + ":" + name] +=
        samples["events"][0]["samples"][r].get<std::uint64_t>();
  }
  std::map<std::string, std::uint64_t> expected;
  for (const auto& row : json["functions"]) {
    expected[row["module"].get<std::string>() + ":" + row["function"].get<std::string>()] +=
        row["events"][0]["samples"].get<std::uint64_t>();
  }
  EXPECT_EQ(sums, expected);
  EXPECT_EQ(samples["events"][0]["unit"], report.profile.events[0].period);
  EXPECT_EQ(profile["nodes"]["frame"][0], -1);
  EXPECT_GT(profile["nodes"]["parent"].size(), 2u);
}

TEST(Page, HasTheDocumentedKeysAndNoOthers) {
  std::ifstream file(std::string(CSINK_DOCS_DIR) + "/page.schema.json");
  ASSERT_TRUE(file);
  const auto schema = nlohmann::json::parse(file);
  std::set<std::string> documented;
  for (const auto& [key, value] : schema["properties"]["profiles"]["items"]["properties"].items()) {
    documented.insert(key);
  }
  std::set<std::string> written;
  const auto profile = ProfileOf(WrittenPage(MakeStacksReport()));
  for (const auto& [key, value] : profile.items()) written.insert(key);
  EXPECT_EQ(written, documented);
  for (const char* left_out : {"functions", "lines", "stacks", "callers", "threads", "phases"}) {
    EXPECT_FALSE(profile["report"].contains(left_out)) << left_out;
  }
}

TEST(Page, HasTheRanksOfAJob) {
  EXPECT_TRUE(ProfileOf(WrittenPage(MakeStacksReport()))["report"]["ranks"].is_null());
  const FakeResolver names = RankNames();
  const auto profile = ProfileOf(
      WrittenPage(report::BuildReport(RankProfile(), std::cref(names), {.keep_addresses = true})));
  const auto& event = profile["report"]["ranks"]["events"][0];
  EXPECT_EQ(event["functions"][0]["function"], "Step");
  EXPECT_EQ(event["functions"][0]["max_rank"], 5);
  EXPECT_EQ(event["functions_left_out"], 0);
}

TEST(Page, HasTheSharesOfSlotsOfItsFunctions) {
  EXPECT_TRUE(ProfileOf(WrittenPage(MakeStacksReport()))["slots"].empty());
  SpoolBuilder b;
  SetText(b.event(0).name, "topdown.zen.slots-x8:u");
  b.event(0).kind = EventClass::kCycles;
  for (const char* name : {"retired", "backend", "frontend", "issued", "smt-contention"}) {
    b.AddEvent("topdown.zen." + std::string(name) + ":u", EventClass::kOther, 1'000'003);
  }
  const auto app = b.AddRegion({.path = "/bin/app", .start = 0x400000, .end = 0x500000});
  for (std::size_t event = 0; event < 6; ++event) b.AddHits(app, 1, 0x401000, 100, event);
  FakeResolver names;
  names.Add("/bin/app", 0x1000, {.end = 0x2000, .name = "f"});
  ProfileMerger merger({.keep_callers = true, .keep_threads = true});
  AddTo(merger, b);
  const auto report =
      report::BuildReport(merger.Finish(), std::cref(names), {.keep_addresses = true});
  const auto page = ProfileOf(WrittenPage(report));
  const auto json = nlohmann::json::parse(report::WriteJson(report));
  ASSERT_EQ(page["slots"].size(), 1u);
  EXPECT_EQ(page["slots"][0]["shares"], json["functions"][0]["derived_intervals"]);
  EXPECT_GT(page["slots"][0]["shares"][0]["value"], 0);
}

TEST(Page, ShowsHostileNamesAsText) {
  const std::string name =
      "</script><script>alert(1)</script><img src=x onerror=\"alert(2)\">\xff" +
      std::string(1, '\0') + "\xe2\x80\xae" + std::string(10'000, 'n');
  SpoolBuilder spool;
  spool.SetCommand("</title>", "'\"></main><script>");
  const auto region = spool.AddRegion({.path = "/</script>", .start = 0, .end = 0x4000});
  const auto thread = spool.AddThread(9, "</script>");
  spool.AddHits(region, thread, 0x1010, 7);
  FakeResolver names;
  names.Add("/</script>", 0x1000,
            {.end = 0x1100, .name = name, .file = "</script>.c", .first_line = 1});
  const std::string page = WrittenPage(MakeAll({&spool}, names));
  // Two script elements and one image's text: everything else is inert.
  std::size_t scripts = 0;
  for (std::size_t at = 0; (at = page.find("<script", at)) != page.npos; ++at) ++scripts;
  EXPECT_EQ(scripts, 2u);
  EXPECT_EQ(page.find("<img"), page.npos);
  EXPECT_EQ(page.find('\0'), page.npos);
  EXPECT_THAT(Between(page, "<main", "</main>"),
              HasSubstr("&lt;/script&gt;&lt;script&gt;alert(1)"));
  const auto profile = ProfileOf(page);
  const std::string kept = profile["names"][profile["functions"]["name"][0].get<std::size_t>()];
  EXPECT_THAT(kept, HasSubstr("</script><script>alert(1)"));
  EXPECT_THAT(kept, HasSubstr(std::string(10'000, 'n')));
}

TEST(Page, SaysThatAnEmptyProfileIsEmpty) {
  SpoolBuilder empty;
  for (const auto& report : {MakeAll({&empty}, FakeResolver()), MakeAll({}, FakeResolver())}) {
    const std::string page = WrittenPage(report);
    EXPECT_THAT(page, HasSubstr("The profile contains no samples."));
    EXPECT_TRUE(ProfileOf(page)["samples"]["function"].empty());
  }
}

TEST(Page, ShowsASingleSample) {
  SpoolBuilder spool;
  const auto region = spool.AddRegion({.path = "/bin/app", .start = 0, .end = 0x4000});
  spool.AddHits(region, 1, 0x1010, 1);
  const std::string page = WrittenPage(MakeAll({&spool}, FakeResolver()));
  EXPECT_EQ(ProfileOf(page)["samples"]["events"][0]["samples"], nlohmann::json::array({1}));
  EXPECT_THAT(Between(page, "<main", "</main>"), HasSubstr("100.0 %"));
}

TEST(Page, HasTheSourceOfHotFunctions) {
  SpoolBuilder spool;
  const auto region = spool.AddRegion({.path = "/bin/app", .start = 0, .end = 0x400000});
  spool.AddHits(region, 1, 0x1010, 1990);
  for (std::uint64_t i = 0; i < 10; ++i) spool.AddHits(region, 1, 0x2000 + 0x100 * i, 1);
  FakeResolver names;
  names.Add("/bin/app", 0x1000, {.end = 0x1100, .name = "hot"});
  const auto report = MakeAll({&spool}, names);
  const auto functions = report::FunctionsToAnnotate(report);
  ASSERT_EQ(functions.size(), 1u);
  EXPECT_EQ(functions[0].name, "hot");

  annotate::Annotation annotation;
  annotation.function = "hot";
  annotation.module = "app";
  annotation.of_program = {report.functions[0].events[0]};
  annotation.sources.resize(1);
  annotation.sources[0].recorded = "a.c";
  annotation.sources[0].lines = {{7, "if (a < b) </script>", true, true, {}}};
  annotation.code.lines.resize(1);
  annotation.code.lines[0].vaddr = 0x1010;
  annotation.code.lines[0].goes_to = 1;
  const auto profile = ProfileOf(WrittenPage(report, {annotation}));
  const auto& source = profile["sources"][0];
  EXPECT_EQ(source["counts"],
            nlohmann::json::array({1990, 1990 * report.profile.events[0].period}));
  EXPECT_EQ(source["sources"][0]["lines"][0][1], "if (a < b) </script>");
  EXPECT_EQ(source["code"]["lines"][0][0], "1010");
  EXPECT_EQ(source["code"]["lines"][0][3], 1);
}

TEST(Page, KeepsTheSinksError) {
  report::Sink sink([](std::string_view) -> Result<void> {
    return Error{Errc::kLimit, ENOSPC, "full"};
  });
  const auto result = report::WritePage(MakeStacksReport(), {}, sink);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().sys_errno, ENOSPC);
}

TEST(Page, IsSmallForManyPlaces) {
  constexpr std::uint64_t kPlaces = 20'000;
  SpoolBuilder spool;
  const auto region = spool.AddRegion({.path = "/bin/app", .start = 0, .end = 0x10000000});
  std::vector<std::uint32_t> chains(2'000);
  for (std::size_t i = 0; i < chains.size(); ++i) {
    chains[i] = spool.AddChain(i < 100 ? 0 : chains[i / 3], region, 0x2000 + 16 * i);
  }
  FakeResolver names;
  for (std::uint64_t f = 0; f < 500; ++f) {
    names.Add("/bin/app", 0x100000 + 1280 * f,
              {.end = 0x100000 + 1280 * f + 1280,
               .name = "ns::function" + std::to_string(f) + "(int, std::string const&)",
               .file = "/src/file" + std::to_string(f % 100) + ".cc",
               .first_line = static_cast<std::uint32_t>(f)});
  }
  for (std::uint64_t i = 0; i < kPlaces; ++i) {
    spool.AddHitsAt(region, 1, 0x100000 + 32 * i, 1 + i % 7, chains[i % chains.size()]);
  }
  const auto report = MakeAll({&spool}, names);
  ASSERT_EQ(report.profile.places.size(), kPlaces);
  const std::string page = WrittenPage(report);
  EXPECT_LT(page.size(), 600'000 + 100 * kPlaces);
}

}  // namespace
}  // namespace csink::testing
