#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <string>

#include "core/counting/presets/preset_table.h"
#include "tests/core/counting/presets/table_helpers.h"

namespace csink {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

/// A CPU with two kinds of cores.
std::unique_ptr<PresetTable> Hybrid(std::string_view file) {
  char path[] = "/tmp/csink-hybrid-XXXXXX";
  const int fd = mkstemp(path);
  EXPECT_EQ(write(fd, file.data(), file.size()), static_cast<ssize_t>(file.size()));
  close(fd);
  PresetOptions options;
  options.pmus = {{"perf", false}, {"big", true}, {"little", true}};
  options.override_file = path;
  auto table = PresetTable::Load(options);
  unlink(path);
  EXPECT_THAT(table->Complaints(), IsEmpty());
  return table;
}

std::string Natives(const PresetDefinition& d) {
  std::string text;
  for (const PresetNative& native : d.natives) text += native.qualified + ' ';
  return text;
}

TEST(HybridPresets, AddUpTheCountsOfAllKindsOfCores) {
  const auto table = Hybrid(
      "CPU,little\nPRESET,PAPI_TOT_INS,NOT_DERIVED,INST_L\n"
      "CPU,big\nPRESET,PAPI_TOT_INS,NOT_DERIVED,INST_B\n");
  const PresetDefinition* d = ByName(*table, "PAPI_TOT_INS");
  ASSERT_NE(d, nullptr);
  EXPECT_EQ(Natives(*d), "big::INST_B little::INST_L ");
  EXPECT_EQ(d->derivation, Derivation::kAdd);
  EXPECT_EQ(d->natives[0].shown(), "big::INST_B");
  EXPECT_EQ(d->note, "");
  const long long counts[] = {100, 23};
  EXPECT_EQ(d->formula.Evaluate(counts, {}), 123);
}

TEST(HybridPresets, AddUpFormulasOfDifferentShapes) {
  const auto table = Hybrid(
      "CPU,big\nPRESET,PAPI_L1_DCH,DERIVED_SUB,A,B\n"
      "CPU,little\nPRESET,PAPI_L1_DCH,DERIVED_INFIX,N0*2,C\n");
  const PresetDefinition* d = ByName(*table, "PAPI_L1_DCH");
  ASSERT_NE(d, nullptr);
  EXPECT_EQ(Natives(*d), "big::A big::B little::C ");
  EXPECT_EQ(d->postfix, "N0|N1|-|N2|2|*|+|");
  const long long counts[] = {100, 30, 5};
  EXPECT_EQ(d->formula.Evaluate(counts, {}), 80);
}

TEST(HybridPresets, ServeBothKindsFromOneSection) {
  const auto table = Hybrid("CPU,big\nCPU,little\nPRESET,PAPI_TOT_CYC,NOT_DERIVED,CYCLES\n");
  EXPECT_EQ(Natives(*ByName(*table, "PAPI_TOT_CYC")), "big::CYCLES little::CYCLES ");
}

TEST(HybridPresets, CountAnEventOfNoCoreOnlyOnce) {
  const auto table = Hybrid(
      "CPU,big\nPRESET,PAPI_TOT_CYC,NOT_DERIVED,perf::CPU-CLOCK\n"
      "CPU,little\nPRESET,PAPI_TOT_CYC,NOT_DERIVED,perf::CPU-CLOCK\n");
  const PresetDefinition* d = ByName(*table, "PAPI_TOT_CYC");
  EXPECT_EQ(Natives(*d), "perf::CPU-CLOCK ");
  EXPECT_TRUE(d->formula.IsFirstNative());
  EXPECT_EQ(d->note, "");
}

TEST(HybridPresets, SayWhichCoresTheyDoNotCount) {
  const auto table = Hybrid(
      "CPU,big\nPRESET,PAPI_L2_TCM,NOT_DERIVED,MISS,NOTE,\"no prefetches\"\n"
      "PRESET,PAPI_HW_INT,DERIVED_PS,CYC,INT\nCPU,little\nPRESET,PAPI_HW_INT,DERIVED_PS,CYC,INT\n");
  EXPECT_EQ(ByName(*table, "PAPI_L2_TCM")->note, "no prefetches; counted on cores of big only");
  const PresetDefinition* rate = ByName(*table, "PAPI_HW_INT");
  EXPECT_EQ(Natives(*rate), "big::CYC big::INT ") << "rates of two clocks do not add up";
  EXPECT_EQ(rate->note, "counted on cores of big only");
}

TEST(HybridPresets, KeepToTheLimitOfNatives) {
  std::string file;
  for (const char* pmu : {"big", "little"}) {
    file += std::string("CPU,") + pmu + "\nPRESET,PAPI_LST_INS,DERIVED_ADD,A,B,C,D,E,F,G\n";
  }
  const auto table = Hybrid(file);
  EXPECT_EQ(ByName(*table, "PAPI_LST_INS")->natives.size(), 7u);
  EXPECT_THAT(ByName(*table, "PAPI_LST_INS")->note, HasSubstr("big only"));
}

TEST(HybridPresets, GiveUserEventsTheCountOfAllCores) {
  const auto table = Hybrid(
      "CPU,big\nPRESET,PAPI_TOT_INS,NOT_DERIVED,IB\nPRESET,PAPI_TOT_CYC,NOT_DERIVED,CB\n"
      "EVENT,U,DERIVED_ADD,PAPI_TOT_INS,PAPI_TOT_CYC\n"
      "CPU,little\nPRESET,PAPI_TOT_INS,NOT_DERIVED,IL\nPRESET,PAPI_TOT_CYC,NOT_DERIVED,CL\n"
      "EVENT,U,DERIVED_ADD,PAPI_TOT_INS,PAPI_TOT_CYC\n");
  const PresetDefinition* d = ByName(*table, "U");
  EXPECT_EQ(Natives(*d), "big::IB big::CB little::IL little::CL ");
  const long long counts[] = {1, 10, 100, 1000};
  EXPECT_EQ(d->formula.Evaluate(counts, {}), 1111);
}

TEST(HybridPresets, AreComposedOfSumsInALaterFile) {
  const auto table = Hybrid(
      "CPU,big\nPRESET,PAPI_TOT_INS,NOT_DERIVED,IB\nCPU,little\nPRESET,PAPI_TOT_INS,NOT_DERIVED,"
      "IL\n");
  PresetRequest request;
  request.name = "U";
  request.derivation = Derivation::kInfix;
  request.formula = "N0/1000";
  request.bases = {"PAPI_TOT_INS"};
  ASSERT_TRUE(table->Define(request, false));
  const PresetDefinition* d = ByName(*table, "U");
  EXPECT_EQ(Natives(*d), "big::IB little::IL ") << "each native once";
  EXPECT_EQ(d->postfix, "N0|N1|+|1000|/|");
}

}  // namespace
}  // namespace csink
