#include <gtest/gtest.h>

#include "compat/ms_common/include/ms_common_apapi.h"
#include "compat/ms_common/resource.h"

namespace csink::ms {
namespace {

TEST(SetInterval, TheFieldsHoldTheDividedOneAndSamplesComeAtTheWhole) {
  MS_MEASUREMENT_CPU cpu = {};
  SetInterval(CpuRules(), &cpu, 100'000'000, 10);
  EXPECT_EQ(cpu.msr_time_wait.tv_nsec, 10'000'000);
  EXPECT_EQ(cpu.msr_check_for_exit_interrupts, 10U);
  EXPECT_EQ(IntervalOf(CpuRules(), &cpu), 100'000'000U);
}

TEST(SetInterval, NothingIsLostWhereItCannotBeDivided) {
  MS_MEASUREMENT_SYS server = {};
  SetInterval(ServerRules(), &server, 1'000'000'000, 3);
  EXPECT_EQ(server.ipmi_time_wait.tv_nsec, 333'333'333);
  EXPECT_EQ(IntervalOf(ServerRules(), &server), 1'000'000'000U);
}

TEST(SetInterval, NoChecksAreOne) {
  MS_MEASUREMENT_GPU gpu = {};
  SetInterval(GpuRules(), &gpu, 2'500'000'000, 0);
  EXPECT_EQ(gpu.nvml_check_for_exit_interrupts, 1U);
  EXPECT_EQ(gpu.nvml_time_wait.tv_sec, 2);
  EXPECT_EQ(IntervalOf(GpuRules(), &gpu), 2'500'000'000U);
}

TEST(SetInterval, AStructureWithoutOneHasTheDefault) {
  MS_LIST* list = nullptr;
  appendList(&list, MIC);
  EXPECT_EQ(IntervalOf(MicRules(), getMeasurement(&list, MIC)), kDefaultIntervalNs);
  deleteList(&list);
}

TEST(SetInterval, AClientMayWriteTheFieldsItself) {
  MS_MEASUREMENT_FPGA fpga = {};
  SetInterval(FpgaRules(), &fpga, 100'000'000, 1);
  fpga.maxeler_time_wait = {0, 40'000'000};
  fpga.maxeler_check_for_exit_interrupts = 2;
  EXPECT_EQ(IntervalOf(FpgaRules(), &fpga), 80'000'000U);
}

}  // namespace
}  // namespace csink::ms
