#include "core/counting/components/perf_event/arm_pmu_events.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace csink {
namespace {

namespace fs = std::filesystem;

class ArmPmuEventsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("csink-arm-pmus-" + std::to_string(::getpid()));
    Write("software/events/cpu-clock", "event=0x03");
  }
  void TearDown() override { fs::remove_all(folder_); }
  void Write(const std::string& file, const char* text) {
    fs::create_directories((folder_ / file).parent_path());
    std::ofstream(folder_ / file) << text << "\n";
  }
  fs::path folder_;
};

TEST_F(ArmPmuEventsTest, AnEmulatedPmuCountsWhatItLists) {
  Write("armv8_pmuv3/events/cpu_cycles", "event=0x0011");
  Write("armv8_pmuv3/events/inst_retired", "event=0x0008");
  Write("armv8_pmuv3/events/broken", "event=0x00zz");
  const ArmPmuEvents events(folder_.c_str());
  EXPECT_TRUE(events.emulated());
  EXPECT_TRUE(events.Counts(0x11));
  EXPECT_TRUE(events.Counts(0x08));
  EXPECT_FALSE(events.Counts(0x03));
  EXPECT_FALSE(events.Counts(0x42)) << "one of the core's own";
  EXPECT_FALSE(events.Counts(0));
}

TEST_F(ArmPmuEventsTest, ARealPmuMayCountMoreThanItLists) {
  Write("armv8_cortex_a57/events/cpu_cycles", "event=0x0011");
  Write("armv8_cortex_a57/events/l1d_cache", "event=0x0004");
  const ArmPmuEvents events(folder_.c_str());
  EXPECT_FALSE(events.emulated());
  EXPECT_TRUE(events.Counts(0x11));
  EXPECT_TRUE(events.Counts(0x42));
}

TEST_F(ArmPmuEventsTest, NothingIsKnownOfOtherPmus) {
  for (const char* devices : {folder_.c_str(), "/does/not/exist"}) {
    const ArmPmuEvents events(devices);
    EXPECT_FALSE(events.emulated());
    EXPECT_TRUE(events.Counts(0x42));
  }
}

}  // namespace
}  // namespace csink
