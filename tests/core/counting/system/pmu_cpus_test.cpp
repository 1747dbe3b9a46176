#include "core/counting/system/pmu_cpus.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace csink {
namespace {

namespace fs = std::filesystem;

class PmuFolder : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("csink-pmus-" + std::to_string(::getpid()));
    Write("uncore_imc_0/type", "17");
    Write("uncore_imc_0/cpumask", "0,24");
    Write("cpu_core/type", "4");
    Write("cpu_core/cpus", "0-7");
    Write("cpu_atom/type", "10");
  }
  void TearDown() override { fs::remove_all(folder_); }
  void Write(const std::string& file, const char* text) {
    fs::create_directories((folder_ / file).parent_path());
    std::ofstream(folder_ / file) << text << "\n";
  }
  fs::path folder_;
};

TEST_F(PmuFolder, GivesOneProcessorAPackage) {
  EXPECT_EQ(CpusOfPmu(17, folder_.c_str()), (std::vector<int>{0, 24}));
  EXPECT_EQ(FirstCpuOfPmu(17, folder_.c_str()), 0);
  EXPECT_EQ(FirstCpuOfPmu(4, folder_.c_str()), -1);
  EXPECT_TRUE(CpusOfPmu(4, folder_.c_str()).empty());
  EXPECT_TRUE(CpusOfPmu(99, folder_.c_str()).empty());
  EXPECT_TRUE(CpusOfPmu(17, "/does/not/exist").empty());
}

TEST_F(PmuFolder, KnowsTheCoreTypesOfAHybridProcessor) {
  EXPECT_EQ(HybridPmuTypes(folder_.c_str()), (std::vector<std::uint32_t>{4, 10}));
  EXPECT_TRUE(HybridPmuTypes("/does/not/exist").empty());
}

}  // namespace
}  // namespace csink
