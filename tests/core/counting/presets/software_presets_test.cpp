#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "core/counting/presets/preset_table.h"

namespace csink {
namespace {

using testing::IsEmpty;

// share/csink/presets-software.csv, which makes PAPI's own tests meaningful without a PMU.
std::map<std::string, std::string> Load(std::vector<PresentPmu> pmus) {
  PresetOptions options;
  options.pmus = std::move(pmus);
  options.override_file = CSINK_SOFTWARE_PRESETS;
  const auto table = PresetTable::Load(options);
  EXPECT_THAT(table->Complaints(), IsEmpty());
  EXPECT_EQ(table->UserEventCount(), 0u);
  std::map<std::string, std::string> found;
  for (std::size_t i = 0; i < kStandardPresetCount; ++i) {
    const PresetDefinition* d = table->ByIndex(i);
    if (!d) continue;
    EXPECT_EQ(d->natives.size(), 1u) << d->name;
    EXPECT_TRUE(d->formula.IsFirstNative()) << d->name;
    EXPECT_NE(d->note.find("counts "), std::string::npos) << d->name;
    found[d->name] = d->natives[0].qualified;
  }
  return found;
}

TEST(SoftwarePresets, GiveEachPresetAnEventOfItsOwnOnAnyMachine) {
  const std::map<std::string, std::string> wanted = {
      {"PAPI_TOT_CYC", "perf::CPU-CLOCK"},         {"PAPI_TOT_INS", "perf::TASK-CLOCK"},
      {"PAPI_FP_INS", "perf::TASK-CLOCK:u=1:k=0"}, {"PAPI_FP_OPS", "perf::CPU-CLOCK:u=1:k=0"},
      {"PAPI_L1_TCM", "perf::PAGE-FAULTS"},        {"PAPI_BR_INS", "perf::CONTEXT-SWITCHES"},
      {"PAPI_BR_CN", "perf::CPU-MIGRATIONS"},
  };
  EXPECT_EQ(Load({{"skx", true}, {"perf", false}}), wanted);
  EXPECT_EQ(Load({{"perf", false}}), wanted) << "a CPU that libpfm4 does not know";
  EXPECT_EQ(Load({{"cpu_of_tomorrow", true}, {"perf", false}}), wanted);
  EXPECT_EQ(Load({{"adl_glc", true}, {"adl_grt", true}, {"perf", false}}), wanted);
  EXPECT_EQ(Load({{"arm_n1", true}}), wanted);
  EXPECT_EQ(Load({}), wanted);
  for (std::size_t i = 0; i < kStandardPresetCount; ++i) {
    const std::string name(StandardPresetAt(i).name);
    EXPECT_EQ(HasSoftwareEvent(name), wanted.count(name) != 0) << name;
  }
}

}  // namespace
}  // namespace csink
