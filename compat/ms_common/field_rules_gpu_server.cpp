#include <string>

#include "compat/ms_common/field_rules.h"
#include "compat/ms_common/include/ms_common_apapi.h"

/// File: rules for the first GPU, whose name is filled in by Bind ("*"), and for the server.

namespace csink::ms {
namespace {

// An event of any card.
std::string OfGpu(const char* metric) { return std::string("nvml:::*:") + metric; }

// Clocks are in MHz in both.
void AddGpuClocks(RuleMaker<MS_MEASUREMENT_GPU>& rule) {
  const auto& like = rule.like;
  rule.Final(OfGpu("graphics_clock"), Source::kAvg0, 1, like.nvml_clock_graphics_avg);
  rule.Each(OfGpu("graphics_clock"), Source::kLast0, 1, like.nvml_clock_graphics_cur);
  rule.Final(OfGpu("sm_clock"), Source::kAvg0, 1, like.nvml_clock_sm_avg);
  rule.Each(OfGpu("sm_clock"), Source::kLast0, 1, like.nvml_clock_sm_cur);
  rule.Final(OfGpu("memory_clock"), Source::kAvg0, 1, like.nvml_clock_mem_avg);
  rule.Each(OfGpu("memory_clock"), Source::kLast0, 1, like.nvml_clock_mem_cur);
}

// Use of the card and of its memory, and the number of processes.
void AddGpuUse(RuleMaker<MS_MEASUREMENT_GPU>& rule) {
  const auto& like = rule.like;
  rule.Final(OfGpu("gpu_utilization"), Source::kAvg0, 1, like.nvml_util_gpu_avg);
  rule.Each(OfGpu("gpu_utilization"), Source::kLast0, 1, like.nvml_util_gpu_cur);
  rule.Final(OfGpu("memory_utilization"), Source::kAvg0, 1, like.nvml_util_mem_avg);
  rule.Each(OfGpu("memory_utilization"), Source::kLast0, 1, like.nvml_util_mem_cur);
  // The events are in bytes, the fields in kiB.
  rule.Final(OfGpu("total_memory"), Source::kMax0, kKibi, like.nvml_memory_total);
  rule.Final(OfGpu("allocated_memory"), Source::kMax0, kKibi, like.nvml_memory_used_max);
  rule.Each(OfGpu("allocated_memory"), Source::kLast0, kKibi, like.nvml_memory_used_cur);
  rule.Final(OfGpu("unallocated_memory"), Source::kMax0, kKibi, like.nvml_memory_free_max);
  rule.Final(OfGpu("processes"), Source::kMax0, 1, like.nvml_active_processes_count_max);
  rule.Each(OfGpu("processes"), Source::kLast0, 1, like.nvml_active_processes_count_cur);
}

}  // namespace

ResourceRules GpuRules() {
  RuleMaker<MS_MEASUREMENT_GPU> rule;
  const auto& like = rule.like;
  // Of several rules for a field the last one counts whose event the card has.
  // Older cards report power alone; energy is power times the length of each interval (value1).
  rule.Final(OfGpu("power"), Source::kAcc1, kThousandths, like.nvml_energy_acc);
  rule.Final(OfGpu("power"), Source::kAvg0, kThousandths, like.nvml_power_avg);
  rule.Each(OfGpu("power"), Source::kLast0, kThousandths, like.nvml_power_cur);
  // On newer ones `power` is the mean of a second, so an energy computed from it lags.
  rule.Final(OfGpu("energy"), Source::kAcc0, kThousandths, like.nvml_energy_acc);
  rule.Final(OfGpu("energy"), Source::kAvg1, kThousandths, like.nvml_power_avg);
  // Cards without power_instant (before driver 530) keep the rule of `power` above.
  rule.Each(OfGpu("power_instant"), Source::kLast0, kThousandths, like.nvml_power_cur);
  rule.Final(OfGpu("temperature"), Source::kMax0, 1, like.nvml_temperature_max);
  rule.Each(OfGpu("temperature"), Source::kLast0, 1, like.nvml_temperature_cur);
  AddGpuClocks(rule);
  AddGpuUse(rule);
  return {GPU,
          "nvml",
          rule.Take(),
          rule.OffsetOf(like.nvml_time_wait),
          rule.OffsetOf(like.nvml_check_for_exit_interrupts),
          rule.OffsetOf(like.nvml_time_runtime)};
}

// Server and board are in W and Ws, unlike all other resources.
ResourceRules ServerRules() {
  RuleMaker<MS_MEASUREMENT_SYS> rule;
  const auto& like = rule.like;
  rule.Final("ipmi:::BOARD_POWER", Source::kAvg0, 1, like.ipmi_power_sysboard_avg);
  rule.Final("ipmi:::BOARD_POWER", Source::kAcc1, 1, like.ipmi_energy_sysboard_acc);
  rule.Final("ipmi:::SYSTEM_POWER", Source::kAvg0, 1, like.ipmi_power_server_avg);
  rule.Final("ipmi:::SYSTEM_POWER", Source::kAcc1, 1, like.ipmi_energy_server_acc);
  rule.Each("ipmi:::SYSTEM_POWER", Source::kLast0, 1, like.ipmi_power_server_cur);
  rule.Final("ipmi:::SYSTEM_TEMP", Source::kMax0, 1, like.ipmi_temperature_sysboard_max);
  rule.Each("ipmi:::SYSTEM_TEMP", Source::kLast0, 1, like.ipmi_temperature_sysboard_cur);
  return {SYSTEM,
          "ipmi",
          rule.Take(),
          rule.OffsetOf(like.ipmi_time_wait),
          rule.OffsetOf(like.ipmi_check_for_exit_interrupts),
          rule.OffsetOf(like.ipmi_time_runtime)};
}

}  // namespace csink::ms
