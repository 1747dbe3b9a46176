#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/core/counting/presets/table_helpers.h"

namespace csink {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(UserEvents, AreBuiltOfNativesPresetsAndEachOther) {
  const auto table = WithUserEvents(
      "EVENT,U_PLAIN,NOT_DERIVED,perf::PAGE-FAULTS\n"
      "EVENT,U_ALIAS,NOT_DERIVED,PAPI_L1_TCM\n"
      "EVENT,U_MIX,DERIVED_INFIX,N0*2-N1,U_ALIAS,U_PLAIN\n"
      "EVENT,U_TWICE,DERIVED_ADD,U_PLAIN,perf::PAGE-FAULTS\n"
      "EVENT,U_ALIAS_OF_ALIAS,NOT_DERIVED,U_PLAIN\n");
  EXPECT_THAT(table->Complaints(), IsEmpty());
  EXPECT_EQ(table->UserEventCount(), 5u);
  EXPECT_EQ(table->CodeOf("U_PLAIN"), 0xC0000000u);
  EXPECT_EQ(table->CodeOf("U_MIX"), 0xC0000002u);
  EXPECT_EQ(table->NameOf(0xC0000002u), "U_MIX");
  EXPECT_EQ(Show(*table, "U_ALIAS"), Show(*table, "PAPI_L1_TCM"));
  EXPECT_EQ(Show(*table, "U_MIX"),
            "skx::L1D:REPLACEMENT skx::L2_RQSTS:ALL_CODE_RD perf::PAGE-FAULTS | "
            "N0|N1|+|2|*|N2|-|");
  EXPECT_EQ(ByName(*table, "U_MIX")->derivation, Derivation::kPostfix);
  EXPECT_EQ(ByName(*table, "U_MIX")->postfix, "N0|N1|+|2|*|N2|-|");
  EXPECT_EQ(Show(*table, "U_TWICE"), "perf::PAGE-FAULTS | N0|N0|+|");
  EXPECT_TRUE(ByName(*table, "U_ALIAS_OF_ALIAS")->formula.IsFirstNative());
  EXPECT_EQ(ByName(*table, "U_ALIAS_OF_ALIAS")->derivation, Derivation::kNotDerived);
}

TEST(UserEvents, GiveRatesPerSecond) {
  const auto table = WithUserEvents("EVENT,U_RATE,DERIVED_PS,PAPI_TOT_CYC,perf::PAGE-FAULTS\n");
  const PresetDefinition* d = ByName(*table, "U_RATE");
  ASSERT_NE(d, nullptr);
  const long long counts[] = {3'000'000, 6};
  EXPECT_EQ(d->formula.Evaluate(counts, {3e9}), 6'000);
}

TEST(UserEvents, WithoutAMeaningAreLeftOutWithTheReason) {
  const auto table = WithUserEvents(
      "EVENT,U1,NOT_DERIVED,PAPI_TOT_CYCL\n"
      "EVENT,U2,DERIVED_ADD,PAPI_CSR_TOT,perf::FAULTS\n"
      "EVENT,U3,DERIVED_INFIX,N0+N2,A,B\n"
      "EVENT,GOOD,NOT_DERIVED,perf::FAULTS\n");
  EXPECT_EQ(table->UserEventCount(), 1u);
  EXPECT_THAT(table->Complaints(),
              ElementsAre(HasSubstr(":1:22: \"PAPI_TOT_CYCL\" is not known; nearest: PAPI_TOT_CYC"),
                          HasSubstr(":2:22: PAPI_CSR_TOT has no definition on this machine, so U2"),
                          HasSubstr(":3:24: U3: formula \"N0+N2\": N2 does not exist")));
}

TEST(UserEvents, AreLimitedToTwelveNatives) {
  std::string file = "EVENT,A,DERIVED_ADD";
  for (int i = 0; i < 12; ++i) file += ",perf::E" + std::to_string(i);
  file += "\nEVENT,B,DERIVED_ADD,A,perf::E3\nEVENT,C,DERIVED_ADD,A,perf::MORE\n";
  const auto table = WithUserEvents(file);
  EXPECT_EQ(ByName(*table, "B")->natives.size(), 12u);
  EXPECT_EQ(ByName(*table, "C"), nullptr);
  EXPECT_THAT(table->Complaints(),
              ElementsAre(HasSubstr("C needs 13 native events, more than 12")));
}

TEST(UserEvents, OfPmusThatAreToldLaterAreDefinedFromThenOn) {
  const auto table = PresetTable::Load(Machine({}));
  const TemporaryFile file("CPU,skx\nEVENT,U,NOT_DERIVED,A\n");
  EXPECT_FALSE(table->HasPmus());
  EXPECT_EQ(*table->LoadUserEvents(file.path()), 0u) << "no PMU, no line is for this machine";
  table->SetPmus(Skylake().pmus);
  EXPECT_TRUE(table->HasPmus());
  EXPECT_EQ(*table->LoadUserEvents(file.path()), 1u);
  EXPECT_EQ(Show(*table, "U"), "skx::A | ");
  table->SetPmus({{"perf", false}});
  EXPECT_EQ(*table->LoadUserEvents(file.path()), 1u) << "they are told once";
}

TEST(UserEvents, CanBeLoadedWhileRunning) {
  const auto table = PresetTable::Load(Skylake());
  const TemporaryFile file("EVENT,U,NOT_DERIVED,A\nPRESET,PAPI_TOT_CYC,NOT_DERIVED,B\n");
  const PresetDefinition* before = ByName(*table, "PAPI_TOT_CYC");
  const Result<std::size_t> loaded = table->LoadUserEvents(file.path());
  ASSERT_TRUE(loaded);
  EXPECT_EQ(*loaded, 2u);
  EXPECT_EQ(Show(*table, "PAPI_TOT_CYC"), "skx::B | ");
  EXPECT_EQ(before->natives[0].qualified, "skx::CPU_CLK_THREAD_UNHALTED:THREAD_P")
      << "still readable";

  EXPECT_EQ(table->LoadUserEvents("/nonexistent").error().code, Errc::kNotFound);
  EXPECT_NE(table->LoadUserEvents("/").error().code, Errc::kOk) << "a folder";
  const TemporaryFile bad("EVENT,U,NOT_DERIVED\n");
  EXPECT_EQ(table->LoadUserEvents(bad.path()).error().code, Errc::kInvalid);
  const TemporaryFile endless(std::string(9 << 20, '#'));
  EXPECT_EQ(table->LoadUserEvents(endless.path()).error().code, Errc::kLimit);
  const TemporaryFile empty("# nothing\n");
  EXPECT_EQ(*table->LoadUserEvents(empty.path()), 0u);
}

TEST(UserEvents, KeepTheirCodeWhenReplaced) {
  const auto table = WithUserEvents("EVENT,U,NOT_DERIVED,A\nEVENT,V,NOT_DERIVED,A\n");
  const TemporaryFile file("EVENT,V,NOT_DERIVED,B\n");
  ASSERT_TRUE(table->LoadUserEvents(file.path()));
  EXPECT_EQ(table->CodeOf("V"), 0xC0000001u);
  EXPECT_EQ(Show(*table, "V"), "skx::B | ");
  EXPECT_EQ(table->UserEventCount(), 2u);
}

TEST(UserEvents, HaveRoomForAThousandAndSayWhenItIsUsedUp) {
  std::string file;
  for (std::size_t i = 0; i < kMaxUserEvents + 5; ++i) {
    file += "EVENT,U" + std::to_string(i) + ",NOT_DERIVED,A\n";
  }
  const auto table = WithUserEvents(file);
  EXPECT_EQ(table->UserEventCount(), kMaxUserEvents);
  for (std::size_t i = 0; i < kMaxUserEvents; ++i) {
    ASSERT_EQ(table->CodeOf("U" + std::to_string(i)), 0xC0000000u + i);
  }
  EXPECT_EQ(table->CodeOf("U1024"), 0u);
  EXPECT_THAT(table->Complaints(), ElementsAre(HasSubstr("at most 1024 user events")));
}

}  // namespace
}  // namespace csink
