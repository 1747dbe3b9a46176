#include <cstddef>

#include "compat/ms_common/include/ms_common_apapi.h"

/// File: checks every offset and size of libmeasure's structures on x86-64 and aarch64, because
/// programs that were built with libmeasure's headers access them directly. Source of the numbers:
/// offsetof over libmeasure 0.8.0's headers.

#define AT(structure, field, offset, bytes) \
  static_assert(offsetof(structure, field) == (offset) && sizeof(structure::field) == (bytes))

// `internal` of each structure keeps the room of libmeasure's private part.
static_assert(sizeof(MS_MEASUREMENT_CPU) == 1632);
AT(MS_MEASUREMENT_CPU, internal, 0, 656);
AT(MS_MEASUREMENT_CPU, msr_time_wait, 656, 16);
AT(MS_MEASUREMENT_CPU, msr_check_for_exit_interrupts, 672, 4);
AT(MS_MEASUREMENT_CPU, msr_time_runtime, 680, 8);
AT(MS_MEASUREMENT_CPU, msr_energy_cur, 688, 48);
AT(MS_MEASUREMENT_CPU, msr_power_cur, 736, 48);
AT(MS_MEASUREMENT_CPU, msr_power_avg, 784, 48);
AT(MS_MEASUREMENT_CPU, msr_energy_acc, 832, 48);
AT(MS_MEASUREMENT_CPU, msr_temperature_pkg_cur, 880, 8);
AT(MS_MEASUREMENT_CPU, msr_temperature_pkg_max, 888, 8);
AT(MS_MEASUREMENT_CPU, msr_temperature_core_cur, 896, 32);
AT(MS_MEASUREMENT_CPU, msr_temperature_core_max, 928, 32);
AT(MS_MEASUREMENT_CPU, msr_freq_core_cur, 960, 64);
AT(MS_MEASUREMENT_CPU, msr_freq_core_acc, 1024, 64);
AT(MS_MEASUREMENT_CPU, msr_freq_core_avg, 1088, 64);
AT(MS_MEASUREMENT_CPU, msr_freq_core_eff_cur, 1152, 64);
AT(MS_MEASUREMENT_CPU, msr_freq_core_eff_acc, 1216, 64);
AT(MS_MEASUREMENT_CPU, msr_freq_core_eff_avg, 1280, 64);
AT(MS_MEASUREMENT_CPU, measure_util_cur, 1344, 80);
AT(MS_MEASUREMENT_CPU, measure_util_acc, 1424, 80);
AT(MS_MEASUREMENT_CPU, measure_util_active_total, 1504, 8);
AT(MS_MEASUREMENT_CPU, measure_util_idle_total, 1512, 8);
AT(MS_MEASUREMENT_CPU, measure_util_active_cur, 1520, 8);
AT(MS_MEASUREMENT_CPU, measure_util_idle_cur, 1528, 8);
AT(MS_MEASUREMENT_CPU, measure_util_avg_cur, 1536, 8);
AT(MS_MEASUREMENT_CPU, measure_util_active_avg, 1544, 8);
AT(MS_MEASUREMENT_CPU, measure_util_idle_avg, 1552, 8);
AT(MS_MEASUREMENT_CPU, measure_util_avg, 1560, 8);
AT(MS_MEASUREMENT_CPU, measure_memory_cur, 1568, 48);
AT(MS_MEASUREMENT_CPU, measure_memory_free_max, 1616, 4);
AT(MS_MEASUREMENT_CPU, measure_memory_used_max, 1620, 4);
AT(MS_MEASUREMENT_CPU, measure_swap_free_max, 1624, 4);
AT(MS_MEASUREMENT_CPU, measure_swap_used_max, 1628, 4);

static_assert(sizeof(MS_MEASUREMENT_GPU) == 17160);
AT(MS_MEASUREMENT_GPU, internal, 0, 64);
AT(MS_MEASUREMENT_GPU, nvml_time_wait, 64, 16);
AT(MS_MEASUREMENT_GPU, nvml_check_for_exit_interrupts, 80, 4);
AT(MS_MEASUREMENT_GPU, nvml_time_runtime, 88, 8);
AT(MS_MEASUREMENT_GPU, nvml_power_cur, 96, 4);
AT(MS_MEASUREMENT_GPU, nvml_power_avg, 104, 8);
AT(MS_MEASUREMENT_GPU, nvml_energy_acc, 112, 8);
AT(MS_MEASUREMENT_GPU, nvml_temperature_cur, 120, 4);
AT(MS_MEASUREMENT_GPU, nvml_temperature_max, 124, 4);
AT(MS_MEASUREMENT_GPU, nvml_clock_graphics_cur, 128, 4);
AT(MS_MEASUREMENT_GPU, nvml_clock_sm_cur, 132, 4);
AT(MS_MEASUREMENT_GPU, nvml_clock_mem_cur, 136, 4);
AT(MS_MEASUREMENT_GPU, nvml_clock_graphics_avg, 144, 8);
AT(MS_MEASUREMENT_GPU, nvml_clock_sm_avg, 152, 8);
AT(MS_MEASUREMENT_GPU, nvml_clock_mem_avg, 160, 8);
AT(MS_MEASUREMENT_GPU, nvml_clock_graphics_acc, 168, 8);
AT(MS_MEASUREMENT_GPU, nvml_clock_sm_acc, 176, 8);
AT(MS_MEASUREMENT_GPU, nvml_clock_mem_acc, 184, 8);
AT(MS_MEASUREMENT_GPU, nvml_util_gpu_cur, 192, 4);
AT(MS_MEASUREMENT_GPU, nvml_util_mem_cur, 196, 4);
AT(MS_MEASUREMENT_GPU, nvml_util_gpu_avg, 200, 8);
AT(MS_MEASUREMENT_GPU, nvml_util_mem_avg, 208, 8);
AT(MS_MEASUREMENT_GPU, nvml_util_gpu_acc, 216, 8);
AT(MS_MEASUREMENT_GPU, nvml_util_mem_acc, 224, 8);
AT(MS_MEASUREMENT_GPU, nvml_memory_free_cur, 232, 4);
AT(MS_MEASUREMENT_GPU, nvml_memory_used_cur, 236, 4);
AT(MS_MEASUREMENT_GPU, nvml_memory_free_max, 240, 4);
AT(MS_MEASUREMENT_GPU, nvml_memory_used_max, 244, 4);
AT(MS_MEASUREMENT_GPU, nvml_memory_total, 248, 4);
AT(MS_MEASUREMENT_GPU, nvml_active_processes_count_cur, 252, 4);
AT(MS_MEASUREMENT_GPU, nvml_active_processes_count_max, 256, 4);
AT(MS_MEASUREMENT_GPU, nvml_active_processes_pid, 260, 512);
AT(MS_MEASUREMENT_GPU, nvml_active_processes_name, 772, 16384);

static_assert(sizeof(MS_MEASUREMENT_FPGA) == 600);
AT(MS_MEASUREMENT_FPGA, internal, 0, 56);
AT(MS_MEASUREMENT_FPGA, maxeler_time_wait, 56, 16);
AT(MS_MEASUREMENT_FPGA, maxeler_check_for_exit_interrupts, 72, 4);
AT(MS_MEASUREMENT_FPGA, maxeler_time_runtime, 80, 8);
AT(MS_MEASUREMENT_FPGA, maxeler_power_cur, 88, 64);
AT(MS_MEASUREMENT_FPGA, maxeler_power_avg, 152, 64);
AT(MS_MEASUREMENT_FPGA, maxeler_energy_acc, 216, 64);
AT(MS_MEASUREMENT_FPGA, maxeler_temperature_cur, 280, 16);
AT(MS_MEASUREMENT_FPGA, maxeler_temperature_max, 296, 16);
AT(MS_MEASUREMENT_FPGA, maxeler_util_comp_cur, 312, 8);
AT(MS_MEASUREMENT_FPGA, maxeler_util_comp_acc, 320, 8);
AT(MS_MEASUREMENT_FPGA, maxeler_util_comp_avg, 328, 8);
AT(MS_MEASUREMENT_FPGA, maxeler_active_process_pid, 336, 4);
AT(MS_MEASUREMENT_FPGA, maxeler_active_process_name, 340, 128);
AT(MS_MEASUREMENT_FPGA, maxeler_active_process_user, 468, 128);

static_assert(sizeof(MS_MEASUREMENT_MIC) == 552);
AT(MS_MEASUREMENT_MIC, internal, 0, 120);
AT(MS_MEASUREMENT_MIC, mic_time_wait, 120, 16);
AT(MS_MEASUREMENT_MIC, mic_check_for_exit_interrupts, 136, 4);
AT(MS_MEASUREMENT_MIC, mic_time_runtime, 144, 8);
AT(MS_MEASUREMENT_MIC, mic_freq_core_cur, 152, 4);
AT(MS_MEASUREMENT_MIC, mic_freq_core_acc, 160, 8);
AT(MS_MEASUREMENT_MIC, mic_freq_core_avg, 168, 8);
AT(MS_MEASUREMENT_MIC, mic_freq_mem_cur, 176, 4);
AT(MS_MEASUREMENT_MIC, mic_freq_mem_acc, 184, 8);
AT(MS_MEASUREMENT_MIC, mic_freq_mem_avg, 192, 8);
AT(MS_MEASUREMENT_MIC, mic_power_cur, 200, 28);
AT(MS_MEASUREMENT_MIC, mic_power_avg, 232, 56);
AT(MS_MEASUREMENT_MIC, mic_energy_acc, 288, 56);
AT(MS_MEASUREMENT_MIC, mic_temperature_cur, 344, 28);
AT(MS_MEASUREMENT_MIC, mic_temperature_max, 372, 28);
AT(MS_MEASUREMENT_MIC, mic_util_cur, 400, 32);
AT(MS_MEASUREMENT_MIC, mic_util_acc, 432, 32);
AT(MS_MEASUREMENT_MIC, mic_util_active_total, 464, 8);
AT(MS_MEASUREMENT_MIC, mic_util_idle_total, 472, 8);
AT(MS_MEASUREMENT_MIC, mic_util_active_cur, 480, 8);
AT(MS_MEASUREMENT_MIC, mic_util_idle_cur, 488, 8);
AT(MS_MEASUREMENT_MIC, mic_util_avg_cur, 496, 8);
AT(MS_MEASUREMENT_MIC, mic_util_active_avg, 504, 8);
AT(MS_MEASUREMENT_MIC, mic_util_idle_avg, 512, 8);
AT(MS_MEASUREMENT_MIC, mic_util_avg, 520, 8);
AT(MS_MEASUREMENT_MIC, mic_memory_free_cur, 528, 4);
AT(MS_MEASUREMENT_MIC, mic_memory_used_cur, 532, 4);
AT(MS_MEASUREMENT_MIC, mic_memory_free_max, 536, 4);
AT(MS_MEASUREMENT_MIC, mic_memory_used_max, 540, 4);
AT(MS_MEASUREMENT_MIC, mic_memory_total, 544, 4);

static_assert(sizeof(MS_MEASUREMENT_SYS) == 192);
AT(MS_MEASUREMENT_SYS, internal, 0, 56);
AT(MS_MEASUREMENT_SYS, ipmi_time_wait, 56, 16);
AT(MS_MEASUREMENT_SYS, ipmi_check_for_exit_interrupts, 72, 4);
AT(MS_MEASUREMENT_SYS, ipmi_time_runtime, 80, 8);
AT(MS_MEASUREMENT_SYS, ipmi_temperature_sysboard_cur, 88, 8);
AT(MS_MEASUREMENT_SYS, ipmi_temperature_sysboard_max, 96, 8);
AT(MS_MEASUREMENT_SYS, ipmi_power_sysboard_cur, 104, 8);
AT(MS_MEASUREMENT_SYS, ipmi_power_sysboard_avg, 112, 8);
AT(MS_MEASUREMENT_SYS, ipmi_energy_sysboard_acc, 120, 8);
AT(MS_MEASUREMENT_SYS, ipmi_temperature_cur, 128, 16);
AT(MS_MEASUREMENT_SYS, ipmi_temperature_max, 144, 16);
AT(MS_MEASUREMENT_SYS, ipmi_power_server_cur, 160, 4);
AT(MS_MEASUREMENT_SYS, ipmi_power_server_avg, 168, 8);
AT(MS_MEASUREMENT_SYS, ipmi_energy_server_acc, 176, 4);
AT(MS_MEASUREMENT_SYS, ipmi_energy_server_acc_since_reset, 180, 4);
AT(MS_MEASUREMENT_SYS, ipmi_power_server_avg_since_reset, 184, 8);

// The structures of the management functions.
static_assert(sizeof(MS_CONFIG) == 20);
AT(MS_CONFIG, cpu_enabled, 0, 4);
AT(MS_CONFIG, gpu_enabled, 4, 4);
AT(MS_CONFIG, fpga_enabled, 8, 4);
AT(MS_CONFIG, mic_enabled, 12, 4);
AT(MS_CONFIG, sys_enabled, 16, 4);

static_assert(sizeof(MS_SYSTEM) == 16);
AT(MS_SYSTEM, mgmt, 0, 8);
static_assert(offsetof(MS_SYSTEM, config) == 8);

static_assert(sizeof(MS_LIST) == 24);
AT(MS_LIST, resource_id, 0, 4);
AT(MS_LIST, ms_measurement, 8, 8);
static_assert(offsetof(MS_LIST, next) == 16);

static_assert(sizeof(MS_VERSION) == 12);
