#include "symbolizer/report/html/sample_rows.h"

#include <gtest/gtest.h>

#include <map>

#include "symbolizer/report/html/fold_rows.h"
#include "tests/symbolizer/report/formats/written.h"

namespace csink::testing {
namespace {

using report::kNone;
using report::SampleRows;

/// Sums of samples of event 0 by a number of the row.
template <class KeyOf>
std::map<std::uint32_t, std::uint64_t> SumBy(const report::Report& report, const SampleRows& rows,
                                             const KeyOf& key_of) {
  std::map<std::uint32_t, std::uint64_t> sums;
  const std::size_t events = report.profile.events.size();
  for (std::size_t r = 0; r < rows.rows.size(); ++r) {
    sums[key_of(rows.rows[r])] += rows.counts[r * events].samples;
  }
  return sums;
}

/// `functions` functions with `lines` addresses each, in two modules. Function f has f + 1 samples
/// at each address.
report::Report Many(std::uint64_t functions, std::uint64_t lines) {
  SpoolBuilder spool;
  FakeResolver names;
  for (int m = 0; m < 2; ++m) {
    const std::string path = m == 0 ? "/bin/app" : "/lib/lib.so";
    const std::uint64_t start = 0x1000000ull * (m + 1);
    const auto region =
        spool.AddRegion({.path = path, .start = start, .end = start + 0x1000 * functions});
    for (std::uint64_t f = 0; f < functions; ++f) {
      names.Add(path, 0x100 * f,
                {.end = 0x100 * f + 0x100,
                 .name = "f" + std::to_string(f),
                 .file = "file.c",
                 .first_line = static_cast<std::uint32_t>(1000 * f + 1)});
      for (std::uint64_t l = 0; l < lines; ++l) {
        spool.AddHits(region, 1, start + 0x100 * f + 16 * l, f + 1);
      }
    }
  }
  return MakeAll({&spool}, names);
}

TEST(SampleRows, AddUpToTheReport) {
  const auto report = MakeStacksReport();
  const SampleRows rows = MakeSampleRows(report);
  ASSERT_EQ(rows.folded.rows, 0u);
  const auto functions =
      SumBy(report, rows, [](const report::SampleRow& row) { return row.function; });
  std::uint64_t seen = 0;
  for (const auto& [f, samples] : functions) {
    EXPECT_EQ(samples, report.functions[rows.functions[f].row].events[0].samples);
    ++seen;
  }
  EXPECT_EQ(seen, report.functions.size());
  for (const auto& [n, samples] :
       SumBy(report, rows, [](const report::SampleRow& row) { return row.node; })) {
    EXPECT_GT(samples, 0u);
    ASSERT_LT(n, rows.nodes.size());
  }
  for (std::size_t n = 1; n < rows.nodes.size(); ++n) EXPECT_LT(rows.nodes[n].parent, n);
}

TEST(SampleRows, JoinAddressesOfOneLine) {
  SpoolBuilder spool;
  const auto region = spool.AddRegion({.path = "/bin/app", .start = 0, .end = 0x4000});
  spool.AddHits(region, 1, 0x1000, 2);
  spool.AddHits(region, 1, 0x1004, 3);
  FakeResolver names;
  names.Add("/bin/app", 0x1000, {.end = 0x2000, .name = "f"});
  const auto report = MakeAll({&spool}, names);
  ASSERT_EQ(report.profile.places.size(), 2u);
  const SampleRows rows = MakeSampleRows(report);
  ASSERT_EQ(rows.rows.size(), 1u);
  EXPECT_EQ(rows.counts[0].samples, 5u);
  EXPECT_EQ(rows.rows[0].line, kNone);
}

TEST(SampleRows, LoseLinesFirstWhenTheyAreTooMany) {
  const auto report = Many(10, 5);
  const std::size_t all = MakeSampleRows(report).rows.size();
  ASSERT_EQ(all, 100u);
  const SampleRows rows = MakeSampleRows(report, 80);
  EXPECT_LE(rows.rows.size(), 80u);
  EXPECT_TRUE(rows.folded.stacks);
  EXPECT_FALSE(rows.folded.threads);
  EXPECT_EQ(rows.folded.functions, 0u);
  EXPECT_GT(rows.folded.share[0], 0);
  EXPECT_LT(rows.folded.share[0], 0.5);
  // All functions are there with all samples.
  for (const auto& [f, samples] :
       SumBy(report, rows, [](const report::SampleRow& row) { return row.function; })) {
    EXPECT_EQ(samples, report.functions[rows.functions[f].row].events[0].samples);
  }
}

TEST(SampleRows, SumUpColdFunctionsByModule) {
  const auto report = Many(50, 1);
  const SampleRows rows = MakeSampleRows(report, 40);
  EXPECT_LE(rows.rows.size(), 40u);
  EXPECT_EQ(rows.folded.functions, 100u - 35u);
  std::uint64_t sums = 0;
  std::uint64_t folded = 0;
  for (const report::PageFunction& function : rows.functions) {
    if (function.row != kNone) continue;
    ++sums;
    folded += function.functions;
  }
  EXPECT_EQ(sums, 2u) << "one row for each module";
  EXPECT_EQ(folded, rows.folded.functions);
  const auto all = SumBy(report, rows, [](const report::SampleRow&) { return 0u; });
  EXPECT_EQ(all.at(0), report.profile.events[0].samples);
  // The hottest function keeps its line.
  EXPECT_NE(rows.rows[0].line, kNone);
}

TEST(SampleRows, LoseThreadsLast) {
  SpoolBuilder spool;
  const auto region = spool.AddRegion({.path = "/bin/app", .start = 0, .end = 0x40000});
  for (std::uint32_t t = 0; t < 40; ++t) {
    const auto thread = spool.AddThread(100 + t, "w");
    for (std::uint64_t i = 0; i < 4; ++i) spool.AddHits(region, thread, 0x1000 + 0x100 * i, 1 + i);
  }
  const auto report = MakeAll({&spool}, FakeResolver());
  const SampleRows rows = MakeSampleRows(report, 16);
  EXPECT_LE(rows.rows.size(), 16u);
  EXPECT_TRUE(rows.folded.threads);
  EXPECT_EQ(SumBy(report, rows, [](const report::SampleRow&) { return 0u; }).at(0),
            report.profile.events[0].samples);
}

TEST(SampleRows, HaveTheFunctionsThatWereInlined) {
  SpoolBuilder spool;
  const auto region = spool.AddRegion({.path = "/bin/app", .start = 0, .end = 0x4000});
  FakeResolver names;
  names.Add("/bin/app", 0x1000, {.end = 0x1100, .name = "main"});
  names.Add("/bin/app", 0x1100,
            {.end = 0x1200, .name = "f", .inlined = {{"deep", "", "", 0}, {"outer", "", "", 0}}});
  names.Add("/bin/app", 0x1200, {.end = 0x1300, .name = "g"});
  const auto main_chain = spool.AddChain(0, region, 0x1010);
  const auto f_chain = spool.AddChain(main_chain, region, 0x1110);
  // f calls itself from inlined code: this is one node, as without inlined functions.
  const auto recursion = spool.AddChain(f_chain, region, 0x1120);
  spool.AddHitsAt(region, 1, 0x1210, 5, f_chain);
  spool.AddHitsAt(region, 1, 0x1220, 2, recursion);
  spool.AddHitsAt(region, 1, 0x1130, 3, main_chain);
  const auto report = MakeAll({&spool}, names);
  const SampleRows rows = MakeSampleRows(report);
  std::map<std::string, std::uint64_t> paths;
  for (std::size_t r = 0; r < rows.rows.size(); ++r) {
    std::string path;
    for (std::uint32_t n = rows.rows[r].node; n != 0; n = rows.nodes[n].parent) {
      const report::PageNode& node = rows.nodes[n];
      path =
          " > " +
          (node.inlined == kNone ? report.call_functions[node.frame].function
                                 : "[" + std::string(rows.inlined[node.inlined].function) + "]") +
          path;
    }
    paths[path] += rows.counts[r].samples;
  }
  EXPECT_EQ(paths, (std::map<std::string, std::uint64_t>{
                       {" > main > f > [outer] > [deep] > g", 7},
                       {" > main > f > [outer] > [deep]", 3},
                   }));
  ASSERT_EQ(rows.inlined.size(), 2u);
  EXPECT_EQ(rows.inlined[0].module, "app");
}

TEST(SampleRows, OfAnEmptyProfileAreNone) {
  EXPECT_TRUE(MakeSampleRows(MakeAll({}, FakeResolver())).rows.empty());
}

}  // namespace
}  // namespace csink::testing
