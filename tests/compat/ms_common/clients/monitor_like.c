/* Reads libmeasure's structures while a measurement runs, as a monitor with curves does: measures for a
 * number of seconds and prints what the fields *_cur hold ten times a second, then the results.
 *   monitor_like SECONDS RATE_MS[,N] */
#include <ms_common_apapi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_now(MS_LIST* m) {
  const MS_MEASUREMENT_CPU* cpu = getMeasurement(&m, CPU);
  const MS_MEASUREMENT_GPU* gpu = getMeasurement(&m, GPU);
  const MS_MEASUREMENT_FPGA* fpga = getMeasurement(&m, FPGA);
  const MS_MEASUREMENT_MIC* mic = getMeasurement(&m, MIC);
  const MS_MEASUREMENT_SYS* server = getMeasurement(&m, SYSTEM);
  if (cpu) {
    printf("cpu power %lf temperature %u util %lf memory %llu\n", cpu->msr_power_cur[0][PKG],
           cpu->msr_temperature_pkg_cur[0], cpu->measure_util_avg_cur,
           (unsigned long long)cpu->measure_memory_cur[RAM_USED]);
  }
  if (gpu) {
    printf("gpu power %u temperature %u clock %u memory %u\n", gpu->nvml_power_cur,
           gpu->nvml_temperature_cur, gpu->nvml_clock_sm_cur, gpu->nvml_memory_used_cur);
  }
  if (fpga) {
    printf("fpga power %lf temperature %lf\n", fpga->maxeler_power_cur[POWER],
           fpga->maxeler_temperature_cur[ITEMP]);
  }
  if (mic) printf("mic power %u temperature %u\n", mic->mic_power_cur[MIC_PWR], mic->mic_temperature_cur[DIE_TEMP]);
  if (server) printf("server power %u\n", server->ipmi_power_server_cur);
}

static void set_timers(MS_LIST* m, const char* text) {
  static const int kResources[] = {CPU, GPU, FPGA, SYSTEM, MIC};
  const unsigned long ms = strtoul(text, NULL, 10);
  const unsigned checks = strchr(text, ',') ? (unsigned)strtoul(strchr(text, ',') + 1, NULL, 10) : 1;
  for (int i = 0; i < 5; ++i) ms_set_timer(m, kResources[i], ms / 1000, ms % 1000 * 1000000, checks);
}

int main(int argc, char** argv) {
  MS_VERSION version = {0, 8, 0};
  if (argc < 3) return 2;
  MS_SYSTEM* ms = ms_init(&version, CPU_GOVERNOR_ONDEMAND, 0, 0, GPU_FREQUENCY_CUR, IPMI_SET_TIMEOUT,
                          SKIP_PERIODIC, VARIANT_LIGHT);
  if (!ms) return 1;
  MS_LIST* m = ms_alloc_measurement(ms);
  printf("enabled %d %d %d %d %d\n", ms->config->cpu_enabled, ms->config->gpu_enabled,
         ms->config->fpga_enabled, ms->config->mic_enabled, ms->config->sys_enabled);
  set_timers(m, argv[2]);
  ms_init_measurement(ms, m, ALL);
  ms_start_measurement(ms);
  const struct timespec tenth = {0, 100000000};
  for (int i = 0; i < 10 * atoi(argv[1]); ++i) {
    nanosleep(&tenth, NULL);
    print_now(m);
  }
  ms_stop_measurement(ms);
  ms_join_measurement(ms);
  ms_fini_measurement(ms);
  const MS_MEASUREMENT_CPU* cpu = getMeasurement(&m, CPU);
  if (cpu) {
    printf("result cpu time %lf energy %lf wait %ld checks %u\n", cpu->msr_time_runtime,
           cpu->msr_energy_acc[0][PKG], cpu->msr_time_wait.tv_nsec, cpu->msr_check_for_exit_interrupts);
  }
  ms_free_measurement(m);
  ms_fini(ms);
  return 0;
}
