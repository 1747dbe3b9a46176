// A damaged spool, written in every format. The first byte chooses the options; the others are as
// damaged_spool.h says.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>

#include "core/util/report_format.h"
#include "symbolizer/report/formats/formats.h"
#include "symbolizer/report/html/page.h"
#include "symbolizer/report/json/json.h"
#include "symbolizer/report/text/text.h"
#include "tests/fuzz/spool/damaged_spool.h"
#include "tests/symbolizer/report/rank_sample.h"
#include "tests/symbolizer/report/sample_reports.h"

using namespace csink;

namespace {

constexpr std::uint8_t kOnePhase = 1;
constexpr std::uint8_t kThreads = 2;
constexpr std::uint8_t kInlines = 4;
constexpr std::uint8_t kLastEvent = 8;
constexpr std::uint8_t kRanks = 16;

testing::SpoolBuilder Sample() {
  testing::SpoolBuilder builder = testing::StacksSpool();
  const auto second = builder.AddEvent("page-faults:u", EventClass::kOther, 1);
  const auto jit = builder.AddRegion(
      {.start = 0x700000, .end = 0x710000, .flags = spool::kRegionAnonymous, .inode = 0});
  const auto empty = builder.AddChain(0, spool::kNone, 0, spool::kChainCut | spool::kChainEmpty);
  builder.AddHits(jit, 1, 0x700100, 7);
  builder.AddHitsAt(0, 1, 0x404200, 2, empty, 0, second);
  builder.AddRoutine(0x401100, 0, 3, 4);
  spool::LockRecord lock{};
  lock.region = 0;
  lock.first_region = 0;
  lock.first_pc = 0x401110;
  spool::WaitSiteRecord site{};
  site.pc = 0x404210;
  site.thread = 1;
  site.lock = builder.AddLock(lock);
  site.kind = spool::WaitKind::kFutex;
  site.looks = 5;
  site.blocked_ns = 500;
  site.blocked_squared = 50000;
  builder.AddWaitSite(site);
  spool::HolderRecord holder{};
  holder.lock = site.lock;
  holder.thread = 1;
  holder.pc = 0x404100;
  holder.looks = 2;
  holder.blocked_ns = 200;
  builder.AddHolder(holder);
  builder.header().rank_plus_one = 1;
  return builder;
}

testing::FakeResolver Names() {
  testing::FakeResolver names = testing::StacksNames();
  names.Add("/home/me/solver", 0x4000,
            {.end = 0x5000,
             .name = "kernel(double*, double*)",
             .file = "leaf.h",
             .first_line = 7,
             .inlined = {{"leaf()", "_Z4leafv", "mid.h", 21}, {"mid()", "_Z3midv", "k.c", 99}}});
  return names;
}

void WriteAll(const report::Report& report, const report::FormatOptions& options) {
  report::TextStyle style;
  style.call_tree = style.per_thread = true;
  std::size_t written = report::WriteJson(report).size() + report::WriteText(report, style).size();
  const auto count = [&](std::string_view bytes) -> Result<void> {
    written += bytes.size();
    return {};
  };
  for (std::size_t i = 0; i < kReportFormatCount; ++i) {
    report::Sink sink(count);
    (void)report::WriteFormat(report, static_cast<ReportFormat>(i), options, sink);
  }
  // CSV has five tables; the loop wrote the one of functions.
  for (const auto table : {report::CsvTable::kLines, report::CsvTable::kThreads,
                           report::CsvTable::kProcesses, report::CsvTable::kSamples}) {
    report::Sink sink(count);
    report::FormatOptions with_table = options;
    with_table.table = table;
    (void)report::WriteFormat(report, ReportFormat::kCsv, with_table, sink);
  }
  report::Sink page(count);
  (void)report::WritePage(report, {}, page);
  if (written == 0) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const testing::WholeSpools whole(Sample());
  static const testing::FakeResolver names = Names();
  if (size == 0) return 0;
  const std::uint8_t choice = data[0];
  const auto spool = spool::ParseSpool(testing::DamagedSpool(whole, data + 1, size - 1));
  if (!spool) return 0;
  ProfileMerger merger({.keep_callers = true,
                        .keep_phases = true,
                        .keep_threads = (choice & kThreads) != 0,
                        .keep_ranks = (choice & kRanks) != 0,
                        .only_phase = (choice & kOnePhase) != 0 ? "load" : ""});
  merger.Add(*spool, ProcessState::kKilled, "fuzz");
  // A second rank, so that the ranks are compared.
  if ((choice & kRanks) != 0) testing::AddTo(merger, testing::RankSpool(1, 20, 5));
  Profile profile = merger.Finish();
  report::FormatOptions options{.inlines = (choice & kInlines) != 0};
  if ((choice & kLastEvent) != 0) options.events = {profile.events.size() - 1};
  WriteAll(report::BuildReport(std::move(profile), std::cref(names),
                               {.keep_addresses = true,
                                .detail = symbolizer::Detail::kInlines,
                                .inlines = options.inlines}),
           options);
  return 0;
}
