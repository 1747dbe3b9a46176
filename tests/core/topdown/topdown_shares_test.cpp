#include "core/topdown/topdown_shares.h"

#include <gtest/gtest.h>

#include <cmath>
#include <initializer_list>
#include <string>
#include <utility>

namespace csink {
namespace {

using Part = TopdownPart;
using Role = TopdownRole;
using Formula = TopdownFormula;

TopdownCounts Counts(std::initializer_list<std::pair<Role, double>> list) {
  TopdownCounts counts;
  for (const auto& [role, count] : list) counts[role] = count;
  return counts;
}

double Level1Sum(const TopdownShares& shares) {
  double sum = 0;
  for (std::size_t i = 0; i < kTopdownLevel1Parts; ++i) sum += shares.of[i];
  return sum;
}

// Counts made after the shares that were measured on Zen 5: a pointer chase, 98.7 % backend,
// 98.9 % in sum.
TEST(SharesOf, APointerChaseOnZen5IsBackendBound) {
  const TopdownShares shares = SharesOf(Formula::kZen, Counts({{Role::kSlots, 8e9},
                                                               {Role::kRetired, 0.008e9},
                                                               {Role::kBackend, 7.896e9},
                                                               {Role::kFrontend, 0.006e9},
                                                               {Role::kIssued, 0.0104e9},
                                                               {Role::kSmtContention, 0}}));
  EXPECT_NEAR(shares[Part::kBackend], 0.987, 1e-9);
  EXPECT_NEAR(shares[Part::kRetiring], 0.001, 1e-9);
  EXPECT_NEAR(shares[Part::kBadSpeculation], 0.0003, 1e-9);
  EXPECT_NEAR(shares[Part::kUnattributed], 0.01095, 1e-9);
  EXPECT_NEAR(Level1Sum(shares), 1, 1e-12);
  EXPECT_FALSE(shares.Knows(Part::kBackendMemory));
}

// Zen 5 tells only 30 % of a chain of divisions: the rest is told, not given to a part.
TEST(SharesOf, SlotsThatNoEventOfZenTellsAreUnattributed) {
  const TopdownShares shares = SharesOf(Formula::kZen, Counts({{Role::kSlots, 8e9},
                                                               {Role::kRetired, 0.8e9},
                                                               {Role::kBackend, 1.6e9},
                                                               {Role::kFrontend, 0},
                                                               {Role::kIssued, 0.8e9},
                                                               {Role::kSmtContention, 0}}));
  EXPECT_NEAR(shares[Part::kUnattributed], 0.7, 1e-12);
}

TEST(SharesOf, TheBackendOfZenIsSplitAsItsCyclesWithoutRetirement) {
  TopdownCounts counts = Counts({{Role::kSlots, 100},
                                 {Role::kRetired, 10},
                                 {Role::kBackend, 80},
                                 {Role::kFrontend, 5},
                                 {Role::kIssued, 12},
                                 {Role::kSmtContention, 3},
                                 {Role::kNotRetired, 20},
                                 {Role::kLoadNotRetired, 15}});
  const TopdownShares shares = SharesOf(Formula::kZen, counts);
  EXPECT_NEAR(shares[Part::kBackendMemory], 0.6, 1e-12);
  EXPECT_NEAR(shares[Part::kBackendCore], 0.2, 1e-12);
  counts[Role::kNotRetired] = counts[Role::kLoadNotRetired] = 0;
  EXPECT_EQ(SharesOf(Formula::kZen, counts)[Part::kBackendMemory], 0) << "no division by nothing";
}

TEST(SharesOf, BeforeIceLakeTheBackendIsWhatRemains) {
  const TopdownShares shares = SharesOf(Formula::kIntel, Counts({{Role::kSlots, 400},
                                                                 {Role::kRetired, 200},
                                                                 {Role::kFrontend, 40},
                                                                 {Role::kIssued, 220},
                                                                 {Role::kRecovery, 20}}));
  EXPECT_NEAR(shares[Part::kRetiring], 0.5, 1e-12);
  EXPECT_NEAR(shares[Part::kBadSpeculation], 0.1, 1e-12);
  EXPECT_NEAR(shares[Part::kFrontend], 0.1, 1e-12);
  EXPECT_NEAR(shares[Part::kBackend], 0.3, 1e-12);
  EXPECT_FALSE(shares.Knows(Part::kUnattributed));
  EXPECT_FALSE(shares.Knows(Part::kSmtContention));
}

TEST(SharesOf, FromIceLakeOnBadSpeculationIsWhatRemainsOfSampledEvents) {
  const TopdownShares shares = SharesOf(Formula::kIcelake, Counts({{Role::kSlots, 600},
                                                                   {Role::kRetired, 240},
                                                                   {Role::kBackend, 120},
                                                                   {Role::kFrontend, 60},
                                                                   {Role::kMemory, 90},
                                                                   {Role::kMispredicts, 150},
                                                                   {Role::kHeavy, 60},
                                                                   {Role::kFrontendLatency, 48}}));
  EXPECT_NEAR(shares[Part::kBadSpeculation], 0.3, 1e-12);
  EXPECT_NEAR(shares[Part::kMispredicts], 0.25, 1e-12);
  EXPECT_NEAR(shares[Part::kMachineClears], 0.05, 1e-12);
  EXPECT_NEAR(shares[Part::kBackendMemory], 0.15, 1e-12);
  EXPECT_NEAR(shares[Part::kBackendCore], 0.05, 1e-12);
  EXPECT_NEAR(shares[Part::kHeavyOperations], 0.1, 1e-12);
  EXPECT_NEAR(shares[Part::kLightOperations], 0.3, 1e-12);
  EXPECT_NEAR(shares[Part::kFrontendLatency], 0.08, 1e-12);
  EXPECT_NEAR(shares[Part::kFrontendBandwidth], 0.02, 1e-12);
}

TEST(SharesOf, TheKernelsMetricsAreAllCounted) {
  const TopdownShares shares = SharesOf(Formula::kMetrics, Counts({{Role::kSlots, 255},
                                                                   {Role::kRetired, 55},
                                                                   {Role::kBadSpeculation, 20},
                                                                   {Role::kFrontend, 30},
                                                                   {Role::kBackend, 150}}));
  EXPECT_NEAR(shares[Part::kBadSpeculation], 20.0 / 255, 1e-12);
  EXPECT_NEAR(shares[Part::kUnattributed], 0, 1e-12);
}

TEST(SharesOf, ArmDividesUsedSlotsAsRetiredToIssuedOperations) {
  const TopdownCounts counts = Counts({{Role::kSlots, 1000},
                                       {Role::kRetired, 300},
                                       {Role::kBackend, 400},
                                       {Role::kFrontend, 200},
                                       {Role::kIssued, 400},
                                       {Role::kFlush, 50}});
  const TopdownShares shares = SharesOf(Formula::kArm, counts);
  EXPECT_NEAR(shares[Part::kRetiring], 0.3, 1e-12);
  EXPECT_NEAR(shares[Part::kBadSpeculation], 0.1, 1e-12);
  EXPECT_NEAR(Level1Sum(shares), 1, 1e-12);
  const TopdownShares neoverse = SharesOf(Formula::kNeoverse, counts);
  EXPECT_NEAR(neoverse[Part::kFrontend], 0.15, 1e-12) << "slots after a flush";
  EXPECT_NEAR(neoverse[Part::kBadSpeculation], 0.15, 1e-12);
  EXPECT_NEAR(Level1Sum(neoverse), 1, 1e-12);
}

TEST(SharesOf, AnOldNeoverseN2CountsASlotACycleTooMany) {
  TopdownCounts counts = Counts({{Role::kSlots, 1000},
                                 {Role::kRetired, 300},
                                 {Role::kBackend, 400},
                                 {Role::kFrontend, 400},
                                 {Role::kIssued, 300},
                                 {Role::kFlush, 0}});
  counts.slots_per_cycle = 5;
  const TopdownShares shares = SharesOf(Formula::kNeoverseN2, counts);
  EXPECT_NEAR(shares[Part::kFrontend], 0.2, 1e-12);
  EXPECT_NEAR(shares[Part::kRetiring], 0.4, 1e-12);
  EXPECT_NEAR(Level1Sum(shares), 1, 1e-12);
}

TEST(SharesOf, NothingIsKnownWithoutSlotsOrWithoutAnEventOfLevel1) {
  for (std::size_t f = 0; f < kTopdownFormulas; ++f) {
    TopdownCounts counts;
    for (double& count : counts.of) count = 0;
    const auto formula = static_cast<Formula>(f);
    for (const double slots : {0.0, -1.0, std::nan("")}) {
      counts[Role::kSlots] = slots;
      for (const bool known : SharesOf(formula, counts).known) EXPECT_FALSE(known);
    }
    counts[Role::kSlots] = 1;
    EXPECT_TRUE(SharesOf(formula, counts).Knows(Part::kRetiring));
    for (std::size_t p = 0; p < kTopdownParts; ++p) {
      EXPECT_TRUE(std::isfinite(SharesOf(formula, counts).of[p]));
    }
    counts[Role::kRetired] = -1;
    EXPECT_FALSE(SharesOf(formula, counts).Knows(Part::kFrontend));
  }
}

TEST(TopdownName, IsReadAsItWasWritten) {
  for (std::size_t f = 0; f < kTopdownFormulas; ++f) {
    for (std::size_t r = 0; r < kTopdownRoles; ++r) {
      for (const std::uint32_t factor : {1u, 8u, TopdownName::kMost}) {
        const TopdownName name{static_cast<Formula>(f), static_cast<Role>(r), factor};
        TopdownName read;
        const std::string text = std::string(TextOf(name).view()) + ":uk";
        ASSERT_TRUE(ParseTopdownName(text, read)) << text;
        EXPECT_EQ(read.formula, name.formula) << text;
        EXPECT_EQ(read.role, name.role) << text;
        EXPECT_EQ(read.factor, name.factor) << text;
      }
    }
  }
  EXPECT_EQ(TextOf({Formula::kZen, Role::kSlots, 8}).view(), "topdown.zen.slots-x8");
}

TEST(TopdownName, IsNothingElse) {
  TopdownName name;
  for (const char* text :
       {"", "topdown", "topdown.", "topdown.zen", "topdown.zen.", "topdown.zen.x",
        "topdown.zen.-x8", "topdown.zen.slots-x", "topdown.zen.slots-x0", "topdown.zen.slots-x1025",
        "topdown.zen.slotsx8", "topdown.zen.slots-x99999999999999999999", "topdown.zem.slots",
        "topdown.zen.slot", "cycles", "topdown.zen.slots-x8y"}) {
    EXPECT_FALSE(ParseTopdownName(text, name)) << text;
  }
}

}  // namespace
}  // namespace csink
