#include <gmock/gmock.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "tests/symbolizer/report/formats/pprof_file.h"
#include "tests/symbolizer/report/formats/written.h"

namespace csink::testing {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using Types = std::vector<std::pair<std::string, std::string>>;

PprofFile Stacks(bool inlines = false) {
  return PprofFile(Written(MakeStacksReport(inlines), ReportFormat::kPprof, {.inlines = inlines}));
}

std::vector<std::string> Names(const PprofFile::Sample& sample) {
  std::vector<std::string> names;
  for (const auto* location : sample.stack) {
    for (const auto& line : location->lines) names.push_back(line.function->name);
  }
  return names;
}

TEST(Pprof, HasTheTotalsOfTheReport) {
  const auto report = MakeStacksReport();
  const PprofFile file = Stacks();
  EXPECT_EQ(file.types, (Types{{"samples", "count"}, {"cpu", "nanoseconds"}}));
  EXPECT_EQ(file.default_type, "cpu");
  EXPECT_EQ(file.Sum(0), report.profile.events[0].samples);
  EXPECT_EQ(file.Sum(1), report.profile.events[0].weight);
  EXPECT_EQ(file.period, 1'000'003u);
  EXPECT_EQ(file.period_type, (std::pair<std::string, std::string>{"cpu", "nanoseconds"}));
  EXPECT_EQ(file.time_ns, report.profile.processes[0].start_realtime_ns);
  EXPECT_NEAR(static_cast<double>(file.duration_ns), report.wall_seconds * 1e9, 1);
}

TEST(Pprof, HasTheFunctionsOfTheReport) {
  const auto report = MakeStacksReport();
  std::map<std::string, std::uint64_t> by_leaf;
  for (const auto& sample : Stacks().samples) by_leaf[Names(sample)[0]] += sample.values[1];
  ASSERT_EQ(by_leaf.size(), report.functions.size());
  for (const auto& row : report.functions) EXPECT_EQ(by_leaf[row.function], row.events[0].weight);
}

TEST(Pprof, HasStacksLeafFirst) {
  std::map<std::vector<std::string>, std::uint64_t> stacks;
  for (const auto& sample : Stacks().samples) stacks[Names(sample)] += sample.values[0];
  const std::string kernel = "kernel(double*, double*)";
  EXPECT_EQ((stacks[{kernel, "solve(int)", "solve(int)", "main"}]), 300u);
  EXPECT_EQ((stacks[{"memcpy", "load(char const*)", "main"}]), 170u);
  EXPECT_EQ((stacks[{"memcpy", kernel, "[cut]"}]), 50u);
}

TEST(Pprof, HasWhatWasCutBeforeTheFirstCaller) {
  std::map<std::vector<std::string>, std::uint64_t> stacks;
  const PprofFile file(Written(MakeEmptyStacks(), ReportFormat::kPprof));
  for (const auto& sample : file.samples) stacks[Names(sample)] += sample.values[0];
  const std::string kernel = "kernel(double*, double*)";
  EXPECT_EQ(stacks, (decltype(stacks){{{kernel, "[cut]"}, 3}, {{kernel, "main"}, 5}}));
}

TEST(Pprof, HasInlinedFunctionsAsLinesOfALocation) {
  const PprofFile file = Stacks(true);
  for (const auto& [id, location] : file.locations) {
    if (location.lines.size() == 1) continue;
    ASSERT_EQ(location.lines.size(), 3u);
    EXPECT_EQ(location.lines[0].function->name, "leaf()");
    EXPECT_EQ(location.lines[0].function->system_name, "_Z4leafv");
    EXPECT_EQ(location.lines[0].function->file, "leaf.h");
    EXPECT_EQ(location.lines[0].line, 7u);
    EXPECT_EQ(location.lines[1].function->name, "mid()");
    EXPECT_EQ(location.lines[1].line, 21u);
    EXPECT_EQ(location.lines[2].function->name, "kernel(double*, double*)");
    EXPECT_EQ(location.lines[2].function->file, "kernel.c");
    EXPECT_EQ(location.lines[2].line, 99u);
    EXPECT_EQ(file.mappings.at(location.mapping).flags, 15u);
    return;
  }
  FAIL() << "no location with inlined functions";
}

TEST(Pprof, PutsLocationsIntoTheirMappings) {
  const PprofFile file = Stacks();
  ASSERT_EQ(file.mappings.size(), 2u);
  EXPECT_EQ(file.mappings.at(1).file, "/home/me/solver");  // the program comes first
  EXPECT_EQ(file.mappings.at(1).build_id, "0102");
  for (const auto& [id, location] : file.locations) {
    if (location.mapping == 0) {
      EXPECT_EQ(location.lines[0].function->name, "[cut]");
      continue;
    }
    EXPECT_NE(location.address, 0u);
    const auto& mapping = file.mappings.at(location.mapping);
    EXPECT_LE(mapping.start, location.address);
    EXPECT_LT(location.address, mapping.limit);
  }
  const auto& one = file.mappings.at(1);
  const auto& two = file.mappings.at(2);
  EXPECT_TRUE(one.limit <= two.start || two.limit <= one.start);
}

TEST(Pprof, LabelsThreadsProcessesAndMarks) {
  std::map<std::string, std::uint64_t> by_phase, by_thread;
  for (const auto& sample : Stacks().samples) {
    const auto phase = sample.texts.find("phase");
    by_phase[phase == sample.texts.end() ? "" : phase->second] += sample.values[0];
    by_thread[sample.texts.at("thread") + "/" + std::to_string(sample.numbers.at("tid"))] +=
        sample.values[0];
    EXPECT_EQ(sample.texts.at("process"), "solver");
    EXPECT_EQ(sample.numbers.at("pid"), 4711u);
  }
  EXPECT_EQ(by_phase["load"], 200u);
  EXPECT_EQ(by_phase["solve"], 770u);
  EXPECT_EQ(by_phase[""], 30u);
  EXPECT_EQ(by_thread["worker/4712"], 400u);
  EXPECT_EQ(by_thread["worker/4713"], 270u);
}

TEST(Pprof, HasTypesForEveryEvent) {
  const SpoolBuilder spool = PmuSpool();
  const auto report = MakeAll({&spool}, PmuNames());
  const PprofFile file(Written(report, ReportFormat::kPprof));
  EXPECT_EQ(file.types, (Types{{"cycles:u_samples", "count"},
                               {"cycles:u", "count"},
                               {"instructions:u_samples", "count"},
                               {"instructions:u", "count"},
                               {"cache-misses:u_samples", "count"},
                               {"cache-misses:u", "count"}}));
  for (std::size_t e = 0; e < 3; ++e) {
    EXPECT_EQ(file.Sum(2 * e), report.profile.events[e].samples);
    EXPECT_EQ(file.Sum(2 * e + 1), report.profile.events[e].weight);
  }
}

TEST(Pprof, CommentsTheVerdict) {
  EXPECT_THAT(Stacks().comments, Contains(HasSubstr("verdict ")));
  EXPECT_THAT(Stacks().comments, Contains(HasSubstr("event task-clock:u: 1000 samples")));
}

/// The schema, written down from the fields' documentation; only what we write.
constexpr char kSchema[] = R"(syntax = "proto3";
package perftools.profiles;
message ValueType { int64 type = 1; int64 unit = 2; }
message Label { int64 key = 1; int64 str = 2; int64 num = 3; int64 num_unit = 4; }
message Sample { repeated uint64 location_id = 1; repeated int64 value = 2; repeated Label label = 3; }
message Mapping { uint64 id = 1; uint64 memory_start = 2; uint64 memory_limit = 3; uint64 file_offset = 4;
  int64 filename = 5; int64 build_id = 6; bool has_functions = 7; bool has_filenames = 8;
  bool has_line_numbers = 9; bool has_inline_frames = 10; }
message Line { int64 function_id = 1; int64 line = 2; }
message Location { uint64 id = 1; uint64 mapping_id = 2; uint64 address = 3; repeated Line line = 4; }
message Function { int64 id = 1; int64 name = 2; int64 system_name = 3; int64 filename = 4; int64 start_line = 5; }
message Profile { repeated ValueType sample_type = 1; repeated Sample sample = 2; repeated Mapping mapping = 3;
  repeated Location location = 4; repeated Function function = 5; repeated string string_table = 6;
  int64 drop_frames = 7; int64 keep_frames = 8; int64 time_nanos = 9; int64 duration_nanos = 10;
  ValueType period_type = 11; int64 period = 12; repeated int64 comment = 13; int64 default_sample_type = 14; }
)";

TEST(Pprof, IsReadByTheProtocolCompiler) {
  if (std::system("protoc --version > /dev/null 2>&1") != 0) {
    GTEST_SKIP() << "protoc is not installed (protobuf-compiler)";
  }
  char folder[] = "/tmp/csink-pprof-XXXXXX";
  const std::string base = mkdtemp(folder);
  const auto report = MakeStacksReport(true);
  std::ofstream(base + "/profile.proto") << kSchema;
  std::ofstream(base + "/bytes", std::ios::binary)
      << Gunzip(Written(report, ReportFormat::kPprof, {.inlines = true}));
  const std::string command = "cd " + base + " && protoc --decode=perftools.profiles.Profile " +
                              "profile.proto < bytes > text 2> problems";
  EXPECT_EQ(std::system(command.c_str()), 0);
  std::size_t samples = 0;
  std::uint64_t sum = 0;
  bool is_weight = false;
  std::ifstream text(base + "/text");
  for (std::string line; std::getline(text, line);) {
    EXPECT_FALSE(std::isdigit(static_cast<unsigned char>(line[0]))) << "unknown field: " << line;
    samples += line == "sample {";
    const auto value = line.find("  value: ");
    if (value == line.npos) continue;
    if (is_weight) sum += std::stoull(line.substr(value + 9));
    is_weight = !is_weight;
  }
  EXPECT_EQ(samples, report.profile.places.size());
  EXPECT_EQ(sum, report.profile.events[0].weight);
  std::filesystem::remove_all(base);
}

}  // namespace
}  // namespace csink::testing
