#include "symbolizer/report/tables/callers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/symbolizer/report/sample_reports.h"

namespace csink::report {
namespace {

using namespace csink::testing;

TEST(AddCallers, FoldsDirectRecursion) {
  SpoolBuilder b;
  const auto app = b.AddRegion({.path = "/home/me/solver", .start = 0x400000, .end = 0x410000});
  const auto main = b.AddChain(0, app, 0x401010);
  const auto first = b.AddChain(main, app, 0x403010);
  const auto second = b.AddChain(first, app, 0x403020);
  const auto cut = b.AddChain(0, app, 0x403010, spool::kChainCut);
  const auto below = b.AddChain(cut, app, 0x403010);
  const auto alone = b.AddChain(0, app, 0x403030);
  b.AddHitsAt(app, 1, 0x403100, 10, main);
  b.AddHitsAt(app, 1, 0x403100, 20, first);
  b.AddHitsAt(app, 1, 0x403110, 40, second);
  b.AddHitsAt(app, 1, 0x403100, 5, below);
  b.AddHitsAt(app, 1, 0x403100, 3, alone);
  // Called by a function that called itself.
  b.AddHitsAt(app, 1, 0x404100, 7, second);
  ProfileMerger merger({.keep_callers = true});
  AddTo(merger, b);
  const FakeResolver names = StacksNames();
  const Report report = BuildReport(merger.Finish(), std::cref(names));
  std::map<std::string, std::map<std::string, std::uint64_t>> callers;
  for (const FunctionRow& row : report.functions) {
    for (const NamedCells& caller : row.callers) {
      callers[row.function][caller.function] = caller.events[0].samples;
    }
  }
  using Samples = std::map<std::string, std::uint64_t>;
  EXPECT_EQ(callers["solve(int)"], (Samples{{"main", 70}, {kCutName, 5}, {kUnknownCaller, 3}}));
  EXPECT_EQ(callers["kernel(double*, double*)"], (Samples{{"solve(int)", 7}}));
}

}  // namespace
}  // namespace csink::report
