#include "compat/ms_common/include/ms_common_apapi.h"
#include "compat/ms_common/result_field.h"

/// File: the results of an accelerator card. Each function returns one field. Energy in mWs and
/// power in mW, for each of the card's supplies and for the whole card (power_usage); temperatures
/// in degrees Celsius, frequencies in MHz, times in s, utilization in percent, memory in kiB.

using csink::ms::ResultOf;

double mic_time_total(MS_LIST* list) {
  return ResultOf(list, &MS_MEASUREMENT_MIC::mic_time_runtime);
}
double mic_energy_total_pcie(MS_LIST* list) {
  return ResultOf(list, &MS_MEASUREMENT_MIC::mic_energy_acc, PCIE_PWR);
}
double mic_energy_total_c2x3(MS_LIST* list) {
  return ResultOf(list, &MS_MEASUREMENT_MIC::mic_energy_acc, C2X3_PWR);
}
double mic_energy_total_c2x4(MS_LIST* list) {
  return ResultOf(list, &MS_MEASUREMENT_MIC::mic_energy_acc, C2X4_PWR);
}
double mic_energy_total_vccp(MS_LIST* list) {
  return ResultOf(list, &MS_MEASUREMENT_MIC::mic_energy_acc, VCCP_PWR);
}
double mic_energy_total_vddg(MS_LIST* list) {
  return ResultOf(list, &MS_MEASUREMENT_MIC::mic_energy_acc, VDDG_PWR);
}
double mic_energy_total_vddq(MS_LIST* list) {
  return ResultOf(list, &MS_MEASUREMENT_MIC::mic_energy_acc, VDDQ_PWR);
}
double mic_energy_total_power_usage(MS_LIST* list) {
  return ResultOf(list, &MS_MEASUREMENT_MIC::mic_energy_acc, MIC_PWR);
}
double mic_power_avg_pcie(MS_LIST* list) {
  return ResultOf(list, &MS_MEASUREMENT_MIC::mic_power_avg, PCIE_PWR);
}
double mic_power_avg_c2x3(MS_LIST* list) {
  return ResultOf(list, &MS_MEASUREMENT_MIC::mic_power_avg, C2X3_PWR);
}
double mic_power_avg_c2x4(MS_LIST* list) {
  return ResultOf(list, &MS_MEASUREMENT_MIC::mic_power_avg, C2X4_PWR);
}
double mic_power_avg_vccp(MS_LIST* list) {
  return ResultOf(list, &MS_MEASUREMENT_MIC::mic_power_avg, VCCP_PWR);
}
double mic_power_avg_vddg(MS_LIST* list) {
  return ResultOf(list, &MS_MEASUREMENT_MIC::mic_power_avg, VDDG_PWR);
}
double mic_power_avg_vddq(MS_LIST* list) {
  return ResultOf(list, &MS_MEASUREMENT_MIC::mic_power_avg, VDDQ_PWR);
}
double mic_power_avg_power_usage(MS_LIST* list) {
  return ResultOf(list, &MS_MEASUREMENT_MIC::mic_power_avg, MIC_PWR);
}
uint32_t mic_temp_max_die(MS_LIST* list) {
  return ResultOf(list, &MS_MEASUREMENT_MIC::mic_temperature_max, DIE_TEMP);
}
uint32_t mic_temp_max_gddr(MS_LIST* list) {
  return ResultOf(list, &MS_MEASUREMENT_MIC::mic_temperature_max, GDDR_TEMP);
}
uint32_t mic_temp_max_fan_in(MS_LIST* list) {
  return ResultOf(list, &MS_MEASUREMENT_MIC::mic_temperature_max, FAN_IN_TEMP);
}
uint32_t mic_temp_max_fan_out(MS_LIST* list) {
  return ResultOf(list, &MS_MEASUREMENT_MIC::mic_temperature_max, FAN_OUT_TEMP);
}
uint32_t mic_temp_max_vccp(MS_LIST* list) {
  return ResultOf(list, &MS_MEASUREMENT_MIC::mic_temperature_max, VCCP_TEMP);
}
uint32_t mic_temp_max_vddg(MS_LIST* list) {
  return ResultOf(list, &MS_MEASUREMENT_MIC::mic_temperature_max, VDDG_TEMP);
}
uint32_t mic_temp_max_vddq(MS_LIST* list) {
  return ResultOf(list, &MS_MEASUREMENT_MIC::mic_temperature_max, VDDQ_TEMP);
}
double mic_freq_avg_mem(MS_LIST* list) {
  return ResultOf(list, &MS_MEASUREMENT_MIC::mic_freq_mem_avg);
}
double mic_freq_avg_core(MS_LIST* list) {
  return ResultOf(list, &MS_MEASUREMENT_MIC::mic_freq_core_avg);
}
double mic_active_avg_all(MS_LIST* list) {
  return ResultOf(list, &MS_MEASUREMENT_MIC::mic_util_active_avg);
}
double mic_idle_avg_all(MS_LIST* list) {
  return ResultOf(list, &MS_MEASUREMENT_MIC::mic_util_idle_avg);
}
double mic_util_avg_all(MS_LIST* list) { return ResultOf(list, &MS_MEASUREMENT_MIC::mic_util_avg); }
uint32_t mic_memory_total(MS_LIST* list) {
  return ResultOf(list, &MS_MEASUREMENT_MIC::mic_memory_total);
}
uint32_t mic_memory_used_max(MS_LIST* list) {
  return ResultOf(list, &MS_MEASUREMENT_MIC::mic_memory_used_max);
}
uint32_t mic_memory_free_max(MS_LIST* list) {
  return ResultOf(list, &MS_MEASUREMENT_MIC::mic_memory_free_max);
}
