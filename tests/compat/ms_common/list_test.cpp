#include <gtest/gtest.h>

#include "compat/ms_common/include/ms_common_apapi.h"

namespace {

class List : public testing::Test {
 protected:
  ~List() override { deleteList(&list_); }
  MS_LIST* list_ = nullptr;
};

TEST_F(List, KeepsTheOrderOfItsResources) {
  for (const int resource : {CPU, GPU, FPGA, SYSTEM, MIC}) appendList(&list_, resource);
  int expected[] = {CPU, GPU, FPGA, SYSTEM, MIC};
  const MS_LIST* node = list_;
  for (const int resource : expected) {
    ASSERT_NE(node, nullptr);
    EXPECT_EQ(node->resource_id, resource);
    node = node->next;
  }
  EXPECT_EQ(node, nullptr);
}

TEST_F(List, StructuresBeginEmptyWithoutAnInterval) {
  appendList(&list_, GPU);
  const auto* gpu = static_cast<MS_MEASUREMENT_GPU*>(getMeasurement(&list_, GPU));
  ASSERT_NE(gpu, nullptr);
  EXPECT_EQ(gpu->nvml_time_wait.tv_sec, -1);
  EXPECT_EQ(gpu->nvml_time_wait.tv_nsec, -1);
  EXPECT_EQ(gpu->nvml_check_for_exit_interrupts, 1U);
  EXPECT_EQ(gpu->nvml_energy_acc, 0);
  EXPECT_EQ(gpu->nvml_active_processes_name[127][127], 0);
}

TEST_F(List, DeletingEmptiesIt) {
  appendList(&list_, CPU);
  deleteList(&list_);
  EXPECT_EQ(list_, nullptr);
  EXPECT_EQ(getMeasurement(&list_, CPU), nullptr);
}

TEST_F(List, ResultsOfWhatIsNotThereAreZero) {
  appendList(&list_, CPU);
  auto* cpu = static_cast<MS_MEASUREMENT_CPU*>(getMeasurement(&list_, CPU));
  cpu->msr_energy_acc[1][DRAM] = 5;
  cpu->msr_temperature_core_max[1][3] = 61;
  cpu->measure_memory_cur[SWAP_TOTAL] = 77;
  EXPECT_EQ(cpu_energy_total_dram(list_, 1), 5);
  EXPECT_EQ(cpu_energy_total_dram(list_, 2), 0);
  EXPECT_EQ(cpu_energy_total_dram(list_, -1), 0);
  EXPECT_EQ(cpu_temp_max_core(list_, 1, 3), 61U);
  EXPECT_EQ(cpu_temp_max_core(list_, 1, 4), 0U);
  EXPECT_EQ(cpu_swap_total(list_), 77U);
  EXPECT_EQ(gpu_power_avg(list_), 0);
  EXPECT_EQ(system_energy_total(nullptr), 0);
}

}  // namespace
