#include "tests/compat/papi/abi7/abi_module.h"

#include <papi.h>

#include <cstring>

namespace {

constexpr unsigned char kUntouched = 0xA5;

void InspectEventInfo(ModuleReport& report) {
  static struct {
    PAPI_event_info_t info;
    unsigned char behind[32768];
  } guarded;
  std::memset(static_cast<void*>(&guarded), kUntouched, sizeof guarded);
  report.info_bytes = sizeof guarded.info;
  if (PAPI_get_event_info(PAPI_TOT_CYC, &guarded.info) != PAPI_OK) return;
  report.info_filled =
      reinterpret_cast<unsigned char*>(&guarded.info)[sizeof guarded.info - 1] == 0;
  report.behind_is_whole = true;
  for (const unsigned char byte : guarded.behind) report.behind_is_whole &= byte == kUntouched;
}

bool ListsBranches() {
  static PAPI_event_info_t info;
  int code = PAPI_PRESET_MASK;
  int listed = 0;
  while (PAPI_enum_event(&code, PAPI_PRESET_ENUM_BR) == PAPI_OK) {
    if (PAPI_get_event_info(code, &info) != PAPI_OK) return false;
    if (!(info.event_type & PAPI_PRESET_BIT_BR)) return false;
    ++listed;
  }
  return listed > 0;
}

}  // namespace

void InspectPapi(int event_set, ModuleReport* report) {
  *report = {};
  report->version = PAPI_VERSION;
  report->initialized = PAPI_library_init(PAPI_VER_CURRENT);
  report->library_version = PAPI_get_opt(PAPI_LIB_VERSION, nullptr);
  InspectEventInfo(*report);
  report->branches_listed = ListsBranches();
  const PAPI_component_info_t* info = PAPI_get_component_info(1);
  report->component_is_right = info && info->CmpIdx == 1 && info->initialized == 1 &&
                               info->available_granularities == (PAPI_GRN_THR | PAPI_GRN_SYS) &&
                               info->reserved_bits == 0;
  report->other_set_events = event_set < 0 ? 0 : PAPI_num_events(event_set);
}
