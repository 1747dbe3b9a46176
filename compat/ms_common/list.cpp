#include <cstdlib>

#include "compat/ms_common/include/ms_common_apapi.h"

/// File: lists of measurements. They belong to the C program, which may use free on them, so they
/// are allocated by calloc.

namespace {

// A zeroed structure. libmeasure's marks are the interval {-1, -1} and one check.
template <class Measurement>
Measurement* Fresh(timespec Measurement::*time_wait, uint32_t Measurement::*check_for_exit) {
  auto* made = static_cast<Measurement*>(std::calloc(1, sizeof(Measurement)));
  if (!made) return nullptr;
  made->*time_wait = {-1, -1};  // marks an interval that was not set
  made->*check_for_exit = 1;
  return made;
}

// nullptr also for an unknown resource: the node of the list then has no structure.
void* FreshOf(int resource) {
  switch (resource) {
    case CPU:
      return Fresh(&MS_MEASUREMENT_CPU::msr_time_wait,
                   &MS_MEASUREMENT_CPU::msr_check_for_exit_interrupts);
    case GPU:
      return Fresh(&MS_MEASUREMENT_GPU::nvml_time_wait,
                   &MS_MEASUREMENT_GPU::nvml_check_for_exit_interrupts);
    case FPGA:
      return Fresh(&MS_MEASUREMENT_FPGA::maxeler_time_wait,
                   &MS_MEASUREMENT_FPGA::maxeler_check_for_exit_interrupts);
    case SYSTEM:
      return Fresh(&MS_MEASUREMENT_SYS::ipmi_time_wait,
                   &MS_MEASUREMENT_SYS::ipmi_check_for_exit_interrupts);
    case MIC:
      return Fresh(&MS_MEASUREMENT_MIC::mic_time_wait,
                   &MS_MEASUREMENT_MIC::mic_check_for_exit_interrupts);
    default:
      return nullptr;
  }
}

}  // namespace

void appendList(MS_LIST** list, int resource) {
  if (!list) return;
  auto* node = static_cast<MS_LIST*>(std::calloc(1, sizeof(MS_LIST)));
  if (!node) return;
  node->resource_id = resource;
  node->ms_measurement = FreshOf(resource);
  // At the end: ms_alloc_measurement promises the order of the list.
  MS_LIST** end = list;
  while (*end) end = &(*end)->next;
  *end = node;
}

void* getMeasurement(MS_LIST** list, int resource) {
  for (const MS_LIST* node = list ? *list : nullptr; node; node = node->next) {
    // The first one, if a program has appended a resource twice.
    if (node->resource_id == resource) return node->ms_measurement;
  }
  return nullptr;
}

void deleteList(MS_LIST** list) {
  if (!list) return;
  while (MS_LIST* node = *list) {
    *list = node->next;
    std::free(node->ms_measurement);
    std::free(node);
  }
}
