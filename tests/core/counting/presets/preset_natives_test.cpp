// Every native event of the built-in tables is one that libpfm4 or a table of ours knows. libpfm4
// takes the PMU that it is to believe in from the environment, once in a process, so each PMU is
// checked in a child. It has the tables of its own architecture only; the other PMUs are skipped by
// name.

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "core/counting/presets/builtin_tables.h"
#include "core/counting/presets/preset_table.h"
#include "core/events/pfm_library.h"
#include "tests/core/counting/presets/table_helpers.h"

namespace csink {
namespace {

#if defined(__x86_64__)
constexpr std::size_t kLeastPmus = 58;  // of libpfm4 4.13 and core/events/data
// libpfm4 4.11 (Ubuntu 22.04) is older than Zen 4.
bool BelongsHere(std::string_view pmu) {
  return !pmu.starts_with("arm_") && pmu != "amd64_fam19h_zen4";
}
#else
constexpr std::size_t kLeastPmus = 18;
bool BelongsHere(std::string_view) { return false; }  // a 64-bit libpfm4 lacks the 32-bit CPUs
#endif

constexpr int kUnknownPmu = 3;

bool LibraryKnows(const PfmLibrary& pfm, std::string_view pmu) {
  return !ForEachPmu(pfm, [pmu](int, const pfm_pmu_info_t& info) { return pmu != info.name; });
}

int Encode(const PfmLibrary& pfm, const std::string& name) {
  PfmEncoding answer;
  pfm.Encode(name.c_str(), PFM_PLM3, answer);
  return answer.code;
}

/// In the child: prints what is wrong; 0: nothing, 1: something, kUnknownPmu.
int CheckPmu(const std::string& pmu) {
  const bool generic = pmu == "perf";
  if (!generic) setenv("LIBPFM_FORCE_PMU", pmu.c_str(), 1);
  const PfmLibrary* pfm = PfmLibrary::Get();
  if (!pfm) {
    std::printf("libpfm4 cannot be loaded\n");
    return 1;
  }
  if (!LibraryKnows(*pfm, pmu)) return kUnknownPmu;
  PresetOptions options;
  options.pmus = {{pmu, !generic}};
  const auto table = PresetTable::Load(options);
  int wrong = 0, checked = 0;
  for (std::size_t i = 0; i < kStandardPresetCount; ++i) {
    const PresetDefinition* preset = table->ByIndex(i);
    if (!preset) continue;
    for (const PresetNative& native : preset->natives) {
      ++checked;
      const int code = Encode(*pfm, native.qualified);
      if (code == PFM_SUCCESS) continue;
      std::printf("%s: %s: %s\n", preset->name.c_str(), native.qualified.c_str(),
                  pfm->strerror(code));
      wrong = 1;
    }
  }
  if (checked == 0) std::printf("%s has no presets\n", pmu.c_str());
  return wrong != 0 || checked == 0;
}

int CheckInChild(const std::string& pmu) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    const int verdict = CheckPmu(pmu);
    std::fflush(nullptr);
    _exit(verdict);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status)) return -1;
  return WEXITSTATUS(status);
}

std::vector<std::string> BuiltinPmus() {
  std::vector<std::string> pmus;
  ForEachBuiltinPmu(
      [](std::string_view pmu, void* all) {
        static_cast<std::vector<std::string>*>(all)->emplace_back(pmu);
      },
      &pmus);
  return pmus;
}

std::size_t PresetsOf(const char* pmu) {
  PresetOptions options;
  options.pmus = {{pmu, true}};
  const auto table = PresetTable::Load(options);
  std::size_t count = 0;
  for (std::size_t i = 0; i < kStandardPresetCount; ++i) count += table->ByIndex(i) != nullptr;
  return count;
}

TEST(BuiltinTables, HavePresetsForEveryProcessorOfTheEventTables) {
  EXPECT_EQ(PresetsOf("amd64_fam1ah_zen5"), 30u);
  EXPECT_EQ(PresetsOf("amd64_fam1ah_zen6"), 30u);
  for (const char* pmu : {"spr", "emr", "gnr"}) EXPECT_EQ(PresetsOf(pmu), 43u) << pmu;
  for (const char* pmu : {"mtl_rwc", "lnl_lnc", "arl_lnc", "ptl_cgc"}) {
    EXPECT_EQ(PresetsOf(pmu), 41u) << pmu;
  }
  EXPECT_EQ(PresetsOf("nvl_cyc"), 34u);
  EXPECT_EQ(PresetsOf("nvl_aw"), 5u);
  for (const char* pmu : {"mtl_cmt", "lnl_skt", "arl_cmt", "ptl_dkt", "grr"}) {
    EXPECT_EQ(PresetsOf(pmu), 11u) << pmu;
  }
  for (const char* pmu : {"srf", "cwf", "arl_skt"}) EXPECT_EQ(PresetsOf(pmu), 13u) << pmu;
  EXPECT_EQ(PresetsOf("adl_glc"), 12u);
  EXPECT_EQ(PresetsOf("adl_grt"), 8u);
  EXPECT_EQ(PresetsOf("arm_monaka"), 68u);
  for (const char* pmu : {"arm_n3", "arm_cortex_x4", "arm_olympus"}) {
    EXPECT_EQ(PresetsOf(pmu), 47u) << pmu;
  }
  EXPECT_EQ(PresetsOf("arm_v3"), 44u);
}

/// PAPI_ipc counts the first two. Of each group of the others one preset must be there:
/// PAPI_flips_rate and PAPI_flops_rate answer PAPI_ENOEVNT to a preset that is not.
TEST(BuiltinTables, HaveThePresetsOfTheRatesForEveryNewProcessor) {
  for (const char* pmu : {"amd64_fam1ah_zen5", "amd64_fam1ah_zen6", "adl_glc", "spr", "emr", "gnr",
                          "mtl_rwc", "lnl_lnc", "arl_lnc", "ptl_cgc", "nvl_cyc", "arm_v3", "arm_n3",
                          "arm_cortex_x4", "arm_olympus", "arm_monaka"}) {
    PresetOptions options;
    options.pmus = {{pmu, true}, {"perf", false}};
    const auto table = PresetTable::Load(options);
    const auto has = [&](const char* name) { return ByName(*table, name) != nullptr; };
    EXPECT_TRUE(has("PAPI_TOT_INS") && has("PAPI_TOT_CYC")) << pmu;
    EXPECT_TRUE(has("PAPI_FP_INS")) << pmu;
    EXPECT_TRUE(has("PAPI_FP_OPS") || (has("PAPI_SP_OPS") && has("PAPI_DP_OPS"))) << pmu;
  }
}

TEST(BuiltinTables, SayWhereAPresetIsTheKernelsGenericEvent) {
  PresetOptions options;
  options.pmus = {{"cpu_without_table", true}, {"perf", false}};
  const auto without = PresetTable::Load(options);
  const PresetDefinition* generic = ByName(*without, "PAPI_TOT_CYC");
  ASSERT_NE(generic, nullptr);
  EXPECT_NE(generic->note.find("no preset table for this processor"), std::string::npos);
  options.pmus = {{"amd64_fam1ah_zen5", true}, {"perf", false}};
  const auto with = PresetTable::Load(options);
  ASSERT_NE(ByName(*with, "PAPI_TOT_CYC"), nullptr);
  EXPECT_TRUE(ByName(*with, "PAPI_TOT_CYC")->note.empty());
  EXPECT_EQ(ByName(*with, "PAPI_TOT_CYC")->natives.at(0).qualified,
            "amd64_fam1ah_zen5::CYCLES_NOT_IN_HALT");
}

/// The sum over both kinds of cores of a hybrid.
TEST(BuiltinTables, AddUpTheKindsOfCoresOfAHybrid) {
  PresetOptions options;
  options.pmus = {{"adl_glc", true}, {"adl_grt", true}, {"perf", false}};
  const auto table = PresetTable::Load(options);
  const PresetDefinition* cycles = ByName(*table, "PAPI_TOT_CYC");
  ASSERT_NE(cycles, nullptr);
  ASSERT_EQ(cycles->natives.size(), 2u);
  EXPECT_EQ(cycles->natives[0].qualified, "adl_glc::CPU_CLK_UNHALTED:THREAD_P");
  EXPECT_EQ(cycles->natives[1].qualified, "adl_grt::CPU_CLK_UNHALTED:THREAD_P");
  const PresetDefinition* flops = ByName(*table, "PAPI_FP_OPS");
  ASSERT_NE(flops, nullptr);
  EXPECT_NE(flops->note.find("adl_glc only"), std::string::npos) << flops->note;
}

TEST(BuiltinTables, NameNativeEventsThatLibpfmKnows) {
  std::size_t checked = 0;
  for (const std::string& pmu : BuiltinPmus()) {
    const int verdict = CheckInChild(pmu);
    if (verdict == kUnknownPmu && !BelongsHere(pmu)) {
      std::cout << "skipped: " << pmu << ": this machine's libpfm4 has no tables of it\n";
      continue;
    }
    EXPECT_EQ(verdict, 0) << pmu;
    ++checked;
  }
  EXPECT_GE(checked, kLeastPmus);
}

}  // namespace
}  // namespace csink
