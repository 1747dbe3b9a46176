#include <gmock/gmock.h>

#include <map>

#include "tests/symbolizer/report/formats/perf_data_file.h"
#include "tests/symbolizer/report/formats/written.h"

namespace csink::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

PerfDataFile Read(const report::Report& report, const report::FormatOptions& options = {}) {
  return PerfDataFile(Written(report, ReportFormat::kPerfData, options));
}

TEST(PerfData, HasARecordForEachSample) {
  const auto report = MakeStacksReport();
  const PerfDataFile file = Read(report);
  ASSERT_EQ(file.samples.size(), report.profile.events[0].samples);
  // hotspot divides the number of a thread's records by the time between its first and last one.
  // The threads lived for 1.05 s: the main thread has 330 samples.
  std::vector<std::uint64_t> times;
  for (const PerfDataSample& sample : file.samples) {
    if (sample.tid == 4711) times.push_back(sample.time);
  }
  ASSERT_EQ(times.size(), 330u);
  EXPECT_NEAR(329e9 / static_cast<double>(times.back() - times.front()), 330 / 1.05, 1);
  EXPECT_EQ(file.Sum(0), report.profile.events[0].weight);
  EXPECT_THAT(file.event_names, ElementsAre("task-clock:u"));
  EXPECT_EQ(file.attrs[0].type, PERF_TYPE_SOFTWARE);
  EXPECT_EQ(file.attrs[0].config, PERF_COUNT_SW_TASK_CLOCK);
  EXPECT_EQ(file.attrs[0].sample_period, report.profile.events[0].period);
}

TEST(PerfData, MapsAddressesToOffsetsInFiles) {
  const PerfDataFile file = Read(MakeStacksReport());
  bool found = false;
  for (const PerfDataSample& sample : file.samples) {
    EXPECT_EQ(sample.misc, PERF_RECORD_MISC_USER);
    const std::string place = file.PlaceOf(sample.pid, sample.ip);
    EXPECT_NE(place, "?");
    if (sample.tid != 4712 || place != "/lib/libc.so.6+" + std::to_string(0x1000)) continue;
    found = true;
    EXPECT_EQ(sample.period, 1'000'003u);
    std::vector<std::string> chain;
    for (const std::uint64_t address : sample.chain) {
      chain.push_back(file.PlaceOf(sample.pid, address));
    }
    // Callers are inside the call instruction, before the return address.
    EXPECT_THAT(chain, ElementsAre("/lib/libc.so.6+" + std::to_string(0x1000),
                                   "/home/me/solver+" + std::to_string(0x3fff),
                                   "/home/me/solver+" + std::to_string(0x100f)));
  }
  EXPECT_TRUE(found);
}

TEST(PerfData, NamesThreadsAndFiles) {
  const PerfDataFile file = Read(MakeStacksReport());
  EXPECT_EQ(file.comms.at(4711), "solver");
  EXPECT_EQ(file.comms.at(4712), "worker");
  EXPECT_EQ(file.build_ids.at("/home/me/solver"), "\x01\x02");
  EXPECT_THAT(file.version, HasSubstr("csink "));
  std::string command;
  for (const std::string& word : file.command) command += word;
  EXPECT_THAT(command, HasSubstr("./solver big.in"));
  EXPECT_THAT(command, HasSubstr("\n#  verdict "));
}

TEST(PerfData, HasEveryEvent) {
  const SpoolBuilder spool = PmuSpool();
  const auto report = MakeAll({&spool}, PmuNames());
  const PerfDataFile file = Read(report);
  ASSERT_EQ(file.attrs.size(), 3u);
  for (std::size_t e = 0; e < 3; ++e) {
    EXPECT_EQ(file.Sum(e), report.profile.events[e].weight);
    EXPECT_EQ(file.event_names[e], report.profile.events[e].name);
    EXPECT_EQ(file.attrs[e].type, PERF_TYPE_HARDWARE);
    EXPECT_EQ(file.attrs[e].sample_type & PERF_SAMPLE_CALLCHAIN, 0u);
  }
  EXPECT_EQ(Read(report, {.events = {2}}).Sum(0), report.profile.events[2].weight);
}

TEST(PerfData, KeepsProcessesApart) {
  const FakeResolver names = TreeNames();
  ProfileMerger merger({.keep_threads = true});
  for (std::uint32_t pid = 5000; pid < 5003; ++pid) {
    SpoolBuilder spool;
    spool.SetCommand("cc1plus", "cc1plus");
    spool.header().pid = pid;
    const auto region = spool.AddRegion(
        {.path = "/usr/lib/gcc/cc1plus", .start = 0x400000, .end = 0x480000, .build_id = "\xab"});
    spool.AddHits(region, 1, 0x401000, pid - 4999);
    AddTo(merger, spool);
  }
  const auto report =
      report::BuildReport(merger.Finish(), std::cref(names), {.keep_addresses = true});
  const PerfDataFile file = Read(report);
  std::map<std::uint32_t, std::uint64_t> periods;
  for (const PerfDataSample& sample : file.samples) {
    periods[sample.pid] += sample.period;
    EXPECT_EQ(file.PlaceOf(sample.pid, sample.ip),
              "/usr/lib/gcc/cc1plus+" + std::to_string(0x1000));
  }
  ASSERT_EQ(periods.size(), 3u);
  for (const auto& [pid, period] : periods) EXPECT_EQ(period, (pid - 4999) * 1'000'003ull);
}

TEST(PerfData, TellsKernelCodeApart) {
  SpoolBuilder spool;
  const auto app = spool.AddRegion({.path = "/bin/app", .start = 0, .end = 0x4000});
  const auto kernel = spool.AddRegion({.path = "[kernel]",
                                       .start = 0xffffffff81000000,
                                       .end = 0xffffffff82000000,
                                       .file_offset = 0xffffffff81000000,
                                       .flags = spool::kRegionKernel});
  spool.AddHits(app, 1, 0x1000, 1);
  spool.AddHits(kernel, 1, 0xffffffff81001000, 2);
  const PerfDataFile file = Read(MakeAll({&spool}, FakeResolver()));
  ASSERT_EQ(file.samples.size(), 3u);
  std::uint64_t in_kernel = 0;
  for (const PerfDataSample& sample : file.samples) {
    const bool is_kernel = sample.ip == 0xffffffff81001000;
    in_kernel += is_kernel;
    EXPECT_EQ(sample.misc, is_kernel ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER);
    EXPECT_EQ(sample.period, 1'000'003u);
  }
  EXPECT_EQ(in_kernel, 2u);
}

}  // namespace
}  // namespace csink::testing
