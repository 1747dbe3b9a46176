#include <gmock/gmock.h>

#include <set>
#include <tuple>

#include "core/version/number.h"
#include "tests/symbolizer/report/formats/otlp_file.h"
#include "tests/symbolizer/report/formats/written.h"

namespace csink::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Pair;
using ::testing::SizeIs;

OtlpFile Stacks(bool inlines = false) {
  return OtlpFile(Written(MakeStacksReport(inlines), ReportFormat::kOtlp, {.inlines = inlines}));
}

/// The tree of make with its threads, so that samples have processes.
report::Report MakeTree() {
  ProfileMerger merger({.keep_callers = true, .keep_threads = true});
  for (std::uint32_t i = 0; i < 2; ++i) {
    SpoolBuilder b;
    b.SetCommand(i == 0 ? "make" : "cc1plus", i == 0 ? "make -j2" : "cc1plus -quiet a.cc");
    b.header().pid = 5000 + i;
    b.header().parent_pid = i == 0 ? 1 : 5000;
    b.header().process_start_ticks += i;
    b.header().lost_ns[static_cast<int>(spool::Loss::kNoRing)] = i * 30'000'000;
    const auto region =
        b.AddRegion({.path = "/usr/lib/gcc/cc1plus", .start = 0x400000, .end = 0x480000});
    if (i == 1) b.AddHits(region, 1, 0x401000, 600);
    AddTo(merger, b);
  }
  const FakeResolver names = TreeNames();
  return report::BuildReport(merger.Finish(), std::cref(names), {.keep_addresses = true});
}

TEST(Otlp, HasTheTotalsOfTheReport) {
  const auto report = MakeStacksReport();
  const OtlpFile file = Stacks();
  ASSERT_THAT(file.Profiles(), SizeIs(1));
  const OtlpFile::Profile& profile = *file.Profiles()[0];
  EXPECT_THAT(profile.type, Pair("cpu", "nanoseconds"));
  EXPECT_EQ(profile.Sum(), static_cast<std::int64_t>(report.profile.events[0].weight));
  EXPECT_EQ(profile.period, 1'000'003);
  EXPECT_THAT(profile.period_type, Pair("cpu", "nanoseconds"));
  const ProcessRow& process = report.profile.processes[0];
  EXPECT_EQ(profile.time_ns, process.start_realtime_ns);
  EXPECT_EQ(profile.duration_ns, process.update_monotonic_ns - process.start_monotonic_ns);
  EXPECT_EQ(file.resources[0].scope, "countersink");
  EXPECT_EQ(file.resources[0].version, CSINK_VERSION);
}

TEST(Otlp, HasTheFunctionsOfTheReport) {
  const auto report = MakeStacksReport();
  const OtlpFile file = Stacks();
  std::map<std::string, std::uint64_t> by_leaf;
  for (const auto& sample : file.Profiles()[0]->samples) {
    by_leaf[file.Names(sample)[0]] += static_cast<std::uint64_t>(sample.value);
  }
  ASSERT_EQ(by_leaf.size(), report.functions.size());
  for (const auto& row : report.functions) EXPECT_EQ(by_leaf[row.function], row.events[0].weight);
}

TEST(Otlp, HasEmptyEntriesAtTheBeginOfTables) {
  const OtlpFile file = Stacks(true);
  EXPECT_EQ(file.strings.at(0), "");
  EXPECT_THAT(file.attributes.at(0), Pair("", ""));
  EXPECT_TRUE(file.mappings.at(0).is_zero);
  EXPECT_THAT(file.locations.at(0).lines, IsEmpty());
  EXPECT_EQ(file.locations.at(0).mapping, 0u);
  EXPECT_EQ(file.functions.at(0).name, "");
  EXPECT_THAT(file.stacks.at(0), IsEmpty());
  EXPECT_EQ(file.links, 1u);
}

TEST(Otlp, HasStacksLeafFirst) {
  const OtlpFile file = Stacks();
  std::map<std::vector<std::string>, std::int64_t> stacks;
  for (const auto& sample : file.Profiles()[0]->samples) {
    stacks[file.Names(sample)] += sample.value / 1'000'003;
  }
  const std::string kernel = "kernel(double*, double*)";
  EXPECT_EQ((stacks[{kernel, "solve(int)", "solve(int)", "main"}]), 300);
  EXPECT_EQ((stacks[{"memcpy", "load(char const*)", "main"}]), 170);
  EXPECT_EQ((stacks[{"memcpy", kernel, "[cut]"}]), 50);
}

TEST(Otlp, HasWhatWasCutBeforeTheFirstCaller) {
  const OtlpFile file(Written(MakeEmptyStacks(), ReportFormat::kOtlp));
  std::map<std::vector<std::string>, std::int64_t> stacks;
  for (const auto& sample : file.Profiles()[0]->samples) {
    stacks[file.Names(sample)] += sample.value / 1'000'003;
  }
  const std::string kernel = "kernel(double*, double*)";
  EXPECT_EQ(stacks, (decltype(stacks){{{kernel, "[cut]"}, 3}, {{kernel, "main"}, 5}}));
}

TEST(Otlp, HasEachStackAndEachSampleOnce) {
  const OtlpFile file = Stacks();
  const std::set<std::vector<std::uint32_t>> stacks(file.stacks.begin(), file.stacks.end());
  EXPECT_EQ(stacks.size(), file.stacks.size());
  std::set<std::pair<std::uint32_t, std::vector<std::uint32_t>>> keys;
  const auto& samples = file.Profiles()[0]->samples;
  for (const auto& sample : samples) keys.emplace(sample.stack, sample.attribute_ids);
  EXPECT_EQ(keys.size(), samples.size());
}

TEST(Otlp, HasInlinedFunctionsAsLinesOfALocation) {
  const OtlpFile file = Stacks(true);
  for (const auto& location : file.locations) {
    if (location.lines.size() < 2) continue;
    ASSERT_EQ(location.lines.size(), 3u);
    const auto& leaf = file.functions.at(location.lines[0].function);
    EXPECT_EQ(leaf.name, "leaf()");
    EXPECT_EQ(leaf.system_name, "_Z4leafv");
    EXPECT_EQ(leaf.file, "leaf.h");
    EXPECT_EQ(location.lines[0].line, 7);
    EXPECT_EQ(file.functions.at(location.lines[1].function).name, "mid()");
    EXPECT_EQ(location.lines[1].line, 21);
    const auto& outer = file.functions.at(location.lines[2].function);
    EXPECT_EQ(outer.name, "kernel(double*, double*)");
    EXPECT_EQ(outer.file, "kernel.c");
    EXPECT_EQ(location.lines[2].line, 99);
    const auto& mapping = file.mappings.at(location.mapping);
    EXPECT_EQ(mapping.attributes.at("pprof.mapping.has_inline_frames"), "true");
    return;
  }
  FAIL() << "no location with inlined functions";
}

TEST(Otlp, PutsLocationsIntoTheirMappings) {
  const OtlpFile file = Stacks();
  ASSERT_EQ(file.mappings.size(), 3u);
  EXPECT_EQ(file.mappings[1].file, "/home/me/solver");  // the program comes first
  EXPECT_EQ(file.mappings[1].attributes.at("process.executable.build_id.gnu"), "0102");
  EXPECT_EQ(file.mappings[1].attributes.at("pprof.mapping.has_functions"), "true");
  EXPECT_EQ(file.mappings[2].attributes.count("process.executable.build_id.gnu"), 0u);
  for (std::size_t i = 1; i < file.locations.size(); ++i) {
    const auto& location = file.locations[i];
    if (location.mapping == 0) {
      EXPECT_EQ(file.functions.at(location.lines.at(0).function).name, "[cut]");
      continue;
    }
    EXPECT_EQ(location.attributes.at("profile.frame.type"), "native");
    EXPECT_LE(file.mappings.at(location.mapping).start, location.address);
    EXPECT_LT(location.address, file.mappings.at(location.mapping).limit);
  }
}

TEST(Otlp, NamesTheKernelsFramesAndNoneOfAJit) {
  SpoolBuilder spool;
  const auto kernel =
      spool.AddRegion({.path = "[kernel]", .start = 0xffffffff81000000, .end = 0xffffffff82000000});
  const auto jit =
      spool.AddRegion({.start = 0x70000, .end = 0x80000, .flags = spool::kRegionAnonymous});
  spool.AddHits(kernel, 1, 0xffffffff81001000, 3);
  spool.AddHits(jit, 1, 0x71010, 5);
  const OtlpFile file(Written(MakeAll({&spool}, FakeResolver()), ReportFormat::kOtlp));
  std::map<std::string, std::string> types;
  for (std::size_t i = 1; i < file.locations.size(); ++i) {
    const auto& location = file.locations[i];
    const auto type = location.attributes.find("profile.frame.type");
    types[file.mappings.at(location.mapping).file] =
        type == location.attributes.end() ? "" : type->second;
  }
  EXPECT_EQ(types,
            (std::map<std::string, std::string>{{"[anonymous]", ""}, {"[kernel]", "kernel"}}));
}

TEST(Otlp, LabelsThreadsAndMarks) {
  const OtlpFile file = Stacks();
  std::map<std::string, std::int64_t> by_phase, by_thread;
  for (const auto& sample : file.Profiles()[0]->samples) {
    const auto phase = sample.attributes.find("csink.phase");
    const std::int64_t samples = sample.value / 1'000'003;
    by_phase[phase == sample.attributes.end() ? "" : phase->second] += samples;
    by_thread[sample.attributes.at("thread.name") + "/" + sample.attributes.at("thread.id")] +=
        samples;
  }
  EXPECT_EQ(by_phase["load"], 200);
  EXPECT_EQ(by_phase["solve"], 770);
  EXPECT_EQ(by_phase[""], 30);
  EXPECT_EQ(by_thread["worker/4712"], 400);
  EXPECT_EQ(by_thread["worker/4713"], 270);
}

TEST(Otlp, HasAProfileForEveryEvent) {
  const SpoolBuilder spool = PmuSpool();
  const auto report = MakeAll({&spool}, PmuNames());
  const OtlpFile file(Written(report, ReportFormat::kOtlp));
  const auto profiles = file.Profiles();
  ASSERT_THAT(profiles, SizeIs(3));
  for (std::size_t e = 0; e < 3; ++e) {
    const EventTotals& event = report.profile.events[e];
    EXPECT_THAT(profiles[e]->type, Pair(event.name, "count"));
    EXPECT_EQ(profiles[e]->Sum(), static_cast<std::int64_t>(event.weight));
    EXPECT_EQ(profiles[e]->period, static_cast<std::int64_t>(event.period));
    EXPECT_EQ(profiles[e]->attributes.at("csink.event"), event.name);
    EXPECT_EQ(profiles[e]->attributes.at("csink.samples"), std::to_string(event.samples));
  }
  const OtlpFile one(Written(report, ReportFormat::kOtlp, {.events = {1}}));
  ASSERT_THAT(one.Profiles(), SizeIs(1));
  EXPECT_EQ(one.Profiles()[0]->type.first, "instructions:u");
}

TEST(Otlp, HasNumbersOfSamplesThatDoNotFollowFromWeights) {
  SpoolBuilder spool;
  const auto region = spool.AddRegion({.path = "/bin/app", .start = 0, .end = 0x4000});
  spool.AddHits(region, 1, 0x1000, 5);
  spool.event(0).period = 0;
  spool.event(0).frequency_hz = 997;
  const auto report = MakeAll({&spool}, FakeResolver());
  const OtlpFile file(Written(report, ReportFormat::kOtlp));
  const auto profiles = file.Profiles();
  ASSERT_THAT(profiles, SizeIs(2));
  EXPECT_THAT(profiles[0]->type, Pair("cpu", "nanoseconds"));
  // The mean weight of a sample.
  EXPECT_EQ(profiles[0]->period, 1'000'003);
  EXPECT_EQ(profiles[1]->period, 1'000'003);
  EXPECT_THAT(profiles[1]->type, Pair("samples", "count"));
  EXPECT_EQ(profiles[1]->Sum(), 5);
  EXPECT_EQ(profiles[1]->attributes.at("csink.event.frequency"), "997 Hz");
  EXPECT_NE(profiles[0]->id, profiles[1]->id);
}

TEST(Otlp, SaysWhatWasLost) {
  SpoolBuilder spool = StacksSpool();
  spool.event(0).lost_records = 12;
  spool.event(0).throttled = 3;
  spool.header().lost_ns[static_cast<int>(spool::Loss::kNoRing)] = 30'000'000;
  const OtlpFile file(Written(MakeAll({&spool}, StacksNames()), ReportFormat::kOtlp));
  const auto& attributes = file.Profiles()[0]->attributes;
  EXPECT_EQ(attributes.at("csink.run.lost_samples"), "12");
  EXPECT_EQ(attributes.at("csink.run.throttled"), "3");
  EXPECT_EQ(attributes.at("csink.lost.no_ring"), "30000000 ns");
  EXPECT_EQ(attributes.at("csink.process.cut_stacks"), "50");
  EXPECT_EQ(attributes.at("csink.process.paused_time"), "1000000000 ns");
  EXPECT_EQ(attributes.at("csink.run.samples"), "1000");
  EXPECT_EQ(attributes.at("csink.run.effective_samples"), "1000.000000");
  EXPECT_THAT(attributes.at("pprof.profile.comment"), HasSubstr("\nverdict "));
  EXPECT_THAT(attributes.at("csink.verdict"), Not(IsEmpty()));
  EXPECT_EQ(attributes.count("csink.run.unplaced_samples"), 0u) << "0 is left out";
}

TEST(Otlp, HasAResourceForEachProcess) {
  const OtlpFile file(Written(MakeTree(), ReportFormat::kOtlp));
  ASSERT_THAT(file.resources, SizeIs(2));
  EXPECT_EQ(file.resources[0].attributes.at("service.name"), "make");
  EXPECT_EQ(file.resources[0].attributes.at("process.pid"), "5000");
  EXPECT_EQ(file.resources[1].attributes.at("process.pid"), "5001");
  EXPECT_EQ(file.resources[1].attributes.at("process.parent_pid"), "5000");
  EXPECT_EQ(file.resources[1].attributes.at("process.executable.name"), "cc1plus");
  EXPECT_EQ(file.resources[1].attributes.at("process.command_line"), "cc1plus -quiet a.cc");
  // A process without samples still says what was lost.
  ASSERT_THAT(file.resources[0].profiles, SizeIs(1));
  EXPECT_THAT(file.resources[0].profiles[0].samples, IsEmpty());
  ASSERT_THAT(file.resources[1].profiles, SizeIs(1));
  EXPECT_EQ(file.resources[1].profiles[0].Sum(), 600 * 1'000'003ll);
  EXPECT_EQ(file.resources[1].profiles[0].attributes.at("csink.lost.no_ring"), "30000000 ns");
}

TEST(Otlp, PutsSamplesWithoutThreadsIntoAResourceOfTheRun) {
  const FakeResolver names = TreeNames();
  const auto report =
      report::BuildReport(TreeProfile(), std::cref(names), {.keep_addresses = true});
  const OtlpFile file(Written(report, ReportFormat::kOtlp));
  ASSERT_THAT(file.resources, SizeIs(5));
  const auto& last = file.resources[4];
  EXPECT_EQ(last.attributes.at("process.command_line"), "make -j2");
  EXPECT_EQ(last.attributes.count("process.pid"), 0u);
  ASSERT_THAT(last.profiles, SizeIs(1));
  EXPECT_EQ(last.profiles[0].Sum(), static_cast<std::int64_t>(report.profile.events[0].weight));
}

TEST(Otlp, DividesWhatReadersCannotAddUp) {
  SpoolBuilder spool;
  spool.event(0).period = 1ull << 62;
  const auto region = spool.AddRegion({.path = "/bin/app", .start = 0, .end = 0x4000});
  for (std::uint64_t i = 0; i < 7; ++i) spool.AddHits(region, 1, 0x1000 + 0x200 * i, 3);
  const OtlpFile file(Written(MakeAll({&spool}, FakeResolver()), ReportFormat::kOtlp));
  const auto profiles = file.Profiles();
  // The numbers of samples do not follow from the divided weights.
  ASSERT_THAT(profiles, SizeIs(2));
  EXPECT_EQ(profiles[0]->attributes.at("csink.values.divided_by_power_of_2"), "4");
  std::int64_t sum = 0;
  for (const auto& sample : profiles[0]->samples) {
    ASSERT_FALSE(__builtin_add_overflow(sum, sample.value, &sum)) << "a reader's sum overflows";
    EXPECT_GT(sample.value, 0);
  }
  EXPECT_EQ(profiles[1]->Sum(), 21);
  EXPECT_EQ(profiles[1]->attributes.count("csink.values.divided_by_power_of_2"), 0u);
}

TEST(Otlp, IdentifiesTheSameProfileByTheSameNumber) {
  const std::string once = Written(MakeStacksReport(), ReportFormat::kOtlp);
  EXPECT_EQ(once, Written(MakeStacksReport(), ReportFormat::kOtlp));
  const OtlpFile file(once);
  EXPECT_THAT(file.Profiles()[0]->id, SizeIs(16));
  SpoolBuilder other = StacksSpool();
  other.header().update_monotonic_ns += 1;
  const OtlpFile later(Written(MakeAll({&other}, InliningNames()), ReportFormat::kOtlp));
  EXPECT_NE(later.Profiles()[0]->id, file.Profiles()[0]->id);
}

TEST(Otlp, EncodesIntoMemoryWhatItWrites) {
  const auto report = MakeStacksReport();
  const auto bytes = report::EncodeFormat(report, ReportFormat::kOtlp, {});
  ASSERT_TRUE(bytes);
  EXPECT_EQ(*bytes, Written(report, ReportFormat::kOtlp));
  const auto text = report::EncodeFormat(report, ReportFormat::kText, {});
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().code, Errc::kInvalid);
}

}  // namespace
}  // namespace csink::testing
