#include "core/counting/presets/standard_presets.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iostream>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace csink {
namespace {

TEST(StandardPresets, AreFoundByTheirNames) {
  for (std::size_t i = 0; i < kStandardPresetCount; ++i) {
    EXPECT_EQ(StandardPresetIndex(StandardPresetAt(i).name), i);
  }
  for (const char* name : {"", "PAPI_", "PAPI_L1_DC", "papi_l1_dcm", "PAPI_END"}) {
    EXPECT_EQ(StandardPresetIndex(name), kStandardPresetCount) << name;
  }
  EXPECT_EQ(NearestStandardPreset("PAPI_TOT_CYCL"), "PAPI_TOT_CYC");
  EXPECT_EQ(NearestStandardPreset("qqqqqqqqqqqqqq"), "");
}

TEST(StandardPresets, HaveDescriptionsOfTheirOwnThatFit) {
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < kStandardPresetCount; ++i) {
    const StandardPreset& preset = StandardPresetAt(i);
    EXPECT_FALSE(preset.short_description.empty()) << preset.name;
    EXPECT_LT(preset.short_description.size(), 64u) << preset.name;
    EXPECT_LT(preset.long_description.size(), 1024u) << preset.name;
    EXPECT_TRUE(seen.insert(preset.short_description).second) << preset.name;
    EXPECT_TRUE(seen.insert(preset.long_description).second) << preset.name;
    EXPECT_NE(preset.classes, 0u) << preset.name;
  }
}

TEST(StandardPresets, SayOfEachCacheEventItsLevel) {
  const std::uint32_t levels[] = {kPresetL1, kPresetL2, kPresetL3};
  for (std::size_t i = 0; i < kStandardPresetCount; ++i) {
    const StandardPreset& preset = StandardPresetAt(i);
    const bool is_cache = preset.name.starts_with("PAPI_L") && preset.name[6] <= '3';
    if (!is_cache) continue;
    EXPECT_EQ(preset.classes & (kPresetL1 | kPresetL2 | kPresetL3), levels[preset.name[6] - '1'])
        << preset.name;
    EXPECT_TRUE(preset.classes & kPresetCache) << preset.name;
  }
}

// The order of the codes is an ABI: the installed header of PAPI is the judge. 7.3 has two more
// than the versions before it (tests/abi/later_headers/7.3.txt).
TEST(StandardPresets, StandInTheOrderOfTheInstalledHeader) {
  const char* const path = "/usr/include/papiStdEventDefs.h";
  std::ifstream header(path);
  if (!header) {
    std::cout << "skipped: " << path << " (libpapi-dev) is not installed\n";
    GTEST_SKIP();
  }
  std::vector<std::string> names;
  const std::regex line_of_enum(R"(^\s*(PAPI_\w+)_idx\b.*)");
  for (std::string line; std::getline(header, line);) {
    std::smatch match;
    if (std::regex_match(line, match, line_of_enum)) names.push_back(match[1]);
  }
  ASSERT_GE(names.size(), kStandardPresetCount - 2 + 1);
  EXPECT_EQ(names.back(), "PAPI_END");
  for (std::size_t i = 0; i + 1 < names.size(); ++i) {
    EXPECT_EQ(StandardPresetAt(i).name, names[i]) << i;
  }
}

}  // namespace
}  // namespace csink
