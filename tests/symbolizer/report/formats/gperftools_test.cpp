#include <gmock/gmock.h>

#include <cstring>
#include <map>

#include "tests/symbolizer/report/formats/written.h"

namespace csink::testing {
namespace {

/// A reader by gperftools' description of its CPU profiles.
struct GperftoolsFile {
  std::map<std::uint64_t, std::string> names;
  std::map<std::vector<std::string>, std::uint64_t> stacks;
  std::uint64_t period_us = 0;
  std::string tail;

  explicit GperftoolsFile(const std::string& bytes) {
    const auto begin = bytes.find("--- profile\n");
    EXPECT_NE(begin, bytes.npos);
    const auto lines = LinesOf(bytes.substr(0, begin));
    EXPECT_EQ(lines[0], "--- symbol");
    EXPECT_EQ(lines.back(), "---");
    for (const auto& line : lines) {
      if (line.rfind("0x", 0) != 0) continue;
      const auto blank = line.find(' ');
      names[std::stoull(line.substr(2, blank - 2), nullptr, 16)] = line.substr(blank + 1);
    }
    Words(bytes.substr(begin + std::strlen("--- profile\n")));
  }

 private:
  void Words(const std::string& bytes) {
    std::size_t at = 0;
    const auto next = [&] {
      std::uint64_t word = 0;
      EXPECT_LE(at + sizeof word, bytes.size());
      std::memcpy(&word, bytes.data() + at, sizeof word);
      at += sizeof word;
      return word;
    };
    EXPECT_EQ(next(), 0u);
    EXPECT_EQ(next(), 3u);
    EXPECT_EQ(next(), 0u);
    period_us = next();
    EXPECT_EQ(next(), 0u);
    while (at < bytes.size()) {
      const auto count = next();
      const auto depth = next();
      std::vector<std::string> stack;
      std::uint64_t first = 0;
      for (std::uint64_t i = 0; i < depth; ++i) {
        const auto pc = next();
        if (i == 0) first = pc;
        if (first != 0) stack.push_back(names.at(pc));
      }
      if (first == 0) break;
      stacks[stack] += count;
    }
    tail = bytes.substr(at);
  }
};

TEST(Gperftools, HasNamedStacksLeafFirst) {
  const GperftoolsFile file(Written(MakeStacksReport(), ReportFormat::kGperftools));
  const std::string kernel = "kernel(double*, double*)";
  EXPECT_EQ(file.period_us, 1000u);
  EXPECT_EQ((file.stacks.at({kernel, "solve(int)", "solve(int)", "main"})), 300u);
  EXPECT_EQ((file.stacks.at({"memcpy", kernel, "[cut]"})), 50u);
  std::uint64_t sum = 0;
  for (const auto& [stack, count] : file.stacks) sum += count;
  EXPECT_EQ(sum, 1000u);
  EXPECT_THAT(file.tail, ::testing::HasSubstr("# verdict "));
}

TEST(Gperftools, HasWhatWasCutBeforeTheFirstCaller) {
  const GperftoolsFile file(Written(MakeEmptyStacks(), ReportFormat::kGperftools));
  const std::string kernel = "kernel(double*, double*)";
  EXPECT_EQ(file.stacks, (decltype(file.stacks){{{kernel, "[cut]"}, 3}, {{kernel, "main"}, 5}}));
}

TEST(Gperftools, HasInlinedFunctionsOutermostFirst) {
  const GperftoolsFile file(
      Written(MakeStacksReport(true), ReportFormat::kGperftools, {.inlines = true}));
  EXPECT_EQ(file.stacks.count({"kernel(double*, double*)--mid()--leaf()", "solve(int)", "main"}),
            1u);
}

TEST(Gperftools, NamesMayHaveTwoDashes) {
  SpoolBuilder spool;
  const auto region = spool.AddRegion({.path = "/bin/app", .start = 0, .end = 0x4000});
  spool.AddHits(region, 1, 0x10, 5);
  FakeResolver names;
  names.Add("/bin/app", 0, {.end = 0x100, .name = "It::operator--()"});
  const GperftoolsFile file(Written(MakeAll({&spool}, names), ReportFormat::kGperftools));
  EXPECT_EQ(file.stacks.count({"It::operator- -()"}), 1u);
}

}  // namespace
}  // namespace csink::testing
