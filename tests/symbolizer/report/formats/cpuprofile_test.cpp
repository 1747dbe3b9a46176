#include <gmock/gmock.h>

#include <map>
#include <nlohmann/json.hpp>

#include "tests/symbolizer/report/formats/written.h"

namespace csink::testing {
namespace {

using Json = nlohmann::json;

/// A profile as its readers understand it.
struct CpuProfileFile {
  Json profile;
  std::map<std::uint64_t, Json> nodes;
  std::map<std::uint64_t, std::uint64_t> parents;
  /// Microseconds by node: the time up to the next sample (Chrome DevTools, VS Code), and the time
  /// since the sample before (speedscope).
  std::map<std::uint64_t, std::uint64_t> until_next, since_last;

  /// Checks what the type Profiler.Profile of the Chrome DevTools protocol demands.
  explicit CpuProfileFile(const std::string& text) : profile(Json::parse(text)) {
    for (const Json& node : profile["nodes"]) {
      const Json& frame = node["callFrame"];
      EXPECT_TRUE(frame["functionName"].is_string() && frame["url"].is_string());
      EXPECT_TRUE(frame["scriptId"].is_string());
      EXPECT_TRUE(frame["lineNumber"].is_number_integer());
      EXPECT_TRUE(frame["columnNumber"].is_number_integer());
      EXPECT_TRUE(node["hitCount"].is_number_unsigned());
      EXPECT_TRUE(nodes.emplace(node["id"].get<std::uint64_t>(), node).second) << "two of one id";
    }
    for (const auto& [id, node] : nodes) {
      for (const Json& child : node.value("children", Json::array())) {
        EXPECT_TRUE(nodes.contains(child.get<std::uint64_t>()));
        EXPECT_TRUE(parents.emplace(child.get<std::uint64_t>(), id).second) << "two parents";
      }
    }
    // All nodes but the root have a parent, which has a smaller id: a tree.
    EXPECT_EQ(parents.size() + 1, nodes.size());
    for (const auto& [child, parent] : parents) EXPECT_LT(parent, child);
    const Json& samples = profile["samples"];
    const Json& deltas = profile["timeDeltas"];
    EXPECT_EQ(samples.size(), deltas.size());
    std::uint64_t time = profile["startTime"];
    for (std::size_t i = 0; i < samples.size(); ++i) {
      const std::uint64_t node = samples[i];
      EXPECT_TRUE(nodes.contains(node));
      EXPECT_TRUE(deltas[i].is_number_unsigned());
      time += deltas[i].get<std::uint64_t>();
      since_last[node] += deltas[i].get<std::uint64_t>();
      if (i + 1 < samples.size()) until_next[node] += deltas[i + 1].get<std::uint64_t>();
    }
    EXPECT_EQ(profile["endTime"], time);
    EXPECT_EQ(until_next, since_last);
  }
  std::string NameOf(std::uint64_t node) const {
    return nodes.at(node)["callFrame"]["functionName"];
  }
  std::string PathOf(std::uint64_t node) const {
    const auto parent = parents.find(node);
    return parent == parents.end() ? "" : PathOf(parent->second) + "/" + NameOf(node);
  }
};

TEST(CpuProfile, HasTheFunctionsOfTheReport) {
  const auto report = MakeStacksReport();
  const CpuProfileFile file(Written(report, ReportFormat::kCpuProfile));
  std::map<std::string, std::uint64_t> us, hits;
  for (const auto& [node, time] : file.until_next) us[file.NameOf(node)] += time;
  for (const auto& [id, node] : file.nodes) {
    hits[file.NameOf(id)] += node["hitCount"].get<std::uint64_t>();
  }
  for (const auto& row : report.functions) {
    // Each node is rounded to a microsecond.
    EXPECT_NEAR(static_cast<double>(us[row.function]),
                static_cast<double>(row.events[0].weight) / 1000, 10);
    EXPECT_EQ(hits[row.function], row.events[0].samples);
  }
  EXPECT_EQ(file.profile["endTime"], report.profile.events[0].weight / 1000);
}

TEST(CpuProfile, HasCallPaths) {
  const CpuProfileFile file(Written(MakeStacksReport(), ReportFormat::kCpuProfile));
  std::map<std::string, std::uint64_t> hits;
  for (const auto& [id, node] : file.nodes)
    hits[file.PathOf(id)] = node["hitCount"].get<std::uint64_t>();
  EXPECT_EQ(hits.at("/main/solve(int)/solve(int)/kernel(double*, double*)"), 300u);
  EXPECT_EQ(hits.at("/[cut]/kernel(double*, double*)/memcpy"), 50u);
}

TEST(CpuProfile, HasLinesWithTheirSamples) {
  const SpoolBuilder spool = XzSpool();
  const CpuProfileFile file(Written(MakeAll({&spool}, XzNames()), ReportFormat::kCpuProfile));
  std::uint64_t ticks = 0;
  for (const auto& [id, node] : file.nodes) {
    if (file.NameOf(id) != "bt_find_func") continue;
    EXPECT_EQ(node["callFrame"]["url"], "/src/liblzma/lz_encoder_mf.c");
    EXPECT_GT(node["callFrame"]["lineNumber"].get<int>(), 0);
    for (const Json& tick : node["positionTicks"]) {
      EXPECT_GT(tick["line"].get<int>(), 0);
      ticks += tick["ticks"].get<std::uint64_t>();
    }
  }
  EXPECT_EQ(ticks, 1500u + 512u);
}

TEST(CpuProfile, CountsAnEventAsAMicrosecond) {
  const SpoolBuilder spool = PmuSpool();
  const auto report = MakeAll({&spool}, PmuNames());
  const CpuProfileFile file(Written(report, ReportFormat::kCpuProfile, {.events = {2}}));
  EXPECT_EQ(file.profile["endTime"], report.profile.events[2].weight);
  EXPECT_THAT(file.profile["csink"]["facts"].back().get<std::string>(),
              ::testing::HasSubstr("microseconds of cache-misses:u, one for each event"));
}

TEST(CpuProfile, LeavesOutCallersWithoutSamples) {
  const CpuProfileFile file(Written(MakeStacksOfMark("load"), ReportFormat::kCpuProfile));
  for (const auto& [id, node] : file.nodes) EXPECT_NE(file.NameOf(id), "solve(int)");
}

}  // namespace
}  // namespace csink::testing
