#include "symbolizer/report/compare/row_keys.h"

#include <gtest/gtest.h>

#include "symbolizer/report/compare/compare.h"

namespace csink::report {
namespace {

/// A run of `program` with these functions, each of a module, in equal parts.
Baseline RunOf(const std::string& program, const std::string& build_id,
               const std::vector<std::pair<std::string, std::string>>& functions) {
  Baseline run;
  run.programs = {program};
  run.events = {{"task-clock:u", 1000, 1e9, true}};
  for (const auto& [function, module] : functions) {
    run.functions.push_back({function, module, {1.0 / static_cast<double>(functions.size())}});
    run.builds.push_back({module, build_id});
  }
  return run;
}

/// What the finder finds for a function of a side: the name of the row, or "none".
std::string Found(const std::vector<Baseline>& now, const std::vector<Baseline>& then,
                  const std::string& function, const std::string& module, DiffSide side) {
  const Comparison comparison = CompareRuns(now, then);
  const RowFinder finder(comparison, now, then);
  const auto row = finder.Find(function, module, side);
  return row ? comparison.functions[*row].function : "none";
}

TEST(RowFinder, FindsTheRowUnderTheNamesOfBothSides) {
  const std::vector<Baseline> then = {RunOf("app", "a", {{"f.isra.0", "app"}, {"g", "lib.so.1"}})};
  const std::vector<Baseline> now = {
      RunOf("app", "b", {{"f", "app"}, {"g", "lib.so.2"}, {"h", "app"}})};
  EXPECT_EQ(Found(now, then, "f.isra.0", "app", DiffSide::kThen), "f");
  EXPECT_EQ(Found(now, then, "f.constprop.1", "app", DiffSide::kNow), "f");
  EXPECT_EQ(Found(now, then, "g", "lib.so.1", DiffSide::kThen), "g");
  EXPECT_EQ(Found(now, then, "g", "lib.so.2", DiffSide::kNow), "g");
  EXPECT_EQ(Found(now, then, "h", "app", DiffSide::kThen), "h");
  EXPECT_EQ(Found(now, then, "h", "other", DiffSide::kNow), "none");
  EXPECT_EQ(Found(now, then, "main", "app", DiffSide::kNow), "none");
}

TEST(RowFinder, KnowsProgramsWithTwoNames) {
  const std::vector<Baseline> then = {
      RunOf("app-old", "a", {{"f", "app-old"}, {"gone", "app-old"}})};
  const std::vector<Baseline> now = {RunOf("app-new", "b", {{"f", "app-new"}, {"g", "app-new"}})};
  EXPECT_EQ(Found(now, then, "f", "app-old", DiffSide::kThen), "f");
  EXPECT_EQ(Found(now, then, "f", "app-new", DiffSide::kNow), "f");
  EXPECT_EQ(Found(now, then, "gone", "app-old", DiffSide::kThen), "gone");
  EXPECT_EQ(Found(now, then, "gone", "app-new", DiffSide::kNow), "gone");
  // The name of the other side is not one of this side.
  EXPECT_EQ(Found(now, then, "f", "app-new", DiffSide::kThen), "none");
}

TEST(RowFinder, FindsFunctionsWithoutANameByAddressOfOneBuildAlone) {
  const std::string address = "[lib.so+0x10]";
  const std::vector<Baseline> then = {RunOf("app", "a", {{address, "lib.so"}})};
  const std::vector<Baseline> same = {RunOf("app", "a", {{address, "lib.so"}})};
  EXPECT_EQ(Found(same, then, address, "lib.so", DiffSide::kNow), address);
  EXPECT_EQ(Found(same, then, "[lib.so+0x20]", "lib.so", DiffSide::kNow), "none");
  const std::vector<Baseline> rebuilt = {RunOf("app", "b", {{address, "lib.so"}})};
  const std::string all = "[lib.so, without symbols]";
  EXPECT_EQ(Found(rebuilt, then, address, "lib.so", DiffSide::kNow), all);
  EXPECT_EQ(Found(rebuilt, then, "[lib.so+0x20]", "lib.so", DiffSide::kThen), all);
}

}  // namespace
}  // namespace csink::report
