#include "core/counting/presets/preset_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include "core/counting/presets/builtin_tables.h"
#include "tests/core/counting/presets/table_helpers.h"

namespace csink {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(PresetTable, KnowsThePresetsOfTheCpu) {
  const auto table = PresetTable::Load(Skylake());
  EXPECT_THAT(table->Complaints(), IsEmpty());
  const std::uint32_t code = table->CodeOf("PAPI_L1_TCM");
  EXPECT_EQ(code, 0x80000006u);
  const PresetDefinition* d = table->ByCode(code);
  ASSERT_NE(d, nullptr);
  EXPECT_EQ(d, table->ByIndex(6));
  EXPECT_EQ(d, ByName(*table, "PAPI_L1_TCM"));
  EXPECT_EQ(d->code, code);
  EXPECT_EQ(d->derivation, Derivation::kAdd);
  ASSERT_EQ(d->natives.size(), 2u);
  EXPECT_EQ(d->natives[0].qualified, "skx::L1D:REPLACEMENT");
  EXPECT_EQ(d->natives[0].shown(), "L1D:REPLACEMENT");
  EXPECT_EQ(d->short_description, "L1 misses");
  EXPECT_EQ(d->classes, kPresetCache | kPresetL1);
  EXPECT_EQ(d->postfix, "");
}

TEST(PresetTable, NamesPresetsThatThisCpuDoesNotHave) {
  const auto table = PresetTable::Load(Skylake());
  const std::uint32_t code = table->CodeOf("PAPI_CSR_TOT");
  EXPECT_EQ(code, 0x80000021u);
  EXPECT_EQ(table->ByCode(code), nullptr);
  EXPECT_EQ(table->NameOf(code), "PAPI_CSR_TOT");
}

TEST(PresetTable, RefusesCodesAndNamesOfNothing) {
  const auto table = PresetTable::Load(Skylake());
  for (std::uint32_t code : {0u, 1u, 0x40000000u, 0x7FFFFFFFu, 0x8000006Eu, 0x90000000u,
                             0xC0000000u, 0xC0000400u, 0xFFFFFFFFu}) {
    EXPECT_EQ(table->ByCode(code), nullptr) << std::hex << code;
    EXPECT_EQ(table->NameOf(code), "") << std::hex << code;
  }
  for (const char* name : {"", "PAPI_TOT_CYCL", "papi_tot_cyc", "skx"}) {
    EXPECT_EQ(table->CodeOf(name), 0u) << name;
    EXPECT_EQ(ByName(*table, name), nullptr) << name;
  }
}

TEST(PresetTable, FallsBackToGenericEventsOnAnUnknownCpu) {
  EXPECT_EQ(Show(*PresetTable::Load(Machine({{"perf", false}})), "PAPI_TOT_CYC"),
            "perf::CYCLES | ");
  const auto unknown_core = PresetTable::Load(Machine({{"future_cpu", true}, {"perf", false}}));
  EXPECT_EQ(Show(*unknown_core, "PAPI_TOT_INS"), "perf::INSTRUCTIONS | ");
  const auto known = PresetTable::Load(Machine({{"perf", false}, {"amd64_fam19h_zen4", true}}));
  EXPECT_EQ(Show(*known, "PAPI_TOT_INS"), "amd64_fam19h_zen4::RETIRED_INSTRUCTIONS | ");
  EXPECT_EQ(Show(*PresetTable::Load(Machine({})), "PAPI_TOT_INS"), "-");
}

TEST(PresetTable, IsReplacedByAnOverrideFile) {
  const auto table = WithOverride(
      "CPU,skx\nPRESET,PAPI_TOT_INS,NOT_DERIVED,perf::TASK-CLOCK,SDESC,mine\n"
      "PRESET,PAPI_NEW,NOT_DERIVED,A\nCPU,icx\nPRESET,PAPI_REF_CYC,NOT_DERIVED,B\n");
  EXPECT_THAT(table->Complaints(), IsEmpty());
  EXPECT_EQ(Show(*table, "PAPI_TOT_INS"), "perf::TASK-CLOCK | ");
  EXPECT_EQ(ByName(*table, "PAPI_TOT_INS")->short_description, "mine");
  EXPECT_EQ(Show(*table, "PAPI_TOT_CYC"), "-") << "the built-in table is gone";
  EXPECT_EQ(Show(*table, "PAPI_REF_CYC"), "-");
  EXPECT_EQ(table->CodeOf("PAPI_NEW"), 0xC0000000u) << "no standard name: a user event";
}

TEST(PresetTable, KeepsTheBuiltInPresetsWhenTheOverrideCannotBeRead) {
  PresetOptions options = Skylake();
  options.override_file = "/nonexistent/x.csv";
  const auto table = PresetTable::Load(options);
  EXPECT_NE(ByName(*table, "PAPI_TOT_CYC"), nullptr);
  EXPECT_THAT(table->Complaints(),
              ElementsAre("/nonexistent/x.csv: cannot be read: No such file or directory; the "
                          "built-in presets are used instead"));
}

TEST(PresetTable, LetsALaterLineReplaceAnEarlierOne) {
  const auto table =
      WithOverride("PRESET,PAPI_TOT_INS,NOT_DERIVED,A\nPRESET,PAPI_TOT_INS,NOT_DERIVED,B\n");
  EXPECT_EQ(Show(*table, "PAPI_TOT_INS"), "skx::B | ");
}

TEST(PresetTable, PrefersTheCpusOwnSectionToThatOfAnotherPmu) {
  const auto table = WithOverride(
      "CPU,skx\nPRESET,PAPI_TOT_INS,NOT_DERIVED,A\n"
      "CPU,perf\nPRESET,PAPI_TOT_INS,NOT_DERIVED,B\nPRESET,PAPI_TOT_CYC,NOT_DERIVED,C\n");
  EXPECT_EQ(Show(*table, "PAPI_TOT_INS"), "skx::A | ");
  EXPECT_EQ(Show(*table, "PAPI_TOT_CYC"), "perf::C | ");
}

TEST(PresetTableDefine, AddsAndReplacesOneEvent) {
  const auto table = PresetTable::Load(Skylake());
  PresetRequest request;
  request.name = "MY_TOT_INS";
  request.derivation = Derivation::kPostfix;
  request.formula = "N0|2|*|";
  request.bases = {"INST_RETIRED"};
  request.note = "doubled";
  const Result<std::uint32_t> code = table->Define(request, false);
  ASSERT_TRUE(code);
  EXPECT_EQ(*code, 0xC0000000u);
  EXPECT_EQ(Show(*table, "MY_TOT_INS"), "skx::INST_RETIRED | N0|2|*|");
  EXPECT_EQ(table->ByCode(*code)->note, "doubled");

  std::string complaint;
  EXPECT_EQ(table->Define(request, false, &complaint).error().code, Errc::kConflict);
  EXPECT_THAT(complaint, HasSubstr("\"MY_TOT_INS\" is defined already"));
  request.formula = "N0|";
  EXPECT_EQ(*table->Define(request, true), *code);
  request.formula = "N0|+|";
  EXPECT_EQ(table->Define(request, true, &complaint).error().code, Errc::kInvalid);
  EXPECT_THAT(complaint, HasSubstr("\"+\" needs two values"));
  EXPECT_EQ(table->ByCode(*code)->postfix, "N0|") << "a refused change changes nothing";
  request.name = "PAPI_CSR_TOT";
  request.formula = "N0|";
  EXPECT_EQ(*table->Define(request, false), 0x80000021u) << "had no definition";
  request.bases = {"PAPI_CSR_SUC"};
  EXPECT_EQ(table->Define(request, true).error().code, Errc::kNotFound);
}

struct Asked {
  std::vector<std::string> names;
  std::string_view refused;
  static bool CanCount(std::string_view name, void* context) {
    auto* self = static_cast<Asked*>(context);
    self->names.emplace_back(name);
    return name != self->refused;
  }
};

TEST(PresetAvailability, IsAskedOnceForEachNative) {
  Asked asked;
  PresetOptions options = Skylake();
  options.can_count = &Asked::CanCount;
  options.can_count_context = &asked;
  const auto table = PresetTable::Load(options);
  EXPECT_THAT(asked.names, IsEmpty()) << "loading opens nothing";
  EXPECT_TRUE(table->IsAvailable(*ByName(*table, "PAPI_L1_TCM")));
  EXPECT_TRUE(table->IsAvailable(*ByName(*table, "PAPI_L1_TCM")));
  EXPECT_THAT(asked.names, ElementsAre("skx::L1D:REPLACEMENT", "skx::L2_RQSTS:ALL_CODE_RD"));
}

TEST(PresetAvailability, NeedsEveryNativeByOneOfItsNames) {
  Asked asked;
  asked.refused = "skx::FAULTS";
  PresetOptions options = Skylake();
  options.can_count = &Asked::CanCount;
  options.can_count_context = &asked;
  const auto table =
      WithUserEvents("EVENT,U,NOT_DERIVED,FAULTS\nEVENT,V,DERIVED_ADD,perf::X,perf::Y\n", options);
  EXPECT_TRUE(table->IsAvailable(*ByName(*table, "U")));
  EXPECT_THAT(asked.names, ElementsAre("skx::FAULTS", "FAULTS"));
  asked.refused = "perf::Y";
  EXPECT_FALSE(table->IsAvailable(*ByName(*table, "V")));
}

TEST(PresetTable, IsReadWhileItIsChanged) {
  const auto table = PresetTable::Load(Skylake());
  std::atomic<bool> stop{false};
  std::vector<std::thread> readers;
  for (int i = 0; i < 4; ++i) {
    readers.emplace_back([&] {
      while (!stop) {
        for (std::size_t n = 0; n < table->UserEventCount(); ++n) {
          const PresetDefinition* d = ByName(*table, "U" + std::to_string(n));
          ASSERT_NE(d, nullptr);
          ASSERT_EQ(table->NameOf(0xC0000000u + static_cast<std::uint32_t>(n)), d->name);
        }
        ASSERT_TRUE(table->IsAvailable(*ByName(*table, "PAPI_TOT_CYC")));
      }
    });
  }
  PresetRequest request;
  request.bases = {"A"};
  for (int i = 0; i < 300; ++i) {
    request.name = "U" + std::to_string(i);
    ASSERT_TRUE(table->Define(request, false));
    request.name = "PAPI_TOT_CYC";
    ASSERT_TRUE(table->Define(request, true));
  }
  stop = true;
  for (std::thread& reader : readers) reader.join();
}

TEST(BuiltinTables, AreReadWithoutComplaintAndCountCyclesAndInstructions) {
  std::vector<std::string> pmus;
  ForEachBuiltinPmu(
      [](std::string_view pmu, void* all) {
        static_cast<std::vector<std::string>*>(all)->emplace_back(pmu);
      },
      &pmus);
  EXPECT_GE(pmus.size(), 64u);
  for (const std::string& pmu : pmus) {
    const auto table = PresetTable::Load(Machine({{pmu, pmu != "perf"}}));
    EXPECT_THAT(table->Complaints(), IsEmpty()) << pmu;
    EXPECT_NE(ByName(*table, "PAPI_TOT_CYC"), nullptr) << pmu;
    EXPECT_NE(ByName(*table, "PAPI_TOT_INS"), nullptr) << pmu;
    EXPECT_EQ(table->UserEventCount(), 0u) << pmu << ": a name that PAPI 7.0 does not have";
  }
  EXPECT_EQ(BuiltinTableOf("skylake"), "");
  EXPECT_EQ(BuiltinTableOf(""), "");
}

// The file that PAPI 7.0 itself reads, with all the CPUs it knows: nothing in it may trouble us.
TEST(PresetTable, ReadsPapisOwnEventFile) {
  PresetOptions options;
  options.override_file = "/usr/share/papi/7.0/papi_events.csv";
  if (access(options.override_file.c_str(), R_OK) != 0) {
    std::cout << "skipped: " << options.override_file << " (libpapi7.0) is not installed\n";
    GTEST_SKIP();
  }
  for (const char* pmu :
       {"skx", "hsw", "nhm", "netburst", "knl", "amd64_fam17h_zen2", "arm_a64fx"}) {
    options.pmus = {{pmu, true}, {"perf", false}};
    const auto table = PresetTable::Load(options);
    EXPECT_THAT(table->Complaints(), IsEmpty()) << pmu;
    const PresetDefinition* instructions = ByName(*table, "PAPI_TOT_INS");
    ASSERT_NE(instructions, nullptr) << pmu;
    EXPECT_TRUE(instructions->natives[0].qualified.starts_with(pmu)) << pmu;
  }
}

}  // namespace
}  // namespace csink
