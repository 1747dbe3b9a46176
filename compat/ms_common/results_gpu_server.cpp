#include "compat/ms_common/include/ms_common_apapi.h"
#include "compat/ms_common/result_field.h"

/// File: the results of a GPU and of a server. Each function returns one field. GPU: energy in mWs,
/// power in mW, frequencies in MHz, utilization in percent, memory in kiB.

using csink::ms::ResultOf;

// Times are in s, from the first sample to the last one.
double gpu_time_total(MS_LIST* list) {
  return ResultOf(list, &MS_MEASUREMENT_GPU::nvml_time_runtime);
}
double gpu_energy_total(MS_LIST* list) {
  return ResultOf(list, &MS_MEASUREMENT_GPU::nvml_energy_acc);
}
double gpu_power_avg(MS_LIST* list) { return ResultOf(list, &MS_MEASUREMENT_GPU::nvml_power_avg); }
uint32_t gpu_temp_max(MS_LIST* list) {
  return ResultOf(list, &MS_MEASUREMENT_GPU::nvml_temperature_max);
}
double gpu_freq_avg_graph(MS_LIST* list) {
  return ResultOf(list, &MS_MEASUREMENT_GPU::nvml_clock_graphics_avg);
}
double gpu_freq_avg_sm(MS_LIST* list) {
  return ResultOf(list, &MS_MEASUREMENT_GPU::nvml_clock_sm_avg);
}
double gpu_freq_avg_mem(MS_LIST* list) {
  return ResultOf(list, &MS_MEASUREMENT_GPU::nvml_clock_mem_avg);
}
double gpu_util_avg_gpu(MS_LIST* list) {
  return ResultOf(list, &MS_MEASUREMENT_GPU::nvml_util_gpu_avg);
}
double gpu_util_avg_mem(MS_LIST* list) {
  return ResultOf(list, &MS_MEASUREMENT_GPU::nvml_util_mem_avg);
}
uint32_t gpu_memory_total(MS_LIST* list) {
  return ResultOf(list, &MS_MEASUREMENT_GPU::nvml_memory_total);
}
uint32_t gpu_memory_used_max(MS_LIST* list) {
  return ResultOf(list, &MS_MEASUREMENT_GPU::nvml_memory_used_max);
}
uint32_t gpu_memory_free_max(MS_LIST* list) {
  return ResultOf(list, &MS_MEASUREMENT_GPU::nvml_memory_free_max);
}
uint32_t gpu_active_processes_max(MS_LIST* list) {
  return ResultOf(list, &MS_MEASUREMENT_GPU::nvml_active_processes_count_max);
}

// The server: energy in Ws and power in W. The whole server's energy is a whole number.
double system_time_total(MS_LIST* list) {
  return ResultOf(list, &MS_MEASUREMENT_SYS::ipmi_time_runtime);
}
double system_energy_board(MS_LIST* list) {
  return ResultOf(list, &MS_MEASUREMENT_SYS::ipmi_energy_sysboard_acc);
}
double system_power_board_avg(MS_LIST* list) {
  return ResultOf(list, &MS_MEASUREMENT_SYS::ipmi_power_sysboard_avg);
}
double system_temp_max(MS_LIST* list) {
  return ResultOf(list, &MS_MEASUREMENT_SYS::ipmi_temperature_sysboard_max);
}
double system_energy_total(MS_LIST* list) {
  return ResultOf(list, &MS_MEASUREMENT_SYS::ipmi_energy_server_acc);
}
double system_power_avg(MS_LIST* list) {
  return ResultOf(list, &MS_MEASUREMENT_SYS::ipmi_power_server_avg);
}
