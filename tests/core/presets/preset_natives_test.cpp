// Every native event of the built-in tables is one that libpfm4 knows. libpfm4 takes the PMU that
// it is to believe in from the environment, once in a process, so each PMU is checked in a child.
// It has the tables of its own architecture only; the other PMUs are skipped by name.

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "core/events/pfm_library.h"
#include "core/presets/builtin_tables.h"
#include "core/presets/preset_table.h"

namespace csink {
namespace {

#if defined(__x86_64__)
constexpr std::size_t kLeastPmus = 48;  // of libpfm4 4.13
bool BelongsHere(std::string_view pmu) { return !pmu.starts_with("arm_"); }
#else
constexpr std::size_t kLeastPmus = 8;
bool BelongsHere(std::string_view) { return false; }  // a 64-bit libpfm4 lacks the 32-bit CPUs
#endif

constexpr int kUnknownPmu = 3;

bool LibraryKnows(const PfmLibrary& pfm, std::string_view pmu) {
  for (int number = PFM_PMU_NONE; number < PFM_PMU_MAX; ++number) {
    pfm_pmu_info_t info;
    if (pfm.Pmu(number, info) && pmu == info.name) return true;
  }
  return false;
}

int Encode(const PfmLibrary& pfm, const std::string& name) {
  perf_event_attr attr{};
  attr.size = sizeof(attr);
  pfm_perf_encode_arg_t argument{};
  argument.size = sizeof(argument);
  argument.attr = &attr;
  return pfm.get_os_event_encoding(name.c_str(), PFM_PLM3, PFM_OS_PERF_EVENT_EXT, &argument);
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
