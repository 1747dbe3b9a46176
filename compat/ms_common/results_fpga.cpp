#include "compat/ms_common/include/ms_common_apapi.h"
#include "compat/ms_common/result_field.h"

/// File: the results of an FPGA. Each function returns one field. Energy in mWs, power in mW, for
/// each of the card's rails and for the whole card (power_usage); temperatures of the interface
/// FPGA (ifpga) and of the main FPGA (mfpga) in degrees Celsius; utilization in percent.

using csink::ms::ResultOf;

double fpga_time_total(MS_LIST* list) {
  return ResultOf(list, &MS_MEASUREMENT_FPGA::maxeler_time_runtime);
}
double fpga_energy_total_vcc1v0_core(MS_LIST* list) {
  return ResultOf(list, &MS_MEASUREMENT_FPGA::maxeler_energy_acc, VCC10);
}
double fpga_energy_total_vcc1v5_ddr(MS_LIST* list) {
  return ResultOf(list, &MS_MEASUREMENT_FPGA::maxeler_energy_acc, VCC15);
}
double fpga_energy_total_vcc2v5_aux(MS_LIST* list) {
  return ResultOf(list, &MS_MEASUREMENT_FPGA::maxeler_energy_acc, VCC25);
}
double fpga_energy_total_imgt_1v0(MS_LIST* list) {
  return ResultOf(list, &MS_MEASUREMENT_FPGA::maxeler_energy_acc, IMGT10);
}
double fpga_energy_total_imgt_1v2(MS_LIST* list) {
  return ResultOf(list, &MS_MEASUREMENT_FPGA::maxeler_energy_acc, IMGT12);
}
double fpga_energy_total_mgt_1v0(MS_LIST* list) {
  return ResultOf(list, &MS_MEASUREMENT_FPGA::maxeler_energy_acc, MGT10);
}
double fpga_energy_total_mgt_1v2(MS_LIST* list) {
  return ResultOf(list, &MS_MEASUREMENT_FPGA::maxeler_energy_acc, MGT12);
}
double fpga_energy_total_power_usage(MS_LIST* list) {
  return ResultOf(list, &MS_MEASUREMENT_FPGA::maxeler_energy_acc, POWER);
}
double fpga_power_avg_vcc1v0_core(MS_LIST* list) {
  return ResultOf(list, &MS_MEASUREMENT_FPGA::maxeler_power_avg, VCC10);
}
double fpga_power_avg_vcc1v5_ddr(MS_LIST* list) {
  return ResultOf(list, &MS_MEASUREMENT_FPGA::maxeler_power_avg, VCC15);
}
double fpga_power_avg_vcc2v5_aux(MS_LIST* list) {
  return ResultOf(list, &MS_MEASUREMENT_FPGA::maxeler_power_avg, VCC25);
}
double fpga_power_avg_imgt_1v0(MS_LIST* list) {
  return ResultOf(list, &MS_MEASUREMENT_FPGA::maxeler_power_avg, IMGT10);
}
double fpga_power_avg_imgt_1v2(MS_LIST* list) {
  return ResultOf(list, &MS_MEASUREMENT_FPGA::maxeler_power_avg, IMGT12);
}
double fpga_power_avg_mgt_1v0(MS_LIST* list) {
  return ResultOf(list, &MS_MEASUREMENT_FPGA::maxeler_power_avg, MGT10);
}
double fpga_power_avg_mgt_1v2(MS_LIST* list) {
  return ResultOf(list, &MS_MEASUREMENT_FPGA::maxeler_power_avg, MGT12);
}
double fpga_power_avg_power_usage(MS_LIST* list) {
  return ResultOf(list, &MS_MEASUREMENT_FPGA::maxeler_power_avg, POWER);
}
double fpga_temp_max_ifpga(MS_LIST* list) {
  return ResultOf(list, &MS_MEASUREMENT_FPGA::maxeler_temperature_max, ITEMP);
}
double fpga_temp_max_mfpga(MS_LIST* list) {
  return ResultOf(list, &MS_MEASUREMENT_FPGA::maxeler_temperature_max, MTEMP);
}
double fpga_util_avg_comp(MS_LIST* list) {
  return ResultOf(list, &MS_MEASUREMENT_FPGA::maxeler_util_comp_avg);
}
