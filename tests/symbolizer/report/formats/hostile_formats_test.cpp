#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/symbolizer/report/formats/firefox_profile.h"
#include "tests/symbolizer/report/formats/otlp_file.h"
#include "tests/symbolizer/report/formats/perf_data_file.h"
#include "tests/symbolizer/report/formats/pprof_file.h"
#include "tests/symbolizer/report/formats/written.h"
#include "tests/symbolizer/report/formats/xml_text.h"

namespace csink::testing {
namespace {

constexpr ReportFormat kWritten[] = {
    ReportFormat::kCsv,        ReportFormat::kFolded,   ReportFormat::kCallgrind,
    ReportFormat::kPerfScript, ReportFormat::kPprof,    ReportFormat::kGperftools,
    ReportFormat::kSpeedscope, ReportFormat::kFirefox,  ReportFormat::kCpuProfile,
    ReportFormat::kSvg,        ReportFormat::kMarkdown, ReportFormat::kPerfData,
    ReportFormat::kGmon,       ReportFormat::kNdjson,   ReportFormat::kOtlp,
    ReportFormat::kChromeTrace};

/// Reads a file whose format has a grammar; fails the test if it does not follow it.
void ExpectWellFormed(ReportFormat format, const std::string& bytes) {
  switch (format) {
    case ReportFormat::kSpeedscope:
    case ReportFormat::kCpuProfile:
    case ReportFormat::kChromeTrace:
      EXPECT_TRUE(nlohmann::json::accept(bytes)) << NameOf(format).name;
      break;
    case ReportFormat::kNdjson:
      for (const std::string& line : LinesOf(bytes)) EXPECT_TRUE(nlohmann::json::accept(line));
      break;
    case ReportFormat::kFirefox: {
      const auto profile = nlohmann::json::parse(bytes);
      EXPECT_THAT(FirefoxCheck(profile).problems(), ::testing::IsEmpty());
      break;
    }
    case ReportFormat::kSvg:
      EXPECT_TRUE(ReadXml(bytes)) << bytes.substr(0, 2000);
      break;
    case ReportFormat::kPerfData:
      EXPECT_NO_THROW(PerfDataFile file(bytes));
      break;
    case ReportFormat::kOtlp:
      EXPECT_NO_THROW(OtlpFile file(bytes));
      break;
    default:
      break;
  }
}

bool IsUtf8(const std::string& text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto c = static_cast<unsigned char>(text[i]);
    const int more = c < 0x80 ? 0 : c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : c >= 0xc2 ? 1 : -1;
    if (more < 0) return false;
    for (int k = 1; k <= more; ++k) {
      if (i + k >= text.size() || (static_cast<unsigned char>(text[i + k]) & 0xc0) != 0x80) {
        return false;
      }
    }
    i += more + 1;
  }
  return true;
}

/// A name with everything that is a sign to some format.
const std::string kNasty =
    "a;b \"c\",d\n\r\t(1) {x}=<> \xff\xc3 \x1b[31m--+0x12 (/etc) # \xe2\x82\xac "
    "</script><script>alert(1)</script>]]>&lt; --> \\ | ` \xe2\x80\xae \xef\xbf\xbf \xc2\x9b 42";

report::Report Named(const std::string& name, const std::string& path = "/bin/app") {
  SpoolBuilder spool;
  spool.SetCommand(name.substr(0, 10), name.substr(0, 200));
  const auto region = spool.AddRegion({.path = path, .start = 0, .end = 0x40000});
  const auto thread = spool.AddThread(9, name.substr(0, 12));
  const auto phase = spool.AddPhase(name.substr(0, 30), 1, 1, 1);
  const auto chain = spool.AddChain(0, region, 0x2010);
  spool.AddHitsAt(region, thread, 0x1010, 7, chain, phase);
  spool.AddHits(region, 1, 0x2020, 3);
  FakeResolver names;
  names.Add(path, 0x1000, {.end = 0x1100, .name = name, .file = name, .first_line = 1});
  names.Add(path, 0x2000, {.end = 0x2100, .name = "caller"});
  return MakeAll({&spool}, names);
}

TEST(Formats, TakeNamesOfAnyKind) {
  const auto report = Named(kNasty);
  for (const ReportFormat format : kWritten) {
    const std::string text = Written(report, format);
    ExpectWellFormed(format, text);
    if (NameOf(format).is_binary) continue;
    EXPECT_TRUE(IsUtf8(text)) << NameOf(format).name;
    EXPECT_EQ(text.find('\x1b'), text.npos) << NameOf(format).name;
  }
  std::size_t weights = 0;
  for (const auto& line : LinesOf(Written(report, ReportFormat::kFolded))) {
    weights += line.rfind("caller;a:b ", 0) == 0 && line.substr(line.rfind(' ')) == " 7000021";
  }
  EXPECT_EQ(weights, 1u);
  const PprofFile pprof(Written(report, ReportFormat::kPprof));
  EXPECT_EQ(pprof.Sum(0), 10u);
  for (const auto& text : pprof.strings) EXPECT_TRUE(IsUtf8(text));
  const OtlpFile otlp(Written(report, ReportFormat::kOtlp));
  EXPECT_EQ(otlp.Profiles().at(0)->Sum(), 10 * 1'000'003);
  for (const auto& text : otlp.strings) EXPECT_TRUE(IsUtf8(text));
  for (const auto& [key, value] : otlp.resources.at(0).attributes)
    EXPECT_TRUE(IsUtf8(value)) << key;
  for (const auto& [key, value] : otlp.attributes) EXPECT_TRUE(IsUtf8(value)) << key;
}

TEST(Formats, CutNamesOfMegabytes) {
  const auto report = Named(std::string(10'000'000, 'x'));
  for (const ReportFormat format : kWritten) {
    const std::string text = Written(report, format);
    EXPECT_LT(text.size(), 1'000'000u) << NameOf(format).name;
    EXPECT_GT(text.size(), 100u) << NameOf(format).name;
    ExpectWellFormed(format, text);
  }
}

TEST(Formats, TakeNamesThatMisleadReaders) {
  const auto report = Named(kNasty);
  for (const ReportFormat format : {ReportFormat::kSvg, ReportFormat::kMarkdown}) {
    const std::string text = Written(report, format);
    EXPECT_EQ(text.find("\xe2\x80\xae"), text.npos) << "direction of writing";
    EXPECT_EQ(text.find("\xef\xbf\xbf"), text.npos) << "no character of XML";
    EXPECT_EQ(text.find("\xc2\x9b"), text.npos) << "C1 control character";
  }
  const std::string svg = Written(report, ReportFormat::kSvg);
  EXPECT_EQ(svg.find("<script"), svg.npos);
  EXPECT_THAT(svg, ::testing::HasSubstr("&lt;/script&gt;"));
}

TEST(Formats, TakeOneSample) {
  SpoolBuilder spool;
  const auto region = spool.AddRegion({.path = "/bin/app", .start = 0, .end = 0x4000});
  spool.AddHits(region, 1, 0x1000, 1);
  const auto report = MakeAll({&spool}, FakeResolver());
  for (const ReportFormat format : kWritten) ExpectWellFormed(format, Written(report, format));
}

TEST(Formats, TakeAnEmptyProfile) {
  SpoolBuilder empty;
  const auto without_samples = MakeAll({&empty}, FakeResolver());
  const auto without_anything = MakeAll({}, FakeResolver());
  for (const ReportFormat format : kWritten) {
    if (format == ReportFormat::kGmon) continue;
    ExpectWellFormed(format, Written(without_samples, format));
    ExpectWellFormed(format, Written(without_anything, format));
  }
  report::Sink sink([](std::string_view) -> Result<void> { return {}; });
  const auto gmon = report::WriteFormat(without_samples, ReportFormat::kGmon, {}, sink);
  ASSERT_FALSE(gmon);  // there is no program whose text it could be of
  EXPECT_EQ(gmon.error().code, Errc::kNotFound);
  EXPECT_EQ(PprofFile(Written(without_samples, ReportFormat::kPprof)).samples.size(), 0u);
  EXPECT_EQ(PprofFile(Written(without_anything, ReportFormat::kPprof)).types.size(), 0u);
}

TEST(Formats, TakeCodeWithoutSymbolsAndFiles) {
  SpoolBuilder spool;
  const auto app = spool.AddRegion({.path = "/bin/app", .start = 0, .end = 0x4000});
  const auto jit =
      spool.AddRegion({.start = 0x70000, .end = 0x80000, .flags = spool::kRegionAnonymous});
  spool.AddHits(app, 1, 0x1010, 7);
  spool.AddHits(jit, 1, 0x71010, 5);
  spool.AddHits(jit, 1, 0x71020, 5);
  const auto report = MakeAll({&spool}, FakeResolver());
  for (const ReportFormat format : kWritten) ExpectWellFormed(format, Written(report, format));
  const std::string folded = Written(report, ReportFormat::kFolded);
  EXPECT_THAT(folded, ::testing::HasSubstr("[anonymous];[code without a file] 10000030\n"));
  EXPECT_THAT(folded, ::testing::HasSubstr("app;[app+0x1000] 7000021\n"));
}

TEST(Formats, KeepProcessesApart) {
  const FakeResolver names = TreeNames();
  const auto report =
      report::BuildReport(TreeProfile(), std::cref(names), {.keep_addresses = true});
  std::uint64_t weight = report.profile.events[0].weight;
  EXPECT_EQ(PprofFile(Written(report, ReportFormat::kPprof)).Sum(1), weight);
}

TEST(Formats, ScaleWhatReadersCannotAddUp) {
  SpoolBuilder spool;
  spool.event(0).period = 1ull << 62;
  const auto region = spool.AddRegion({.path = "/bin/app", .start = 0, .end = 0x4000});
  for (std::uint64_t i = 0; i < 7; ++i) spool.AddHits(region, 1, 0x1000 + 0x200 * i, 3);
  const auto report = MakeAll({&spool}, FakeResolver());
  for (const ReportFormat format : kWritten) ExpectWellFormed(format, Written(report, format));
  const PprofFile pprof(Written(report, ReportFormat::kPprof));
  std::uint64_t sum = 0;
  for (const auto& sample : pprof.samples) {
    ASSERT_LE(sample.values[1], ~0ull >> 1);
    sum += sample.values[1];
    EXPECT_LE(sum, ~0ull >> 1) << "a reader's sum overflows";
  }
  EXPECT_EQ(pprof.samples[0].values[0], 3u);
  EXPECT_THAT(pprof.comments, ::testing::Contains(::testing::HasSubstr("weights by 2^4")));
}

TEST(Formats, KeepTheSinksError) {
  const auto report = MakeStacksReport();
  for (const ReportFormat format : kWritten) {
    report::Sink sink([](std::string_view) -> Result<void> {
      return Error{Errc::kLimit, ENOSPC, "full"};
    });
    const auto result = report::WriteFormat(report, format, {}, sink);
    ASSERT_FALSE(result) << NameOf(format).name;
    EXPECT_EQ(result.error().sys_errno, ENOSPC);
  }
}

TEST(Formats, WriteManyPlaces) {
  constexpr std::uint64_t kPlaces = 20'000;
  SpoolBuilder spool;
  const auto region = spool.AddRegion({.path = "/bin/app", .start = 0, .end = 0x10000000});
  std::uint32_t chain = 0;
  for (int i = 0; i < 100; ++i) chain = spool.AddChain(chain, region, 0x2000 + 16 * i);
  for (std::uint64_t i = 0; i < kPlaces; ++i) {
    spool.AddHitsAt(region, 1, 0x100000 + 32 * i, 1, i % 2 == 0 ? chain : 0);
  }
  const auto report = MakeAll({&spool}, FakeResolver());
  ASSERT_EQ(report.profile.places.size(), kPlaces);
  for (const ReportFormat format : kWritten) {
    std::size_t most = 0;
    report::Sink sink([&](std::string_view bytes) -> Result<void> {
      most = std::max(most, bytes.size());
      return {};
    });
    EXPECT_TRUE(report::WriteFormat(report, format, {}, sink));
    EXPECT_LE(most, 1u << 17) << NameOf(format).name << " is written in pieces";
    EXPECT_GT(most, 0u);
  }
}

}  // namespace
}  // namespace csink::testing
