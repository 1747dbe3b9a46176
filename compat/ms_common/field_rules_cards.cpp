#include <string>

#include "compat/ms_common/field_rules.h"
#include "compat/ms_common/include/ms_common_apapi.h"

/// File: rules for the first FPGA and the first accelerator card.

namespace csink::ms {

// Powers of the events are in W, those of the fields in mW.
ResourceRules FpgaRules() {
  // In the order of enum maxeler_power.
  static constexpr const char* kRails[MAX_NUM_POWER] = {
      "vcc1v0_c", "vcc1v5_ddr", "vcc2v5_aux", "imgt_1v0", "imgt_1v2", "mgt_1v0", "mgt_1v2", "fpga"};
  RuleMaker<MS_MEASUREMENT_FPGA> rule;
  const auto& like = rule.like;
  for (int i = 0; i < MAX_NUM_POWER; ++i) {
    const std::string event = std::string("maxeler:::") + kRails[i] + "_POWER:DEVICE0";
    rule.Final(event, Source::kAvg0, kThousandths, like.maxeler_power_avg[i]);
    rule.Final(event, Source::kAcc1, kThousandths, like.maxeler_energy_acc[i]);
    // libmeasure shows the current power of the whole card only.
    if (i == POWER) rule.Each(event, Source::kLast0, kThousandths, like.maxeler_power_cur[i]);
  }
  // In the order of enum maxeler_temperature: main FPGA, interface FPGA.
  static constexpr const char* kSensors[MAX_NUM_TEMPERATURE] = {"mmgt", "imgt"};
  for (int i = 0; i < MAX_NUM_TEMPERATURE; ++i) {
    const std::string event = std::string("maxeler:::") + kSensors[i] + "_TEMPERATURE:DEVICE0";
    rule.Final(event, Source::kMax0, 1, like.maxeler_temperature_max[i]);
    rule.Each(event, Source::kLast0, 1, like.maxeler_temperature_cur[i]);
  }
  rule.Final("maxeler:::COMPUTE_UTIL:DEVICE0", Source::kAvg0, 1, like.maxeler_util_comp_avg);
  rule.Each("maxeler:::COMPUTE_UTIL:DEVICE0", Source::kLast0, 1, like.maxeler_util_comp_cur);
  return {FPGA,
          "maxeler",
          rule.Take(),
          rule.OffsetOf(like.maxeler_time_wait),
          rule.OffsetOf(like.maxeler_check_for_exit_interrupts),
          rule.OffsetOf(like.maxeler_time_runtime)};
}

namespace {

using MicMaker = RuleMaker<MS_MEASUREMENT_MIC>;

// An event of the first card.
std::string OfMic(const std::string& metric) { return "micknc:::" + metric + ":DEVICE0"; }

// The power and energy of each supply, and of the whole card (MIC).
void AddMicPower(MicMaker& rule) {
  // In the order of enum mic_power.
  static constexpr const char* kRails[MIC_NUM_POWER] = {"PCIE", "C2X3", "C2X4", "VCCP",
                                                        "VDDG", "VDDQ", "MIC"};
  for (int i = 0; i < MIC_NUM_POWER; ++i) {
    const std::string event = OfMic(std::string("POWER_") + kRails[i]);
    rule.Final(event, Source::kAvg0, kThousandths, rule.like.mic_power_avg[i]);
    rule.Final(event, Source::kAcc1, kThousandths, rule.like.mic_energy_acc[i]);
    // Only the whole card's power is shown at each sample.
    if (i == MIC_PWR) rule.Each(event, Source::kLast0, kThousandths, rule.like.mic_power_cur[i]);
  }
}

// The sensors of the card. Only the die's temperature is shown at each sample.
void AddMicTemperatures(MicMaker& rule) {
  // In the order of enum mic_temperature.
  static constexpr const char* kSensors[MIC_NUM_TEMPERATURE] = {"DIE",  "GDDR", "FANIN", "FANOUT",
                                                                "VCCP", "VDDG", "VDDQ"};
  for (int i = 0; i < MIC_NUM_TEMPERATURE; ++i) {
    const std::string event = OfMic(std::string("TEMP_") + kSensors[i]);
    rule.Final(event, Source::kMax0, 1, rule.like.mic_temperature_max[i]);
    if (i == DIE_TEMP) rule.Each(event, Source::kLast0, 1, rule.like.mic_temperature_cur[i]);
  }
}

}  // namespace

ResourceRules MicRules() {
  MicMaker rule;
  const auto& like = rule.like;
  AddMicPower(rule);
  AddMicTemperatures(rule);
  rule.Final(OfMic("FREQ_CORE"), Source::kAvg0, 1, like.mic_freq_core_avg);
  rule.Each(OfMic("FREQ_CORE"), Source::kLast0, 1, like.mic_freq_core_cur);
  rule.Final(OfMic("FREQ_MEM"), Source::kAvg0, 1, like.mic_freq_mem_avg);
  rule.Each(OfMic("FREQ_MEM"), Source::kLast0, 1, like.mic_freq_mem_cur);
  // Each value is the time since the previous read, so the whole time is the sum.
  rule.Final(OfMic("TIME_ACTIVE"), Source::kAcc0, 1, like.mic_util_active_avg);
  rule.Final(OfMic("TIME_IDLE"), Source::kAcc0, 1, like.mic_util_idle_avg);
  rule.Final(OfMic("UTIL"), Source::kAvg0, 1, like.mic_util_avg);
  rule.Each(OfMic("UTIL"), Source::kLast0, 1, like.mic_util_avg_cur);
  // Memory is in kiB in both.
  rule.Final(OfMic("MEM_TOTAL"), Source::kMax0, 1, like.mic_memory_total);
  rule.Final(OfMic("MEM_USED"), Source::kMax0, 1, like.mic_memory_used_max);
  rule.Each(OfMic("MEM_USED"), Source::kLast0, 1, like.mic_memory_used_cur);
  rule.Final(OfMic("MEM_FREE"), Source::kMax0, 1, like.mic_memory_free_max);
  return {MIC,
          "micknc",
          rule.Take(),
          rule.OffsetOf(like.mic_time_wait),
          rule.OffsetOf(like.mic_check_for_exit_interrupts),
          rule.OffsetOf(like.mic_time_runtime)};
}

}  // namespace csink::ms
