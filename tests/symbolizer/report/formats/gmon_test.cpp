#include <gmock/gmock.h>

#include <cstring>
#include <map>

#include "tests/symbolizer/report/formats/written.h"

namespace csink::testing {
namespace {

/// A reader by sys/gmon_out.h, adding records up as gprof does.
struct GmonFile {
  struct Range {
    std::uint64_t low, high;
  };
  std::map<std::uint64_t, std::uint64_t> bins;
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint32_t> arcs;
  std::vector<Range> ranges;
  std::int32_t rate = 0;
  std::string dimension;

  explicit GmonFile(const std::string& bytes) : in_(bytes) {
    EXPECT_EQ(Take(4), "gmon");
    EXPECT_EQ(Number<std::int32_t>(), 1);
    Take(12);
    while (at_ < in_.size()) {
      const char tag = Take(1)[0];
      if (tag == 0) {
        Histogram();
      } else if (tag == 1) {
        const auto from = Number<std::uint64_t>();
        const auto self = Number<std::uint64_t>();
        arcs[{from, self}] += Number<std::uint32_t>();
      } else {
        ADD_FAILURE() << "tag " << int{tag} << " at " << at_;
        return;
      }
    }
  }
  std::uint64_t Sum() const {
    std::uint64_t sum = 0;
    for (const auto& [address, count] : bins) sum += count;
    return sum;
  }

 private:
  std::string Take(std::size_t n) {
    EXPECT_LE(at_ + n, in_.size());
    at_ += n;
    return in_.substr(at_ - n, n);
  }
  template <class T>
  T Number() {
    T value = 0;
    std::memcpy(&value, Take(sizeof value).data(), sizeof value);
    return value;
  }
  void Histogram() {
    const auto low = Number<std::uint64_t>();
    const auto high = Number<std::uint64_t>();
    const auto size = static_cast<std::uint64_t>(Number<std::int32_t>());
    const auto this_rate = Number<std::int32_t>();
    const std::string this_dimension = Take(15).c_str();
    EXPECT_EQ(Take(1)[0], this_dimension[0]);
    EXPECT_EQ(high - low, size * 2) << "gprof wants one scale in all records";
    EXPECT_EQ(low % 2, 0u);
    EXPECT_TRUE(rate == 0 || (rate == this_rate && dimension == this_dimension));
    rate = this_rate;
    dimension = this_dimension;
    for (const Range& range : ranges) {
      const bool same = range.low == low && range.high == high;
      EXPECT_TRUE(same || high <= range.low || range.high <= low) << "ranges overlap";
    }
    ranges.push_back({low, high});
    for (std::uint64_t i = 0; i < size; ++i) {
      const auto count = Number<std::uint16_t>();
      if (count != 0) bins[low + 2 * i] += count;
    }
  }
  const std::string& in_;
  std::size_t at_ = 0;
};

report::Report One(const std::vector<std::pair<std::uint64_t, std::uint64_t>>& hits,
                   std::uint64_t period = 1'000'003) {
  SpoolBuilder spool;
  spool.event(0).period = period;
  const auto region = spool.AddRegion({.path = "/bin/app", .start = 0, .end = 1ull << 40});
  for (const auto& [address, samples] : hits) spool.AddHits(region, 1, address, samples);
  return MakeAll({&spool}, FakeResolver());
}

TEST(Gmon, HasTheProgramsSamplesAndCalls) {
  const auto report = MakeStacksReport();
  const std::string bytes = Written(report, ReportFormat::kGmon);
  const GmonFile file(bytes);
  EXPECT_EQ(file.rate, 1000);
  EXPECT_EQ(file.dimension, "seconds");
  EXPECT_EQ(file.Sum(), 680u);  // what was sampled in libc has no place here
  EXPECT_EQ(file.bins.at(0x4100), 520u);
  EXPECT_EQ((file.arcs.at({0x100f, 0x3000})), 720u);  // main calls solve
  EXPECT_EQ((file.arcs.at({0x3fff, 0x4000})), 220u);  // at the end of solve
  EXPECT_EQ((file.arcs.at({0x301f, 0x4000})), 300u);
}

TEST(Gmon, LeavesOutCallsWithoutSamples) {
  const std::string bytes = Written(MakeStacksOfMark("load"), ReportFormat::kGmon);
  const GmonFile file(bytes);
  ASSERT_EQ(file.arcs.size(), 1u);
  EXPECT_EQ((file.arcs.at({0x100f, 0x2000})), 200u);  // main calls load
}

TEST(Gmon, StaysSmallWhereAddressesAreFarApart) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> hits;
  for (std::uint64_t i = 1; i <= 60; ++i) hits.push_back({i << 32, 3});
  const std::string bytes = Written(One(hits), ReportFormat::kGmon);
  EXPECT_LT(bytes.size(), 10'000u);
  EXPECT_EQ(GmonFile(bytes).Sum(), 180u);
}

TEST(Gmon, HasOtherModulesOnDemand) {
  const auto report = MakeStacksReport();
  const std::string bytes = Written(report, ReportFormat::kGmon, {.module = "libc.so.6"});
  EXPECT_EQ(GmonFile(bytes).Sum(), 320u);
  report::Sink sink([](std::string_view) -> Result<void> { return {}; });
  const auto result = report::WriteFormat(report, ReportFormat::kGmon, {.module = "no"}, sink);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Errc::kNotFound);
}

TEST(Gmon, HoldsMoreThanABinDoes) {
  const auto report = One({{0x1000, 1'000'000}, {0x1010, 3}, {0x20000000, 70'000}});
  const std::string bytes = Written(report, ReportFormat::kGmon);
  const GmonFile file(bytes);
  EXPECT_EQ(file.rate, 1000);
  EXPECT_NEAR(static_cast<double>(file.bins.at(0x1000)), 1'000'003, 1);
  EXPECT_EQ(file.bins.at(0x1010), 3u);
  EXPECT_NEAR(static_cast<double>(file.Sum()) / file.rate,
              static_cast<double>(report.profile.events[0].weight) / 1e9, 1e-3);
  EXPECT_LT(bytes.size(), 1'000'000u);
}

TEST(Gmon, KeepsTheTotalWhateverThePeriod) {
  for (const std::uint64_t period : {7ull, 999ull, 250'007ull, 3'333'333'333ull, 1ull << 40}) {
    const auto report = One({{0x1000, 1}, {0x1002, 20}, {0x1005, 3'000'000}}, period);
    const std::string bytes = Written(report, ReportFormat::kGmon);
    const GmonFile file(bytes);
    double unit = 1e9 / file.rate;
    if (file.dimension != "seconds") unit *= std::pow(10, std::stoi(file.dimension.substr(2)));
    const auto weight = static_cast<double>(report.profile.events[0].weight);
    EXPECT_NEAR(static_cast<double>(file.Sum()) * unit, weight, unit) << period;
    EXPECT_GT(static_cast<double>(file.Sum()), 1e5);
  }
}

TEST(Gmon, CountsEventsInTheirOwnUnit) {
  const SpoolBuilder spool = PmuSpool();
  const auto report = MakeAll({&spool}, PmuNames());
  const std::string bytes = Written(report, ReportFormat::kGmon);
  const GmonFile file(bytes);
  EXPECT_EQ(file.dimension, "1e6 cycles");
  EXPECT_EQ(file.Sum(), 2000u);  // 1,000 samples of 2,000,003 cycles
}

}  // namespace
}  // namespace csink::testing
