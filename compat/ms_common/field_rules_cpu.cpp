#include <string>

#include "compat/ms_common/field_rules.h"
#include "compat/ms_common/include/ms_common_apapi.h"

/// File: rules for the CPU: two packages with four cores each, which is what the structure has room
/// for. The component rapl has all of it, memory and utilization included; without energies the
/// component load has the rest (Bind).

namespace csink::ms {
namespace {

using Maker = RuleMaker<MS_MEASUREMENT_CPU>;

// Energy and power of one package. The rules name the packages as rapl's events do.
void AddPower(Maker& rule, const std::string& package, int p) {
  // In the order of enum msr_power.
  static constexpr const char* kDomains[MSR_NUM_POWER] = {"PACKAGE", "PP0", "DRAM"};
  const auto& like = rule.like;
  for (int domain = PKG; domain < MSR_NUM_POWER; ++domain) {
    const std::string event = std::string("rapl:::") + kDomains[domain] + "_ENERGY:" + package;
    rule.Final(event, Source::kAcc0, kThousandths, like.msr_energy_acc[p][domain]);
    rule.Final(event, Source::kAvg1, kThousandths, like.msr_power_avg[p][domain]);
    // libmeasure shows no current power of the cores (PP0).
    if (domain == PP0) continue;
    rule.Each(event, Source::kLast1, kThousandths, like.msr_power_cur[p][domain]);
  }
}

// The temperature of one package, in degrees Celsius.
void AddTemperatures(Maker& rule, const std::string& package, int p) {
  const std::string event = "rapl:::THERM_STATUS:" + package;
  rule.Final(event, Source::kMax0, 1, rule.like.msr_temperature_pkg_max[p]);
  rule.Each(event, Source::kLast0, 1, rule.like.msr_temperature_pkg_cur[p]);
}

// Temperature and frequencies of one core. AVG_FREQUENCY is that of the time stamp counter,
// EFF_FREQUENCY that of the core while it was not halted.
void AddCore(Maker& rule, const std::string& place, int p, int core) {
  const auto& like = rule.like;
  // The events are in kHz, the fields in MHz.
  const std::string average = "rapl:::AVG_FREQUENCY:" + place;
  const std::string effective = "rapl:::EFF_FREQUENCY:" + place;
  rule.Final("rapl:::THERM_STATUS:" + place, Source::kMax0, 1,
             like.msr_temperature_core_max[p][core]);
  rule.Final(average, Source::kAvg0, kThousands, like.msr_freq_core_avg[p][core]);
  rule.Final(effective, Source::kAvg0, kThousands, like.msr_freq_core_eff_avg[p][core]);
  rule.Each(effective, Source::kLast0, kThousands, like.msr_freq_core_eff_cur[p][core]);
}

// The use of all cores together.
void AddUtilization(Maker& rule) {
  const auto& like = rule.like;
  // These times count from the start of the measurement, so the largest value is the whole time.
  rule.Final("rapl:::TIME_WORK", Source::kMax0, 1, like.measure_util_active_avg);
  rule.Final("rapl:::TIME_IDLE", Source::kMax0, 1, like.measure_util_idle_avg);
  rule.Final("rapl:::TIME_UTIL", Source::kAvg0, 1, like.measure_util_avg);
  rule.Each("rapl:::TIME_UTIL", Source::kLast0, 1, like.measure_util_avg_cur);
}

// kiB. Totals are taken from the last sample, the others also as maxima.
void AddMemory(Maker& rule) {
  const auto& like = rule.like;
  rule.Final("rapl:::MEM_TOTAL", Source::kLast0, 1, like.measure_memory_cur[RAM_TOTAL]);
  rule.Final("rapl:::MEM_USED", Source::kMax0, 1, like.measure_memory_used_max);
  rule.Each("rapl:::MEM_USED", Source::kLast0, 1, like.measure_memory_cur[RAM_USED]);
  rule.Final("rapl:::MEM_FREE", Source::kMax0, 1, like.measure_memory_free_max);
  rule.Final("rapl:::SWAP_TOTAL", Source::kLast0, 1, like.measure_memory_cur[SWAP_TOTAL]);
  rule.Final("rapl:::SWAP_USED", Source::kMax0, 1, like.measure_swap_used_max);
  rule.Each("rapl:::SWAP_USED", Source::kLast0, 1, like.measure_memory_cur[SWAP_USED]);
  rule.Final("rapl:::SWAP_FREE", Source::kMax0, 1, like.measure_swap_free_max);
}

}  // namespace

ResourceRules CpuRules() {
  Maker rule;
  for (int p = 0; p < CPUS; ++p) {
    const std::string package = "PACKAGE" + std::to_string(p);
    AddPower(rule, package, p);
    AddTemperatures(rule, package, p);
    for (int core = 0; core < CORES; ++core) {
      AddCore(rule, package + ":CPU" + std::to_string(core), p, core);
    }
  }
  AddUtilization(rule);
  AddMemory(rule);
  return {CPU,
          "rapl",
          rule.Take(),
          rule.OffsetOf(rule.like.msr_time_wait),
          rule.OffsetOf(rule.like.msr_check_for_exit_interrupts),
          rule.OffsetOf(rule.like.msr_time_runtime)};
}

}  // namespace csink::ms
