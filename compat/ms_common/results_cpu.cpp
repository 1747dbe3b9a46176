#include <algorithm>
#include <cstdint>

#include "compat/ms_common/include/ms_common_apapi.h"
#include "compat/ms_common/result_field.h"

/// File: the results of a CPU. Each function returns one field; 0 for a CPU or core that the
/// structure does not have. Energy in mWs, power in mW, temperatures in degrees Celsius,
/// frequencies in MHz, times in s, utilization in percent, memory in kiB.

using csink::ms::ResultOf;

namespace {

/// `number`, or the largest value that a result has: kiB above 4 TiB.
std::uint32_t AtMostLargest(std::uint64_t number) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(number, UINT32_MAX));
}

}  // namespace

double cpu_time_total(MS_LIST* list) {
  return ResultOf(list, &MS_MEASUREMENT_CPU::msr_time_runtime);
}
double cpu_energy_total_pkg(MS_LIST* list, int cpu) {
  return ResultOf(list, &MS_MEASUREMENT_CPU::msr_energy_acc, cpu, PKG);
}
// PP0: the cores of the package.
double cpu_energy_total_pp0(MS_LIST* list, int cpu) {
  return ResultOf(list, &MS_MEASUREMENT_CPU::msr_energy_acc, cpu, PP0);
}
double cpu_energy_total_dram(MS_LIST* list, int cpu) {
  return ResultOf(list, &MS_MEASUREMENT_CPU::msr_energy_acc, cpu, DRAM);
}
double cpu_power_avg_pkg(MS_LIST* list, int cpu) {
  return ResultOf(list, &MS_MEASUREMENT_CPU::msr_power_avg, cpu, PKG);
}
double cpu_power_avg_pp0(MS_LIST* list, int cpu) {
  return ResultOf(list, &MS_MEASUREMENT_CPU::msr_power_avg, cpu, PP0);
}
double cpu_power_avg_dram(MS_LIST* list, int cpu) {
  return ResultOf(list, &MS_MEASUREMENT_CPU::msr_power_avg, cpu, DRAM);
}
uint32_t cpu_temp_max_pkg(MS_LIST* list, int cpu) {
  return ResultOf(list, &MS_MEASUREMENT_CPU::msr_temperature_pkg_max, cpu);
}
uint32_t cpu_temp_max_core(MS_LIST* list, int cpu, int core) {
  return ResultOf(list, &MS_MEASUREMENT_CPU::msr_temperature_core_max, cpu, core);
}
double cpu_freq_avg_core(MS_LIST* list, int cpu, int core) {
  return ResultOf(list, &MS_MEASUREMENT_CPU::msr_freq_core_avg, cpu, core);
}
double cpu_freq_eff_core(MS_LIST* list, int cpu, int core) {
  return ResultOf(list, &MS_MEASUREMENT_CPU::msr_freq_core_eff_avg, cpu, core);
}
double cpu_active_avg_all(MS_LIST* list) {
  return ResultOf(list, &MS_MEASUREMENT_CPU::measure_util_active_avg);
}
double cpu_idle_avg_all(MS_LIST* list) {
  return ResultOf(list, &MS_MEASUREMENT_CPU::measure_util_idle_avg);
}
double cpu_util_avg_all(MS_LIST* list) {
  return ResultOf(list, &MS_MEASUREMENT_CPU::measure_util_avg);
}

// The fields of /proc/meminfo have 64 bits in the structure; these results have 32.
uint32_t cpu_memory_total(MS_LIST* list) {
  return AtMostLargest(ResultOf(list, &MS_MEASUREMENT_CPU::measure_memory_cur, RAM_TOTAL));
}
uint32_t cpu_memory_used_max(MS_LIST* list) {
  return ResultOf(list, &MS_MEASUREMENT_CPU::measure_memory_used_max);
}
uint32_t cpu_memory_free_max(MS_LIST* list) {
  return ResultOf(list, &MS_MEASUREMENT_CPU::measure_memory_free_max);
}
uint32_t cpu_swap_total(MS_LIST* list) {
  return AtMostLargest(ResultOf(list, &MS_MEASUREMENT_CPU::measure_memory_cur, SWAP_TOTAL));
}
uint32_t cpu_swap_used_max(MS_LIST* list) {
  return ResultOf(list, &MS_MEASUREMENT_CPU::measure_swap_used_max);
}
uint32_t cpu_swap_free_max(MS_LIST* list) {
  return ResultOf(list, &MS_MEASUREMENT_CPU::measure_swap_free_max);
}
