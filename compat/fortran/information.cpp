/// File: structures of papi.h, returned to Fortran as separate arguments.

#include <cstdint>
#include <cstring>

#include "compat/fortran/answers.h"

namespace csink::fortran {
namespace {

long long Address(const void* pointer) noexcept {
  return static_cast<long long>(reinterpret_cast<std::intptr_t>(pointer));
}

// An event is also derived when it is a formula over one native event (count 1).
bool IsDerived(const PAPI_event_info_t& info) noexcept {
  return info.count > 1 ||
         (info.derived[0] != '\0' && std::strcmp(info.derived, "NOT_DERIVED") != 0);
}

}  // namespace

int EventInfo(int code, OutText& symbol, OutText& long_descr, OutText& short_descr, int& count,
              OutText& note, int& flags) noexcept {
  PAPI_event_info_t info;
  const int result = PAPI_get_event_info(code, &info);
  if (result != PAPI_OK) return result;
  symbol.Give(info.symbol);
  long_descr.Give(info.long_descr);
  short_descr.Give(info.short_descr);
  count = static_cast<int>(info.count);
  note.Give(info.note);
  flags = IsDerived(info) ? PAPI_DERIVED : 0;
  return PAPI_OK;
}

void HardwareInfo(int& ncpu, int& nnodes, int& totalcpus, int& vendor, OutText& vendor_string,
                  int& model, OutText& model_string, float& revision, float& mhz) noexcept {
  const PAPI_hw_info_t* info = PAPI_get_hardware_info();
  if (!info) return;
  ncpu = info->ncpu;
  nnodes = info->nnodes;
  totalcpus = info->totalcpus;
  vendor = info->vendor;
  vendor_string.Give(info->vendor_string);
  model = info->model;
  model_string.Give(info->model_string);
  revision = info->revision;
  // Not info->mhz, which is the frequency of the moment.
  mhz = static_cast<float>(info->cpu_max_mhz);
}

int ExecutableInfo(OutText& fullname, OutText& name, long long& text_start, long long& text_end,
                   long long& data_start, long long& data_end, long long& bss_start,
                   long long& bss_end) noexcept {
  const PAPI_exe_info_t* info = PAPI_get_executable_info();
  if (!info) return PAPI_ESYS;
  const PAPI_address_map_t& map = info->address_info;
  fullname.Give(info->fullname);
  name.Give(map.name);
  text_start = Address(map.text_start);
  text_end = Address(map.text_end);
  data_start = Address(map.data_start);
  data_end = Address(map.data_end);
  bss_start = Address(map.bss_start);
  bss_end = Address(map.bss_end);
  return PAPI_OK;
}

int MemoryInfo(long long* numbers) noexcept {
  PAPI_dmem_info_t info;
  const int result = PAPI_get_dmem_info(&info);
  // PAPIF_DMEM_* are the places of the structure's members.
  if (result == PAPI_OK) std::memcpy(numbers, &info, sizeof info);
  return result;
}

}  // namespace csink::fortran
