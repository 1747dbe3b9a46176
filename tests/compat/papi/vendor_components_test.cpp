#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <string>
#include <thread>

#include "compat/papi/include/csink_papi.h"
#include "compat/papi/include/papi.h"
#include "tests/fakes/vendor/scripted_library.h"

/// File: the vendors' components as PAPI programs meet them, over scripted libraries.

namespace {

using csink::testing::ScriptedLibrary;

struct VendorComponents : testing::Test {
  // Sources are opened once a process: these are the cards of all tests below.
  static inline const char* const kCards =
      "devices = 2; *.name = Fake GPU; 0.power = 1000+1; 1.power = 2000; 0.energy = 0+3;"
      "0.temperature = 50";
  ScriptedLibrary nvml{FAKE_NVML_LIBRARY}, maxeler{FAKE_MAXELER_LIBRARY}, mic{FAKE_MIC_LIBRARY};

  void SetUp() override {
    nvml.Say(kCards);
    maxeler.Say(
        "devices = 1; *.fpga_power = 30; *.usage = 5; *.main_temperature = 1;"
        "*.interface_temperature = 1");
    ASSERT_EQ(PAPI_library_init(PAPI_VER_CURRENT), PAPI_VER_CURRENT);
  }

  static int SetOf(std::initializer_list<const char*> events) {
    int set = PAPI_NULL;
    EXPECT_EQ(PAPI_create_eventset(&set), PAPI_OK);
    for (const char* event : events) EXPECT_EQ(PAPI_add_named_event(set, event), PAPI_OK) << event;
    return set;
  }
  static PAPI_event_info_t InfoOf(const char* event) {
    int code = 0;
    PAPI_event_info_t info = {};
    EXPECT_EQ(PAPI_event_name_to_code(event, &code), PAPI_OK) << event;
    EXPECT_EQ(PAPI_get_event_info(code, &info), PAPI_OK) << event;
    return info;
  }
};

TEST_F(VendorComponents, AreListedWithTheirLibrarysVersion) {
  const PAPI_component_info_t* const info =
      PAPI_get_component_info(PAPI_get_component_index("nvml"));
  ASSERT_NE(info, nullptr);
  EXPECT_EQ(info->disabled, 0);
  EXPECT_STREQ(info->support_version, "535.1.fake");
  EXPECT_STREQ(info->short_name, "nvml");
  EXPECT_EQ(info->num_native_events, 4);
}

TEST_F(VendorComponents, TellTypesAndUnits) {
  EXPECT_EQ(InfoOf("nvml:::Fake_GPU:power").data_type, PAPI_DATATYPE_INT64);
  EXPECT_STREQ(InfoOf("nvml:::Fake_GPU:device_1:power").units, "mW");
  EXPECT_STREQ(InfoOf("nvml:::Fake_GPU:energy").units, "nJ");
  EXPECT_STREQ(InfoOf("maxeler:::fpga_POWER:DEVICE0").units, "uW");
  EXPECT_EQ(InfoOf("micknc:::UTIL:DEVICE0").data_type, PAPI_DATATYPE_FP64);
}

TEST_F(VendorComponents, ReadEqualCardsApartAndEnergyFromTheStart) {
  const int set = SetOf({"nvml:::Fake_GPU:device_0:power", "nvml:::Fake_GPU:device_1:power",
                         "nvml:::Fake_GPU:energy"});
  ASSERT_EQ(PAPI_start(set), PAPI_OK);
  long long values[3] = {};
  ASSERT_EQ(PAPI_read(set, values), PAPI_OK);
  EXPECT_GT(values[0], 1000);
  EXPECT_LT(values[0], 1100);
  EXPECT_EQ(values[1], 2000);
  EXPECT_EQ(values[2], 3'000'000);
  EXPECT_EQ(PAPI_stop(set, values), PAPI_OK);
  EXPECT_EQ(values[2], 6'000'000);
}

TEST_F(VendorComponents, ReportALostCardAndReadTheOther) {
  const int lost = SetOf({"nvml:::Fake_GPU:power"});
  const int other = SetOf({"nvml:::Fake_GPU:device_1:power"});
  ASSERT_EQ(PAPI_start(lost), PAPI_OK);
  nvml.Say("0.power = error:15; 1.power = 7");
  long long value = 0;
  EXPECT_EQ(PAPI_read(lost, &value), PAPI_ESYS);
  EXPECT_EQ(PAPI_stop(lost, nullptr), PAPI_ESYS);
  ASSERT_EQ(PAPI_start(other), PAPI_OK);  // one set a component runs in a thread: it did stop
  EXPECT_EQ(PAPI_stop(other, &value), PAPI_OK);
  EXPECT_EQ(value, 7);
}

TEST_F(VendorComponents, ReadEachReadsTheCardsBesideALostOne) {
  const int set = SetOf({"nvml:::Fake_GPU:power", "nvml:::Fake_GPU:device_1:power"});
  ASSERT_EQ(PAPI_start(set), PAPI_OK);
  nvml.Say("0.power = error:15; 1.power = 7");
  long long values[2] = {-1, -1};
  int codes[2] = {1, 1};
  EXPECT_EQ(PAPI_read(set, values), PAPI_ESYS);
  EXPECT_EQ(csink_papi_read_each(set, values, codes), PAPI_ESYS);
  EXPECT_EQ(codes[0], PAPI_ESYS);
  EXPECT_EQ(codes[1], PAPI_OK);
  EXPECT_EQ(values[1], 7);
  EXPECT_EQ(PAPI_stop(set, nullptr), PAPI_ESYS);
}

TEST_F(VendorComponents, CountInAForkedChild) {
  const int before = SetOf({"nvml:::Fake_GPU:temperature"});
  ASSERT_EQ(PAPI_start(before), PAPI_OK);
  const pid_t child = fork();
  if (child == 0) {
    long long value = 0;
    const int set = SetOf({"nvml:::Fake_GPU:temperature"});
    const bool right = PAPI_start(set) == PAPI_OK && PAPI_read(set, &value) == PAPI_OK;
    _exit(right && value == 50 ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  long long value = 0;
  EXPECT_EQ(PAPI_stop(before, &value), PAPI_OK);
}

// The last one: nvml is lost to this process afterwards.
TEST_F(VendorComponents, ZHangingLibraryDelaysNoOtherComponent) {
  const int hanging = SetOf({"nvml:::Fake_GPU:device_1:power"});
  const int other = SetOf({"maxeler:::fpga_POWER:DEVICE0"});
  ASSERT_EQ(PAPI_start(hanging), PAPI_OK);
  ASSERT_EQ(PAPI_start(other), PAPI_OK);
  nvml.Say("1.power = block");
  std::atomic<int> answer{PAPI_OK};
  std::atomic<bool> came_back{false};
  std::thread reader([&] {
    long long value = 0;
    answer = PAPI_read(hanging, &value);
    came_back = true;
  });
  int reads = 0;
  long long value = 0;
  for (; !came_back; ++reads) ASSERT_EQ(PAPI_read(other, &value), PAPI_OK);
  reader.join();
  EXPECT_EQ(value, 30'000'000);
  EXPECT_GT(reads, 20);  // while it hung
  EXPECT_EQ(answer, PAPI_ESYS);
  EXPECT_EQ(PAPI_read(hanging, &value), PAPI_ESYS);
}

}  // namespace
