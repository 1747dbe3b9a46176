#ifndef MS_COMMON_APAPI_H
#define MS_COMMON_APAPI_H

/* The interface of libmeasure 0.8.0 as libms_common_apapi.so implements it: measurements of CPU,
 * GPU, FPGA, accelerator card and server through libapapi. Programs that were built with
 * libmeasure's own headers run with it unchanged; names, values and layouts are libmeasure's
 * (docs/hettime.md).
 * Order of calls for a measurement: ms_init, ms_alloc_measurement, ms_set_timer,
 * ms_init_measurement, ms_start_measurement, ..., ms_stop_measurement, ms_join_measurement,
 * ms_fini_measurement, then the result functions, ms_free_measurement, ms_fini.
 * Units: energy mWs, power mW, temperature degrees Celsius, frequency MHz, memory kiB, time s,
 * utilization percent. Server and board: energy Ws and power W.
 * Errors: no function ends the program. Errors are reported on stderr; the fields concerned stay 0.
 * Threads: one thread makes all calls. The fields *_cur may be read by any thread during a
 * measurement.
 * Signals: no function is safe in a signal handler. */

/* In a strict ISO C99 program, time.h has no struct timespec; glibc's sched.h has it always. */
#include <sched.h>
#include <stdint.h>
#include <time.h>

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

/* The version of libmeasure whose interface this is; for MS_VERSION. */
#define MS_MAJOR_VERSION 0
#define MS_MINOR_VERSION 8
#define MS_REVISION_VERSION 0

/* Kinds of resources; bits of the argument `flags`. */
#define CPU 0x01
#define GPU 0x02
#define FPGA 0x04
#define SYSTEM 0x08
#define MIC 0x10
#define ALL (CPU | GPU | FPGA | SYSTEM | MIC)

/* The largest machine that the structures can describe. Further CPUs and cores are not shown; atime
 * shows them. */
#define CPUS 2
#define CORES 4
/* Sizes of texts and lists that no component fills; they keep libmeasure's layout. */
#define MAX_PROCESS_COUNT 128
#define NVML_BUFFER_SIZE 128
#define MAXELER_BUFFER_SIZE 128

/* Arguments of ms_init, which are accepted and ignored here. */
enum cpu_governor {
  CPU_GOVERNOR_POWERSAVE,
  CPU_GOVERNOR_ONDEMAND,
  CPU_GOVERNOR_CONSERVATIVE,
  CPU_GOVERNOR_PERFORMANCE
};
enum gpu_frequency { GPU_FREQUENCY_MIN, GPU_FREQUENCY_CUR, GPU_FREQUENCY_MAX };
enum ipmi_timeout_setting { IPMI_SET_TIMEOUT, IPMI_SET_TIMEOUT_AND_LOCK };
enum skip_ms_rate { SKIP_PERIODIC, SKIP_NEVER };
enum lib_variant { VARIANT_LIGHT, VARIANT_FULL };

/* Indices of the arrays below. The last name of each is the number of elements.
 * msr_power: the package, its cores (PP0), its memory.
 * maxeler_power: the rails of the card, then the whole card. maxeler_temperature: main FPGA,
 * interface FPGA. mic_power: the card's supplies, then the whole card. */
enum msr_power { PKG, PP0, DRAM, MSR_NUM_POWER };
enum { CPUSTATS = 10 };
enum { RAM_TOTAL, RAM_FREE, RAM_USED, SWAP_TOTAL, SWAP_FREE, SWAP_USED, MEMINFO_SIZE };
enum maxeler_power { VCC10, VCC15, VCC25, IMGT10, IMGT12, MGT10, MGT12, POWER, MAX_NUM_POWER };
enum maxeler_temperature { MTEMP, ITEMP, MAX_NUM_TEMPERATURE };
enum mic_power {
  PCIE_PWR,
  C2X3_PWR,
  C2X4_PWR,
  VCCP_PWR,
  VDDG_PWR,
  VDDQ_PWR,
  MIC_PWR,
  MIC_NUM_POWER
};
enum mic_temperature {
  DIE_TEMP,
  GDDR_TEMP,
  FAN_IN_TEMP,
  FAN_OUT_TEMP,
  VCCP_TEMP,
  VDDG_TEMP,
  VDDQ_TEMP,
  MIC_NUM_TEMPERATURE
};
enum mic_util { IDLE_UTIL, SYS_UTIL, NICE_UTIL, USER_UTIL, MIC_NUM_UTIL };

/* The version of libmeasure that a program was built for; ms_init ignores it. */
typedef struct ms_version {
  uint32_t major;
  uint32_t minor;
  uint32_t revision;
} MS_VERSION;

/* Which resources are measured: 1, else 0. */
typedef struct ms_config {
  int32_t cpu_enabled;
  int32_t gpu_enabled;
  int32_t fpga_enabled;
  int32_t mic_enabled;
  int32_t sys_enabled;
} MS_CONFIG;

/* What ms_init returns; ms_fini frees it. `mgmt` is private, `config` must not be written. */
typedef struct ms_system {
  void* mgmt;
  MS_CONFIG* config;
} MS_SYSTEM;

/* One structure of results for each resource; the order is that of ms_alloc_measurement. */
typedef struct ms_list {
  int32_t resource_id;
  void* ms_measurement; /* the structure of that resource (below); malloc's */
  struct ms_list* next;
} MS_LIST;

/* In each structure: *_time_wait is the interval of ms_set_timer divided by
 * *_check_for_exit_interrupts (samples are taken at the undivided interval). *_runtime and all
 * fields other than *_cur are valid after ms_join_measurement. `internal` is private. Fields that
 * no component delivers stay 0. */
typedef struct ms_measurement_cpu {
  uint64_t internal[82];
  struct timespec msr_time_wait;
  uint32_t msr_check_for_exit_interrupts;
  double msr_time_runtime; /* s from the first sample to the last */
  /* [package][domain]: energy in mWs, power in mW. _acc: the whole measurement. */
  double msr_energy_cur[CPUS][MSR_NUM_POWER];
  double msr_power_cur[CPUS][MSR_NUM_POWER];
  double msr_power_avg[CPUS][MSR_NUM_POWER];
  double msr_energy_acc[CPUS][MSR_NUM_POWER];
  /* Degrees Celsius. */
  uint32_t msr_temperature_pkg_cur[CPUS];
  uint32_t msr_temperature_pkg_max[CPUS];
  uint32_t msr_temperature_core_cur[CPUS][CORES];
  uint32_t msr_temperature_core_max[CPUS][CORES];
  /* MHz. _eff: while the core was not halted. */
  double msr_freq_core_cur[CPUS][CORES];
  double msr_freq_core_acc[CPUS][CORES];
  double msr_freq_core_avg[CPUS][CORES];
  double msr_freq_core_eff_cur[CPUS][CORES];
  double msr_freq_core_eff_acc[CPUS][CORES];
  double msr_freq_core_eff_avg[CPUS][CORES];
  /* Times of work and of idleness in s, utilization in percent; averages over all CPUs. */
  uint64_t measure_util_cur[CPUSTATS];
  uint64_t measure_util_acc[CPUSTATS];
  uint64_t measure_util_active_total;
  uint64_t measure_util_idle_total;
  double measure_util_active_cur;
  double measure_util_idle_cur;
  double measure_util_avg_cur;
  double measure_util_active_avg;
  double measure_util_idle_avg;
  double measure_util_avg;
  /* kiB. */
  uint64_t measure_memory_cur[MEMINFO_SIZE];
  uint32_t measure_memory_free_max;
  uint32_t measure_memory_used_max;
  uint32_t measure_swap_free_max;
  uint32_t measure_swap_used_max;
} MS_MEASUREMENT_CPU;

/* One GPU: power in mW, energy in mWs, clocks in MHz, memory in kiB. */
typedef struct ms_measurement_gpu {
  uint64_t internal[8];
  struct timespec nvml_time_wait;
  uint32_t nvml_check_for_exit_interrupts;
  double nvml_time_runtime;
  uint32_t nvml_power_cur;
  double nvml_power_avg;
  double nvml_energy_acc;
  uint32_t nvml_temperature_cur;
  uint32_t nvml_temperature_max;
  uint32_t nvml_clock_graphics_cur;
  uint32_t nvml_clock_sm_cur;
  uint32_t nvml_clock_mem_cur;
  double nvml_clock_graphics_avg;
  double nvml_clock_sm_avg;
  double nvml_clock_mem_avg;
  double nvml_clock_graphics_acc;
  double nvml_clock_sm_acc;
  double nvml_clock_mem_acc;
  uint32_t nvml_util_gpu_cur;
  uint32_t nvml_util_mem_cur;
  double nvml_util_gpu_avg;
  double nvml_util_mem_avg;
  double nvml_util_gpu_acc;
  double nvml_util_mem_acc;
  uint32_t nvml_memory_free_cur;
  uint32_t nvml_memory_used_cur;
  uint32_t nvml_memory_free_max;
  uint32_t nvml_memory_used_max;
  uint32_t nvml_memory_total;
  uint32_t nvml_active_processes_count_cur;
  uint32_t nvml_active_processes_count_max;
  uint32_t nvml_active_processes_pid[MAX_PROCESS_COUNT];
  char nvml_active_processes_name[MAX_PROCESS_COUNT][NVML_BUFFER_SIZE];
} MS_MEASUREMENT_GPU;

/* One FPGA card: power in mW and energy in mWs by rail, degrees Celsius, utilization in percent. */
typedef struct ms_measurement_fpga {
  uint64_t internal[7];
  struct timespec maxeler_time_wait;
  uint32_t maxeler_check_for_exit_interrupts;
  double maxeler_time_runtime;
  double maxeler_power_cur[MAX_NUM_POWER];
  double maxeler_power_avg[MAX_NUM_POWER];
  double maxeler_energy_acc[MAX_NUM_POWER];
  double maxeler_temperature_cur[MAX_NUM_TEMPERATURE];
  double maxeler_temperature_max[MAX_NUM_TEMPERATURE];
  double maxeler_util_comp_cur;
  double maxeler_util_comp_acc;
  double maxeler_util_comp_avg;
  uint32_t maxeler_active_process_pid;
  char maxeler_active_process_name[MAXELER_BUFFER_SIZE];
  char maxeler_active_process_user[MAXELER_BUFFER_SIZE];
} MS_MEASUREMENT_FPGA;

/* One accelerator card: frequencies in MHz, power in mW, energy in mWs, memory in kiB; times of
 * work and of idleness in s. */
typedef struct ms_measurement_mic {
  uint64_t internal[15];
  struct timespec mic_time_wait;
  uint32_t mic_check_for_exit_interrupts;
  double mic_time_runtime;
  uint32_t mic_freq_core_cur;
  double mic_freq_core_acc;
  double mic_freq_core_avg;
  uint32_t mic_freq_mem_cur;
  double mic_freq_mem_acc;
  double mic_freq_mem_avg;
  uint32_t mic_power_cur[MIC_NUM_POWER];
  double mic_power_avg[MIC_NUM_POWER];
  double mic_energy_acc[MIC_NUM_POWER];
  uint32_t mic_temperature_cur[MIC_NUM_TEMPERATURE];
  uint32_t mic_temperature_max[MIC_NUM_TEMPERATURE];
  uint64_t mic_util_cur[MIC_NUM_UTIL];
  uint64_t mic_util_acc[MIC_NUM_UTIL];
  uint64_t mic_util_active_total;
  uint64_t mic_util_idle_total;
  double mic_util_active_cur;
  double mic_util_idle_cur;
  double mic_util_avg_cur;
  double mic_util_active_avg;
  double mic_util_idle_avg;
  double mic_util_avg;
  uint32_t mic_memory_free_cur;
  uint32_t mic_memory_used_cur;
  uint32_t mic_memory_free_max;
  uint32_t mic_memory_used_max;
  uint32_t mic_memory_total;
} MS_MEASUREMENT_MIC;

/* The server and its board: power in W, energy in Ws, degrees Celsius. */
typedef struct ms_measurement_sys {
  uint64_t internal[7];
  struct timespec ipmi_time_wait;
  uint32_t ipmi_check_for_exit_interrupts;
  double ipmi_time_runtime;
  double ipmi_temperature_sysboard_cur;
  double ipmi_temperature_sysboard_max;
  double ipmi_power_sysboard_cur;
  double ipmi_power_sysboard_avg;
  double ipmi_energy_sysboard_acc;
  double ipmi_temperature_cur[CPUS];
  double ipmi_temperature_max[CPUS];
  uint32_t ipmi_power_server_cur;
  double ipmi_power_server_avg;
  uint32_t ipmi_energy_server_acc;
  uint32_t ipmi_energy_server_acc_since_reset;
  double ipmi_power_server_avg_since_reset;
} MS_MEASUREMENT_SYS;

/* Starts libapapi and chooses the components. NULL, with a line on stderr: a component that
 * APAPI_CMPLIST names cannot be measured, or libapapi does not start. Components of the default
 * list that this machine lacks show zeros. All arguments are accepted and ignored: frequencies and
 * time-outs of the machine are not changed. */
MS_SYSTEM* ms_init(MS_VERSION* version, enum cpu_governor governor, uint64_t frequency_min,
                   uint64_t frequency_max, enum gpu_frequency gpu,
                   enum ipmi_timeout_setting timeout_setting, enum skip_ms_rate skip_rate,
                   enum lib_variant variant);
/* Not available here: prints a line on stdout and does nothing. */
void ms_init_fpga_force_idle(MS_SYSTEM* system);
/* Ends all measurements and frees the system. NULL: does nothing. Lists stay valid. */
void ms_fini(MS_SYSTEM* system);

/* Allocates a list with a zeroed structure for each measured resource, in the order CPU, GPU, FPGA,
 * SYSTEM, MIC. The caller frees it with ms_free_measurement. */
MS_LIST* ms_alloc_measurement(MS_SYSTEM* system);
void ms_free_measurement(MS_LIST* list);
/* Sets the interval of the resources in `flag`, before ms_init_measurement. Default: 100 ms.
 * `check_for_exit_interrupts` divides *_time_wait; values below 1 count as 1. */
void ms_set_timer(MS_LIST* list, int flag, uint64_t seconds, uint64_t nanoseconds,
                  uint32_t check_for_exit_interrupts);

/* Makes the timers of the resources in `flags` that `list` contains, and starts their counters. The
 * list must stay valid until ms_join_measurement. */
void ms_init_measurement(MS_SYSTEM* system, MS_LIST* list, int flags);
/* Starts the timers and waits for the first sample of each, at most one interval. */
void ms_start_measurement(MS_SYSTEM* system);
/* Requests the last samples; does not wait. */
void ms_stop_measurement(MS_SYSTEM* system);
/* Waits for the last samples (a device that hangs is left behind) and completes the results. */
void ms_join_measurement(MS_SYSTEM* system);
/* Does nothing: ms_fini frees all. */
void ms_fini_measurement(MS_SYSTEM* system);
/* Not available here: print a line on stdout and do nothing. */
void ms_reg_sighandler_start(MS_SYSTEM* system, void (*handler)(int));
void ms_reg_sighandler_stop(MS_SYSTEM* system, void (*handler)(int));

/* Appends a node with a zeroed structure for a resource, both allocated by calloc. Without memory
 * the node or its structure is missing. */
void appendList(MS_LIST** list, int resource);
/* The structure of a resource in the list; NULL: the list has none. */
void* getMeasurement(MS_LIST** list, int resource);
/* Frees all nodes and their structures, and sets *list to NULL. */
void deleteList(MS_LIST** list);

/* Results, valid after ms_join_measurement. 0: the resource, CPU or core does not exist. `cpu`: 0
 * to CPUS - 1; `core`: 0 to CORES - 1. Units are those given at the top. The CPU: time from the
 * first to the last sample; energy and average power of package (pkg), cores (pp0) and memory
 * (dram). */
double cpu_time_total(MS_LIST* list);
double cpu_energy_total_pkg(MS_LIST* list, int cpu);
double cpu_energy_total_pp0(MS_LIST* list, int cpu);
double cpu_energy_total_dram(MS_LIST* list, int cpu);
double cpu_power_avg_pkg(MS_LIST* list, int cpu);
double cpu_power_avg_pp0(MS_LIST* list, int cpu);
double cpu_power_avg_dram(MS_LIST* list, int cpu);
/* The highest temperature of all samples. */
uint32_t cpu_temp_max_pkg(MS_LIST* list, int cpu);
uint32_t cpu_temp_max_core(MS_LIST* list, int cpu, int core);
/* Frequency over all time, and over the time in which the core was not halted (eff). */
double cpu_freq_avg_core(MS_LIST* list, int cpu, int core);
double cpu_freq_eff_core(MS_LIST* list, int cpu, int core);
/* Seconds of work and of idleness, averages over all CPUs, and their ratio in percent. */
double cpu_active_avg_all(MS_LIST* list);
double cpu_idle_avg_all(MS_LIST* list);
double cpu_util_avg_all(MS_LIST* list);
/* Main memory and swap of the machine. */
uint32_t cpu_memory_total(MS_LIST* list);
uint32_t cpu_memory_used_max(MS_LIST* list);
uint32_t cpu_memory_free_max(MS_LIST* list);
uint32_t cpu_swap_total(MS_LIST* list);
uint32_t cpu_swap_used_max(MS_LIST* list);
uint32_t cpu_swap_free_max(MS_LIST* list);

/* The GPU. */
double gpu_time_total(MS_LIST* list);
double gpu_energy_total(MS_LIST* list);
double gpu_power_avg(MS_LIST* list);
uint32_t gpu_temp_max(MS_LIST* list);
double gpu_freq_avg_graph(MS_LIST* list);
double gpu_freq_avg_sm(MS_LIST* list);
double gpu_freq_avg_mem(MS_LIST* list);
double gpu_util_avg_gpu(MS_LIST* list);
double gpu_util_avg_mem(MS_LIST* list);
uint32_t gpu_memory_total(MS_LIST* list);
uint32_t gpu_memory_used_max(MS_LIST* list);
uint32_t gpu_memory_free_max(MS_LIST* list);
uint32_t gpu_active_processes_max(MS_LIST* list);

/* The FPGA card, by rail; power_usage: the whole card. */
double fpga_time_total(MS_LIST* list);
double fpga_energy_total_vcc1v0_core(MS_LIST* list);
double fpga_energy_total_vcc1v5_ddr(MS_LIST* list);
double fpga_energy_total_vcc2v5_aux(MS_LIST* list);
double fpga_energy_total_imgt_1v0(MS_LIST* list);
double fpga_energy_total_imgt_1v2(MS_LIST* list);
double fpga_energy_total_mgt_1v0(MS_LIST* list);
double fpga_energy_total_mgt_1v2(MS_LIST* list);
double fpga_energy_total_power_usage(MS_LIST* list);
double fpga_power_avg_vcc1v0_core(MS_LIST* list);
double fpga_power_avg_vcc1v5_ddr(MS_LIST* list);
double fpga_power_avg_vcc2v5_aux(MS_LIST* list);
double fpga_power_avg_imgt_1v0(MS_LIST* list);
double fpga_power_avg_imgt_1v2(MS_LIST* list);
double fpga_power_avg_mgt_1v0(MS_LIST* list);
double fpga_power_avg_mgt_1v2(MS_LIST* list);
double fpga_power_avg_power_usage(MS_LIST* list);
double fpga_temp_max_ifpga(MS_LIST* list);
double fpga_temp_max_mfpga(MS_LIST* list);
double fpga_util_avg_comp(MS_LIST* list);

/* The accelerator card, by supply; power_usage: the whole card. */
double mic_time_total(MS_LIST* list);
double mic_energy_total_pcie(MS_LIST* list);
double mic_energy_total_c2x3(MS_LIST* list);
double mic_energy_total_c2x4(MS_LIST* list);
double mic_energy_total_vccp(MS_LIST* list);
double mic_energy_total_vddg(MS_LIST* list);
double mic_energy_total_vddq(MS_LIST* list);
double mic_energy_total_power_usage(MS_LIST* list);
double mic_power_avg_pcie(MS_LIST* list);
double mic_power_avg_c2x3(MS_LIST* list);
double mic_power_avg_c2x4(MS_LIST* list);
double mic_power_avg_vccp(MS_LIST* list);
double mic_power_avg_vddg(MS_LIST* list);
double mic_power_avg_vddq(MS_LIST* list);
double mic_power_avg_power_usage(MS_LIST* list);
uint32_t mic_temp_max_die(MS_LIST* list);
uint32_t mic_temp_max_gddr(MS_LIST* list);
uint32_t mic_temp_max_fan_in(MS_LIST* list);
uint32_t mic_temp_max_fan_out(MS_LIST* list);
uint32_t mic_temp_max_vccp(MS_LIST* list);
uint32_t mic_temp_max_vddg(MS_LIST* list);
uint32_t mic_temp_max_vddq(MS_LIST* list);
double mic_freq_avg_mem(MS_LIST* list);
double mic_freq_avg_core(MS_LIST* list);
double mic_active_avg_all(MS_LIST* list);
double mic_idle_avg_all(MS_LIST* list);
double mic_util_avg_all(MS_LIST* list);
uint32_t mic_memory_total(MS_LIST* list);
uint32_t mic_memory_used_max(MS_LIST* list);
uint32_t mic_memory_free_max(MS_LIST* list);

/* The server: energy in Ws, power in W. */
double system_time_total(MS_LIST* list);
double system_energy_board(MS_LIST* list);
double system_power_board_avg(MS_LIST* list);
double system_temp_max(MS_LIST* list);
double system_energy_total(MS_LIST* list);
double system_power_avg(MS_LIST* list);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif

#endif
