#include "core/counting/components/sysdetect/devices.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include "tests/fakes/captured_stderr.h"
#include "tests/fakes/recorded_tree.h"

namespace csink::sysdetect {
namespace {

using testing::RecordedTree;

TEST(NvidiaGpus, AreAbsentWithoutTheLibrary) {
  const DeviceType type = FindNvidiaGpus("/nowhere/libnvidia-ml.so.1", "/nowhere/libcuda.so.1");
  EXPECT_EQ(type.count, 0u);
  EXPECT_TRUE(type.gpus.empty());
  EXPECT_EQ(type.vendor_name, "NVIDIA");
  EXPECT_NE(type.status.find("libnvidia-ml.so.1"), std::string::npos);
}

TEST(NvidiaGpus, AreAbsentWhenTheLibraryIsAnother) {
  const DeviceType type = FindNvidiaGpus(FAKE_CUDA, FAKE_CUDA);
  EXPECT_EQ(type.count, 0u);
  EXPECT_NE(type.status.find("does not have all functions"), std::string::npos);
}

TEST(NvidiaGpus, SayWhyTheDriverDoesNotStart) {
  setenv("FAKE_NVML", "broken", 1);
  const DeviceType type = FindNvidiaGpus(FAKE_NVML, FAKE_CUDA);
  unsetenv("FAKE_NVML");
  EXPECT_EQ(type.count, 0u);
  EXPECT_EQ(type.status, "NVML cannot be initialized: Driver Not Loaded");
}

TEST(NvidiaGpus, AreDescribedByNvmlAndCuda) {
  const DeviceType type = FindNvidiaGpus(FAKE_NVML, FAKE_CUDA);
  ASSERT_EQ(type.count, 2u);  // the one that cannot be asked is left out
  EXPECT_EQ(type.gpus[0].name, "Fake GPU 0");
  EXPECT_EQ(type.gpus[1].name, "Fake GPU 2");
  EXPECT_EQ(type.gpus[1].uid, 0x0123456789abcdefu);
  EXPECT_EQ(type.gpus[0].numbers.at(GpuNumber::kCapabilityMajor), 9u);
  EXPECT_EQ(type.gpus[0].numbers.count(GpuNumber::kWarpSize), 0u);  // CUDA does not show it
  EXPECT_EQ(type.gpus[1].numbers.at(GpuNumber::kWarpSize), 100u);
  EXPECT_EQ(type.gpus[1].numbers.at(GpuNumber::kBlocksPerProcessor), 1060u);
  EXPECT_EQ(type.gpus[1].numbers.count(GpuNumber::kManagedMemory), 0u);
  EXPECT_EQ(type.status, "ready");
}

TEST(NvidiaGpus, AreCountedWithoutCuda) {
  const DeviceType type = FindNvidiaGpus(FAKE_NVML, "/nowhere/libcuda.so.1");
  EXPECT_EQ(type.count, 2u);
  EXPECT_NE(type.status.find("libcuda.so.1"), std::string::npos);
}

// Long enough that the thread has begun to ask on a busy machine; nothing depends on that.
constexpr std::uint64_t kBriefly = 100'000'000;

TEST(NvidiaGpus, AreGivenUpWhereNvmlHangs) {
  setenv("FAKE_NVML", "hangs", 1);
  testing::CapturedStderr captured;
  const DeviceType type = FindNvidiaGpus(FAKE_NVML, FAKE_CUDA, {kBriefly, kBriefly});
  unsetenv("FAKE_NVML");
  EXPECT_EQ(type.count, 0u);
  EXPECT_TRUE(type.gpus.empty());
  EXPECT_EQ(type.vendor_name, "NVIDIA");
  EXPECT_NE(type.status.find("NVML does not answer"), std::string::npos) << type.status;
  EXPECT_NE(captured.text().find("NVML does not answer"), std::string::npos);
}

TEST(NvidiaGpus, AreListedWithoutNumbersWhereCudaHangs) {
  setenv("FAKE_CUDA", "hangs", 1);
  testing::CapturedStderr captured;
  const DeviceType type = FindNvidiaGpus(FAKE_NVML, FAKE_CUDA, {.cuda_ns = kBriefly});
  unsetenv("FAKE_CUDA");
  ASSERT_EQ(type.count, 2u);
  EXPECT_EQ(type.gpus[1].name, "Fake GPU 2");
  EXPECT_EQ(type.gpus[1].numbers.count(GpuNumber::kWarpSize), 0u);
  EXPECT_NE(type.status.find("libcuda.so.1 does not answer"), std::string::npos) << type.status;
  EXPECT_NE(captured.text().find("CUDA driver does not answer"), std::string::npos);
}

TEST(AmdGpus, AreReadFromTheDriversTopology) {
  const std::string nodes = "/sys/class/kfd/kfd/topology/nodes/";
  const RecordedTree machine({{nodes + "0/properties", "cpu_cores_count 16\nsimd_count 0\n"},
                              {nodes + "0/name", "\n"},
                              {nodes + "10/properties",
                               "simd_count 440\nsimd_per_cu 4\nwave_front_size 64\n"
                               "max_waves_per_simd 8\nlds_size_in_kb 64\nunique_id 12345\n"
                               "gfx_target_version 90010\n"},
                              {nodes + "10/name", "aldebaran\n"}});
  const DeviceType type = FindAmdGpus(machine.tree());
  ASSERT_EQ(type.count, 1u);
  const Gpu& gpu = type.gpus[0];
  EXPECT_EQ(gpu.name, "aldebaran");
  EXPECT_EQ(gpu.uid, 12345u);
  EXPECT_EQ(gpu.numbers.at(GpuNumber::kProcessors), 110u);
  EXPECT_EQ(gpu.numbers.at(GpuNumber::kWarpSize), 64u);
  EXPECT_EQ(gpu.numbers.at(GpuNumber::kWavesPerProcessor), 32u);
  EXPECT_EQ(gpu.numbers.at(GpuNumber::kSharedBytesPerBlock), 65536u);
  EXPECT_EQ(gpu.numbers.at(GpuNumber::kCapabilityMajor), 9u);
  EXPECT_EQ(gpu.numbers.at(GpuNumber::kCapabilityMinor), 0u);
}

TEST(AmdGpus, AreAbsentWithoutTheDriver) {
  const RecordedTree machine;
  const DeviceType type = FindAmdGpus(machine.tree());
  EXPECT_EQ(type.count, 0u);
  EXPECT_NE(type.status.find("amdkfd"), std::string::npos);
}

TEST(AmdGpus, SurviveNonsense) {
  const std::string nodes = "/sys/class/kfd/kfd/topology/nodes/";
  const RecordedTree machine({{nodes + "99999999999/properties", "simd_count 4\n"},
                              {nodes + "1/properties",
                               "simd_count 18446744073709551615\nsimd_per_cu 0\n"
                               "max_waves_per_simd 18446744073709551615\n"
                               "lds_size_in_kb 18446744073709551615\ngfx_target_version x\n"}});
  const DeviceType type = FindAmdGpus(machine.tree());
  ASSERT_EQ(type.count, 1u);
  EXPECT_TRUE(type.gpus[0].numbers.empty());
}

TEST(Devices, AlwaysHaveThisCpu) {
  const Devices devices = FindDevices();
  EXPECT_EQ(devices.types[0].count, 1u);
  EXPECT_EQ(devices.types[0].vendor_name, devices.cpu.identity.vendor_name);
  for (const DeviceType& type : devices.types) {
    EXPECT_NE(type.status, "");
    EXPECT_EQ(type.kind == DeviceKind::kCpu ? 0 : type.count, type.gpus.size());
  }
}

}  // namespace
}  // namespace csink::sysdetect
