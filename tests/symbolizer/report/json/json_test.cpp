#include "symbolizer/report/json/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "symbolizer/report/compare/compare.h"
#include "symbolizer/report/tables/callers.h"
#include "tests/symbolizer/report/openmp_sample.h"
#include "tests/symbolizer/report/rank_sample.h"
#include "tests/symbolizer/report/sample_reports.h"
#include "tests/symbolizer/report/waiting_sample.h"

namespace csink::report {
namespace {

using Json = nlohmann::json;
using namespace csink::testing;

Json Parse(const Report& report) { return Json::parse(WriteJson(report)); }

/// All keys of a document: "events[].name".
void CollectKeys(const Json& json, const std::string& prefix, std::set<std::string>& keys) {
  if (json.is_array()) {
    for (const Json& element : json) CollectKeys(element, prefix + "[]", keys);
  } else if (json.is_object()) {
    for (const auto& [key, value] : json.items()) {
      const std::string path = prefix.empty() ? key : prefix + "." + key;
      keys.insert(path);
      CollectKeys(value, path, keys);
    }
  }
}

/// Cells and ratios have one definition each. Not every row that may have them has them here.
std::string DocumentedSpelling(const std::string& key) {
  static const std::regex cells(
      "^(lines|modules|inlines|processes|threads|threads\\[\\].functions|phases|phases\\[\\]."
      "functions|"
      "callers\\[\\].callers)\\[\\]\\.events\\[\\]\\.|^stacks\\[\\]\\.(self|total)\\[\\]\\.|^"
      "inlines\\[\\]\\.inlined\\[\\]\\.");
  static const std::regex ratios("^(processes|threads|phases)\\[\\]\\.derived_intervals\\[\\]\\.");
  // Looks have the members of samples, and ends of chains are keys.
  static const std::regex looks("^verdict\\.look_chains\\.");
  static const std::regex ends("^(verdict\\.chains\\.(known_ends|cut_by))\\..*");
  std::string spelled = std::regex_replace(key, cells, "functions[].events[].");
  spelled = std::regex_replace(spelled, looks, "verdict.chains.");
  spelled = std::regex_replace(spelled, ends, "$1");
  return std::regex_replace(spelled, ratios, "functions[].derived_intervals[].");
}

/// All keys that a part of docs/report.schema.json describes, spelled as by CollectKeys.
void CollectDescribed(const Json& schema, const Json& part, const std::string& prefix,
                      std::set<std::string>& keys) {
  if (part.contains("$ref")) {
    const std::string place = part["$ref"].get<std::string>().substr(1);
    CollectDescribed(schema, schema.at(Json::json_pointer(place)), prefix, keys);
  }
  if (part.contains("oneOf")) {
    for (const Json& one : part["oneOf"]) CollectDescribed(schema, one, prefix, keys);
  }
  if (part.contains("items")) CollectDescribed(schema, part["items"], prefix + "[]", keys);
  if (!part.contains("properties")) return;
  for (const auto& [key, value] : part["properties"].items()) {
    const std::string path = prefix.empty() ? key : prefix + "." + key;
    keys.insert(DocumentedSpelling(path));
    CollectDescribed(schema, value, path, keys);
  }
}

std::set<std::string> DocumentedKeys() {
  std::ifstream file(std::string(CSINK_DOCS_DIR) + "/report.schema.json");
  EXPECT_TRUE(file);
  Json schema = Json::parse(file);
  // csink annotate and csink report --annotate write these: e2e_report_schema.
  schema["properties"].erase("annotations");
  std::set<std::string> keys;
  CollectDescribed(schema, schema, "", keys);
  return keys;
}

/// Samples and looks with counted ends of chains.
Report WithChainEnds() {
  SpoolBuilder spool = StacksSpool();
  const auto add = [&](spool::ChainEnd end, spool::ChainWay way, std::uint64_t chains) {
    spool::ChainEndRecord record{};
    record.end = end;
    record.way = way;
    record.copied_bytes = 8192;
    record.chains = chains;
    spool.AddChainEnd(record);
  };
  add(spool::ChainEnd::kMain, spool::ChainWay::kUnwind, 940);
  add(spool::ChainEnd::kContext, spool::ChainWay::kUnwind, 10);
  add(spool::ChainEnd::kNoRows, spool::ChainWay::kUnwind, 50);
  add(spool::ChainEnd::kMoved, spool::ChainWay::kLook, 3);
  return Make(spool, StacksNames());
}

/// XzSpool with the times of its thread, a mark and a time line.
Report Timed() {
  SpoolBuilder spool = XzSpool();
  const std::uint64_t start = spool.header().start_monotonic_ns;
  spool.AddPhase("compress", 100'000'000, 1, 200'000'000, start + 200'000'000);
  spool.header().wall = {.threads = 1,
                         .wall_ns = 3'420'000'000,
                         .run_ns = 3'300'000'000,
                         .wait_ns = 70'000'000,
                         .undivided_ns = 0,
                         .processors = 2,
                         .read_errno = 0,
                         .reserved = 0};
  spool::ThreadRecord& thread = spool.thread(1);
  thread.start_monotonic_ns = start;
  thread.end_monotonic_ns = start + 3'420'000'000;
  thread.run_ns = 3'300'000'000;
  thread.wait_ns = 70'000'000;
  spool.AddThreadSlices(1).slices[0] = {60'000, 30'000, 10'000, 55};
  spool.AddPlaceSlices(0, 0x7f1100).slices[0] = 9;
  ProfileMerger merger({.keep_phases = true});
  AddTo(merger, spool, ProcessState::kComplete);
  const FakeResolver names = XzNames();
  return BuildReport(merger.Finish(), std::cref(names));
}

/// A path of 3.2 s with two functions, one of which has a prediction.
/// 10 samples in the interpreter's loop, and 30 in C below it, all in one Python function.
SpoolBuilder PythonSpool() {
  SpoolBuilder b;
  b.header().user_ns = 50'000'000;
  const auto lzma = b.AddRegion({.path = "/usr/lib/x86_64-linux-gnu/liblzma.so.5.4.1",
                                 .start = 0x7f0000,
                                 .end = 0x7f8000,
                                 .build_id = "\x9c\x1f\x07\x15\x88"});
  const auto run = b.AddPythonCode("run", "/a/run.py", {}, 7);
  const std::uint64_t place = spool::PythonPc(run, 8);
  const auto loop = b.AddChain(0, spool::kNone, place, spool::kChainPython);
  const auto below = b.AddChain(0, spool::kNone, place, spool::kChainPython | spool::kChainInC);
  b.AddHitsAt(lzma, 1, 0x7f2010, 10, loop);
  b.AddHitsAt(lzma, 1, 0x7f1010, 30, below);
  return b;
}

Report WithCriticalPath() {
  Report report = Make(XzSpool(), XzNames());
  CriticalTable& table = report.critical.emplace();
  table.analysis.forecast = critical::Forecast::kMade;
  table.analysis.run_seconds = 3.2;
  table.analysis.path.inferred = 700'000'000;
  CriticalRow row;
  row.function = "Rebuild(int)";
  row.file = "/src/t.cpp";
  row.line = 10;
  row.shares.path = 0.61;
  row.shares.has_saving = true;
  row.shares.saving.high = 0.13;
  table.rows = {row, CriticalRow()};
  return report;
}

/// Reports that between them have everything.
std::set<std::string> WrittenKeys() {
  std::set<std::string> keys;
  const FakeResolver tree_names = TreeNames();
  SpoolBuilder pmu = PmuSpool();
  pmu.AddEvent("branch-misses:u", EventClass::kBranchMisses, 10'007);
  CollectKeys(Parse(Make(XzSpool(), XzNames())), "", keys);
  CollectKeys(Parse(Make(pmu, PmuNames())), "", keys);
  BuildOptions with_inlines;
  with_inlines.inlines = true;
  CollectKeys(Parse(BuildReport(TreeProfile(), std::cref(tree_names), with_inlines)), "", keys);
  Profile energy = std::move(Make(XzSpool(), XzNames()).profile);
  energy.processes[0].facts.known = true;
  energy.device_counters.push_back({.name = "rapl:::PACKAGE_ENERGY:PACKAGE0",
                                    .units = "nJ",
                                    .host = "node",
                                    .flags = spool::kCounterAccumulates});
  const FakeResolver xz_names = XzNames();
  CollectKeys(Parse(BuildReport(std::move(energy), std::cref(xz_names))), "", keys);
  CollectKeys(Parse(Make(WaitingSpool(), WaitingNames())), "", keys);
  CollectKeys(Parse(MakeOpenMpReport(GompProgram().b)), "", keys);
  CollectKeys(Parse(Timed()), "", keys);
  const FakeResolver rank_names = RankNames();
  CollectKeys(Parse(BuildReport(RankProfile(), std::cref(rank_names))), "", keys);
  CollectKeys(Parse(BuildReport(RanksWithTimes(), std::cref(rank_names))), "", keys);
  CollectKeys(Parse(BuildReport(RanksWithWaits(), std::cref(rank_names))), "", keys);
  Report stacks = MakeStacks();
  stacks.baseline = Compare(stacks, BaselineOf(Make(XzSpool(), XzNames())), "xz");
  CollectKeys(Parse(stacks), "", keys);
  CollectKeys(Parse(WithChainEnds()), "", keys);
  CollectKeys(Parse(WithCriticalPath()), "", keys);
  CollectKeys(Parse(Make(PythonSpool(), XzNames())), "", keys);
  std::set<std::string> spelled;
  for (const std::string& key : keys) spelled.insert(DocumentedSpelling(key));
  return spelled;
}

TEST(WriteJson, HasTheCodeBelowAPythonFunction) {
  const Json json = Parse(Make(PythonSpool(), XzNames()));
  ASSERT_EQ(json["functions"].size(), 1u);
  const Json& run = json["functions"][0];
  EXPECT_EQ(run["function"], "run");
  EXPECT_EQ(run["module"], "[python]");
  EXPECT_EQ(run["line"], "/a/run.py:7");
  EXPECT_EQ(run["events"][0]["samples"], 40);
  ASSERT_EQ(run["native"].size(), 1u);
  EXPECT_EQ(run["native"][0]["function"], "bt_find_func");
  EXPECT_EQ(run["native"][0]["events"][0]["samples"], 30);
}

TEST(WriteJson, WritesWhatIsDocumentedAndNothingElse) {
  const auto documented = DocumentedKeys();
  const auto written = WrittenKeys();
  EXPECT_GT(documented.size(), 90u);
  for (const auto& key : written) EXPECT_TRUE(documented.count(key)) << key << " is not documented";
  for (const auto& key : documented) EXPECT_TRUE(written.count(key)) << key << " is never written";
}

TEST(WriteJson, HasTheEndsOfChains) {
  const Json json = Parse(WithChainEnds());
  const Json& chains = json["verdict"]["chains"];
  EXPECT_EQ(chains["grade"], "good");
  EXPECT_EQ(chains["chains"], 1000);
  EXPECT_EQ(chains["known_ends"], Json({{"fiber", 10}}));
  EXPECT_EQ(chains["cut_by"], Json({{"no_rows", 50}}));
  EXPECT_EQ(chains["ended_in"][0]["module"], "solver");
  EXPECT_EQ(json["verdict"]["look_chains"]["cut_by"], Json({{"moved", 3}}));
  EXPECT_TRUE(Parse(Make(XzSpool(), XzNames()))["verdict"]["chains"].is_null());
}

TEST(WriteJson, DividesTheTimeOfThreadsWhereItIsKnown) {
  const Json without = Parse(Make(XzSpool(), XzNames()));
  EXPECT_TRUE(without["verdict"]["thread_time"].is_null());
  EXPECT_TRUE(without["processes"][0]["wall"].is_null());
  EXPECT_TRUE(without["timeline"].is_null());
  const Json json = Parse(Timed());
  EXPECT_NEAR(json["verdict"]["thread_time"]["waiting_seconds"].get<double>(), 0.07, 1e-9);
  EXPECT_NEAR(json["processes"][0]["wall"]["blocked_seconds"].get<double>(), 0.05, 1e-9);
  EXPECT_NEAR(json["threads"][0]["wall"]["running_seconds"].get<double>(), 3.3, 1e-9);
  EXPECT_EQ(json["timeline"]["threads"][0]["run_us"][0], 60'000);
}

TEST(WriteJson, HasRanksOnlyWhereThereAreTwo) {
  EXPECT_TRUE(Parse(Make(XzSpool(), XzNames()))["ranks"].is_null());
  const FakeResolver names = RankNames();
  const Json json = Parse(BuildReport(RankProfile(), std::cref(names)));
  EXPECT_EQ(json["ranks"]["count"], 8);
  const Json& event = json["ranks"]["events"][0];
  EXPECT_EQ(event["unit"], "seconds");
  EXPECT_EQ(event["total"]["max_rank"], 7);
  EXPECT_EQ(event["functions"][0]["function"], "Step");
  EXPECT_EQ(event["functions"][0]["max_rank"], 5);
  EXPECT_EQ(event["functions"][1]["in_mpi"], true);
  EXPECT_EQ(event["outliers"][0]["rank"], 5);
}

TEST(WriteJson, HasWaitsOnlyWhereTheyWereRecorded) {
  const Json without = Parse(Make(XzSpool(), XzNames()));
  EXPECT_TRUE(without["waits"].is_null());
  EXPECT_TRUE(without["locks"].empty());
  const Json json = Parse(Make(WaitingSpool(), WaitingNames()));
  const Json& main = json["waits"]["groups"][0];
  EXPECT_EQ(main["name"], "main thread");
  EXPECT_EQ(main["critical"], true);
  EXPECT_EQ(main["rows"][0]["function"], "read_input");
  EXPECT_EQ(main["rows"][0]["primitive"], "read of a pipe");
  EXPECT_EQ(main["rows"][0]["call"], "read");
  EXPECT_TRUE(main["rows"][0]["lock"].is_null());
  const Json& last = main["rows"][2];
  EXPECT_EQ(last["kind"], "mutex");
  EXPECT_EQ(json["locks"][last["lock"].get<std::size_t>()]["name"], "table_lock");
}

TEST(WriteJson, HasTheCriticalPathOnlyWhereItWasRecorded) {
  EXPECT_TRUE(Parse(Make(XzSpool(), XzNames()))["critical"].is_null());
  const Json path = Parse(WithCriticalPath())["critical"];
  EXPECT_EQ(path["forecast"], "made");
  EXPECT_EQ(path["run_seconds"], 3.2);
  EXPECT_EQ(path["path"]["inferred_seconds"], 0.7);
  EXPECT_EQ(path["functions"][0]["function"], "Rebuild(int)");
  EXPECT_EQ(path["functions"][0]["line"], "/src/t.cpp:10");
  EXPECT_EQ(path["functions"][0]["path_share"], 0.61);
  EXPECT_EQ(path["functions"][0]["saving"]["high"], 0.13);
  EXPECT_TRUE(path["functions"][1]["saving"].is_null());
}

TEST(WriteJson, HasTheProgramsOwnLineBesideALibrarysLine) {
  Report report = Make(XzSpool(), XzNames());
  EXPECT_EQ(Parse(report)["functions"][0]["own_line"], "");
  report.functions[0].own_file = report.lines[0].own_file = "/src/xz.cpp";
  report.functions[0].own_line = report.lines[0].own_line = 41;
  const Json json = Parse(report);
  EXPECT_EQ(json["functions"][0]["own_line"], "/src/xz.cpp:41");
  EXPECT_EQ(json["lines"][0]["own_line"], "/src/xz.cpp:41");
}

TEST(WriteJson, HoldsTheNumbersOfTheReport) {
  const Json json = Parse(Make(XzSpool(), XzNames()));
  EXPECT_EQ(json["format"], "csink-report");
  EXPECT_EQ(json["version"], 1);
  EXPECT_EQ(json["command"], "xz -9 -T1 -k -c in1");
  EXPECT_EQ(json["end"], "exit 0");
  const Json& first = json["functions"][0];
  EXPECT_EQ(first["function"], "bt_find_func");
  EXPECT_EQ(first["line"], "/src/liblzma/lz_encoder_mf.c:412");
  EXPECT_EQ(first["source"], "symbol");
  EXPECT_EQ(first["events"][0]["samples"], 2012);
  EXPECT_NEAR(first["events"][0]["share"], 2012.0 / 3287, 1e-9);
  EXPECT_LT(first["events"][0]["low"], first["events"][0]["share"]);
  EXPECT_GT(first["events"][0]["high"], first["events"][0]["share"]);
  EXPECT_EQ(json["functions"][2]["source"], "fde");
  EXPECT_EQ(json["functions"].size(), 7u);  // nothing is left out for space
  EXPECT_EQ(json["verdict"]["good"], true);
  EXPECT_EQ(json["verdict"]["modules_without_symbols"][0]["build_id"], "9c1f071588");
}

TEST(WriteJson, SharesOfAllFunctionsAddUpToOne) {
  double sum = 0;
  const Json json = Parse(Make(XzSpool(), XzNames()));
  for (const Json& row : json["functions"]) sum += row["events"][0]["share"].get<double>();
  EXPECT_NEAR(sum, 1, 1e-9);
}

TEST(WriteJson, HasTheWholeTreeOfCalls) {
  const Json json = Parse(MakeStacks());
  std::map<std::string, std::string> parent_of;
  for (const Json& node : json["stacks"]) {
    const Json& parent = node["parent"];
    const std::string above =
        parent.is_null() ? "-" : json["stacks"][parent.get<std::size_t>()]["function"];
    parent_of[above + " > " + node["function"].get<std::string>()] =
        std::to_string(node["total"][0]["samples"].get<int>()) + " " +
        std::to_string(node["self"][0]["samples"].get<int>());
  }
  const std::map<std::string, std::string> expected = {
      {"- > main", "950 30"},
      {"main > load(char const*)", "200 30"},
      {"load(char const*) > memcpy", "170 170"},
      {"main > solve(int)", "720 100"},
      {"solve(int) > kernel(double*, double*)", "520 520"},
      {"solve(int) > memcpy", "100 100"},
      {"- > [cut]", "50 0"},
      {"[cut] > kernel(double*, double*)", "50 0"},
      {"kernel(double*, double*) > memcpy", "50 50"}};
  EXPECT_EQ(parent_of, expected);
}

TEST(WriteJson, HasWhatWasCutBeforeTheFirstCaller) {
  ProfileMerger merger({.keep_callers = true});
  AddTo(merger, EmptyStacksSpool());
  const FakeResolver names = StacksNames();
  const Json json = Parse(report::BuildReport(merger.Finish(), std::cref(names)));
  std::map<std::string, int> roots;
  for (const Json& node : json["stacks"]) {
    if (node["parent"].is_null()) roots[node["function"]] = node["total"][0]["samples"];
  }
  EXPECT_EQ(roots, (std::map<std::string, int>{{"main", 5}, {"[cut]", 3}}));
  EXPECT_EQ(json["verdict"]["bad_stacks"], 3);
  const Json& callers = json["callers"][0]["callers"];
  ASSERT_EQ(callers.size(), 2u);
  EXPECT_EQ(callers[0]["function"], "main");
  EXPECT_EQ(callers[1]["function"], report::kUnknownCaller);
}

TEST(WriteJson, NamesTheCallersOfAFunction) {
  const Json json = Parse(MakeStacks());
  ASSERT_EQ(json["callers"][1]["function"], "memcpy");
  const Json& callers = json["callers"][1]["callers"];
  ASSERT_EQ(callers.size(), 3u);
  EXPECT_EQ(callers[0]["function"], "load(char const*)");
  EXPECT_EQ(callers[0]["events"][0]["samples"], 170);
  EXPECT_EQ(callers[1]["function"], "solve(int)");
  EXPECT_EQ(callers[2]["function"], "kernel(double*, double*)");
}

TEST(WriteJson, SplitsSamplesByMarkAndThread) {
  const Json json = Parse(MakeStacks());
  ASSERT_EQ(json["phases"].size(), 3u);
  EXPECT_EQ(json["phases"][1]["name"], "load");
  EXPECT_EQ(json["phases"][1]["events"][0]["samples"], 200);
  EXPECT_EQ(json["phases"][2]["marks"], 2);
  EXPECT_EQ(json["phases"][2]["functions"][0]["function"], "kernel(double*, double*)");
  ASSERT_EQ(json["threads"].size(), 3u);
  EXPECT_EQ(json["threads"][0]["functions"][0]["function"], "kernel(double*, double*)");
  int samples = 0;
  for (const Json& row : json["threads"][0]["functions"]) {
    samples += row["events"][0]["samples"].get<int>();
  }
  EXPECT_EQ(samples, json["threads"][0]["samples"]);
}

TEST(WriteJson, SaysNullWhereNothingIsKnown) {
  SpoolBuilder b = XzSpool();
  b.header().user_ns = 20'000'000;
  EXPECT_TRUE(Parse(Make(b, XzNames()))["verdict"]["explained_share"].is_null());
  EXPECT_TRUE(Parse(Make(PmuSpool(), PmuNames()))["verdict"]["explained_share"].is_null());
}

TEST(WriteJson, RepairsTextThatIsNotUtf8) {
  SpoolBuilder b = XzSpool();
  b.SetCommand("x", "x \xff\xfe \"quoted\"\n");
  EXPECT_EQ(Parse(Make(b, XzNames()))["command"], "x \uFFFD\uFFFD \"quoted\"\n");
}

}  // namespace
}  // namespace csink::report
