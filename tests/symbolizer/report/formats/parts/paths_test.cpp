#include "symbolizer/report/formats/parts/paths.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "tests/symbolizer/report/formats/written.h"

namespace csink::report {
namespace {

using testing::MakeAll;
using testing::MakeStacksReport;

TEST(Paths, AddsUpToTheReport) {
  const Report report = MakeStacksReport();
  const Spots spots(report);
  for (const PathDetail detail : {PathDetail::kFunctions, PathDetail::kAddresses}) {
    const Paths paths(report, spots, detail, false);
    const auto self = SelfOfNodes(report, paths, 0);
    EXPECT_EQ(self[0].samples, 0u);
    EXPECT_EQ(TotalsOfNodes(paths, self)[0].weight, report.profile.events[0].weight);
    for (std::size_t i = 1; i < paths.nodes().size(); ++i) {
      EXPECT_LT(paths.nodes()[i].parent, i);
    }
  }
}

TEST(Paths, VisitsParentsBeforeTheirChildrenAndSubtreesAsBlocks) {
  const Report report = MakeStacksReport();
  const Spots spots(report);
  const Paths paths(report, spots, PathDetail::kFunctions, false);
  const std::vector<std::uint32_t> order = paths.Preorder();
  ASSERT_EQ(order.size() + 1, paths.nodes().size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    // The parent is the node before, or one of the nodes above that node.
    std::uint32_t above = i == 0 ? 0 : order[i - 1];
    while (above != paths.nodes()[order[i]].parent && above != 0) {
      above = paths.nodes()[above].parent;
    }
    EXPECT_EQ(above, paths.nodes()[order[i]].parent);
  }
  const std::vector<std::uint32_t> ranks = paths.Ranks();
  ASSERT_EQ(ranks.size(), paths.nodes().size());
  for (std::uint32_t i = 0; i < order.size(); ++i) EXPECT_EQ(ranks[order[i]], i);
}

TEST(Paths, FindsTheHottestLine) {
  testing::SpoolBuilder spool;
  const auto region = spool.AddRegion({.path = "/bin/app", .start = 0, .end = 0x40000});
  spool.AddHits(region, 1, 0x1000, 2);
  spool.AddHits(region, 1, 0x1010, 7);
  spool.AddHits(region, 1, 0x1020, 4);
  testing::FakeResolver names;
  names.Add("/bin/app", 0x1000, {.end = 0x1100, .name = "f", .file = "f.c", .first_line = 1});
  const Report report = MakeAll({&spool}, names);
  const Spots spots(report);
  const Paths paths(report, spots, PathDetail::kFunctions, false);
  const auto function =
      std::find_if(paths.functions().begin(), paths.functions().end(),
                   [](const PathFunction& candidate) { return candidate.name == "f"; });
  ASSERT_NE(function, paths.functions().end());
  const auto place =
      std::find_if(report.profile.places.begin(), report.profile.places.end(),
                   [](const Place& candidate) { return candidate.counts[0].samples == 7; });
  const auto index = static_cast<std::size_t>(place - report.profile.places.begin());
  EXPECT_EQ(function->line, paths.LeafOf(index).line);
  EXPECT_EQ(function->file, "f.c");
}

}  // namespace
}  // namespace csink::report
