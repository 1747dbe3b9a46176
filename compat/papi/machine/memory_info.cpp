#include "core/counting/system/memory_info.h"

#include "compat/papi/boundary/c_boundary.h"

/// File: PAPI_get_dmem_info: core/counting/system's numbers of this process in PAPI's structure.
/// They are read anew at each call, because programs compare two answers.

namespace {

using csink::MemoryInfo;

// PAPI sets a field without a value to PAPI_EINVAL; kUnknown is the same number.
static_assert(MemoryInfo::kUnknown == PAPI_EINVAL);

// All sizes are in KiB, except the page size in bytes. The two structures have another order.
PAPI_dmem_info_t ToPapi(const MemoryInfo& info) noexcept {
  PAPI_dmem_info_t dmem = {};
  dmem.peak = info.peak_kib;
  dmem.size = info.size_kib;
  dmem.resident = info.resident_kib;
  dmem.high_water_mark = info.high_water_mark_kib;
  dmem.shared = info.shared_kib;
  dmem.text = info.text_kib;
  dmem.library = info.library_kib;
  dmem.heap = info.heap_kib;
  dmem.locked = info.locked_kib;
  dmem.stack = info.stack_kib;
  dmem.pagesize = info.page_bytes;
  dmem.pte = info.page_table_kib;
  return dmem;
}

}  // namespace

int PAPI_get_dmem_info(PAPI_dmem_info_t* dest) {
  return csink::papi::CodeAtEdge([&] {
    if (!dest) return PAPI_EINVAL;
    const csink::Result<MemoryInfo> info = csink::ReadMemoryInfo();
    if (!info) return PAPI_ESYS;
    *dest = ToPapi(*info);
    return PAPI_OK;
  });
}
