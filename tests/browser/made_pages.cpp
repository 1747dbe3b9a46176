#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>

#include "symbolizer/report/compare/compare.h"
#include "symbolizer/report/html/page.h"
#include "tests/fakes/fake_resolver.h"
#include "tests/fakes/spool_builder.h"
#include "tests/symbolizer/report/sample_reports.h"

/// File: writes the page of a made profile to stdout, for the browser's tests:
///
///   made_pages empty | one | hostile SEED | many PLACES | hostile-diff SEED | empty-diff

namespace csink::testing {
namespace {

report::Report All(const SpoolBuilder& spool, const FakeResolver& names) {
  ProfileMerger merger({.keep_callers = true, .keep_phases = true, .keep_threads = true});
  AddTo(merger, spool);
  return report::BuildReport(merger.Finish(), std::cref(names), {.keep_addresses = true});
}

/// A name with pieces that would end an element, run code, or hide text.
std::string HostileName(std::mt19937& random) {
  static const std::string kPieces[] = {"</script>",
                                        "<script>window.executed=1</script>",
                                        "<img src=x onerror=window.executed=1>",
                                        "<!--",
                                        "]]>",
                                        "\"'`",
                                        "\xe2\x80\xae",
                                        "\xe2\x80\xa8",
                                        "\xff\xfe",
                                        std::string(1, '\0'),
                                        "javascript:window.executed=1",
                                        "{{7*7}}",
                                        "&lt;b&gt;",
                                        std::string(2000, 'n'),
                                        "$&\\u003c"};
  std::string name;
  for (int i = 0; i < 6; ++i) name += kPieces[random() % std::size(kPieces)];
  return name;
}

report::Report Hostile(unsigned seed) {
  std::mt19937 random(seed);
  SpoolBuilder spool;
  spool.SetCommand(HostileName(random), HostileName(random));
  FakeResolver names;
  const std::string path = "/" + HostileName(random).substr(0, 200);
  const auto region = spool.AddRegion({.path = path, .start = 0, .end = 0x40000});
  const auto thread = spool.AddThread(9, HostileName(random).substr(0, 15));
  const auto phase = spool.AddPhase(HostileName(random).substr(0, 30), 1, 1, 1);
  std::uint32_t chain = 0;
  for (std::uint64_t f = 0; f < 20; ++f) {
    // One name that every page has.
    const std::string name = f == 0 ? "\xe2\x80\xae</script>" : HostileName(random);
    names.Add(
        path, 0x1000 + 0x100 * f,
        {.end = 0x1100 + 0x100 * f, .name = name, .file = HostileName(random), .first_line = 1});
    chain = spool.AddChain(chain, region, 0x1010 + 0x100 * f);
    spool.AddHitsAt(region, thread, 0x1020 + 0x100 * f, 7 + f, chain, phase);
  }
  return All(spool, names);
}

report::Report Many(std::uint64_t places) {
  SpoolBuilder spool;
  const auto region = spool.AddRegion({.path = "/bin/app", .start = 0, .end = 0x100000000});
  std::vector<std::uint32_t> chains(20'000);
  for (std::size_t i = 0; i < chains.size(); ++i) {
    chains[i] = spool.AddChain(i < 100 ? 0 : chains[i / 3], region, 0x2000 + 16 * i);
  }
  FakeResolver names;
  const std::uint64_t functions = places / 4;
  for (std::uint64_t f = 0; f < functions; ++f) {
    names.Add("/bin/app", 0x100000 + 128 * f,
              {.end = 0x100000 + 128 * f + 128,
               .name = "ns::function" + std::to_string(f) + "(int)",
               .file = "/src/file" + std::to_string(f % 100) + ".cc",
               .first_line = static_cast<std::uint32_t>(f)});
  }
  for (std::uint64_t i = 0; i < places; ++i) {
    spool.AddHitsAt(region, 1, 0x100000 + 32 * i, 1 + 100'000 / (i + 1), chains[i % chains.size()]);
  }
  return All(spool, names);
}

report::Report Made(const std::string& kind, const char* argument) {
  if (kind == "hostile") return Hostile(static_cast<unsigned>(std::atoi(argument)));
  if (kind == "many") return Many(std::strtoull(argument, nullptr, 10));
  SpoolBuilder spool;
  if (kind == "one") {
    const auto region = spool.AddRegion({.path = "/bin/app", .start = 0, .end = 0x4000});
    spool.AddHits(region, 1, 0x1010, 1);
  }
  return All(spool, FakeResolver());
}

/// The page of two profiles, of which the earlier one may be empty.
Result<void> WriteDiff(const report::Report& was, const report::Report& now, report::Sink& sink) {
  const std::vector<report::Baseline> then = {report::BaselineOf(was)};
  const std::vector<report::Baseline> later = {report::BaselineOf(now)};
  report::Comparison comparison = report::CompareRuns(later, then);
  comparison.was.name = was.command;
  comparison.now.name = now.command;
  const report::RowFinder rows(comparison, later, then);
  return report::WriteComparisonPage({comparison, rows, {&was}, {&now}}, sink);
}

int Write(int argc, char** argv) {
  if (argc < 2) return 2;
  report::Sink sink([](std::string_view bytes) -> Result<void> {
    if (std::fwrite(bytes.data(), 1, bytes.size(), stdout) == bytes.size()) return {};
    return Error{Errc::kSystem, 0, "cannot be written"};
  });
  const std::string kind = argv[1];
  const char* const argument = argc > 2 ? argv[2] : "0";
  if (kind == "hostile-diff") {
    const auto seed = static_cast<unsigned>(std::atoi(argument));
    return WriteDiff(Hostile(seed), Hostile(seed + 1000), sink) ? 0 : 1;
  }
  if (kind == "empty-diff") return WriteDiff(Made("empty", "0"), Made("one", "0"), sink) ? 0 : 1;
  return report::WritePage(Made(kind, argument), {}, sink) ? 0 : 1;
}

}  // namespace
}  // namespace csink::testing

int main(int argc, char** argv) { return csink::testing::Write(argc, argv); }
