#pragma once

#include "compat/papi/include/papi.h"
#include "core/counting/system/cache_info.h"
#include "core/counting/system/cpu_info.h"

namespace csink::papi {

/// PAPI's number of the CPU's vendor (PAPI_VENDOR_*). ARM implementers that PAPI lists keep the
/// number of MIDR_EL1; others are PAPI_VENDOR_ARM. Signals: safe, as the next function.
int VendorNumber(const CpuIdentity& identity) noexcept;

/// PAPI's number for an associativity: SHRT_MAX: fully associative; 0: unknown.
int Associativity(unsigned ways) noexcept;

/// Fills the whole structure. Entries beyond PAPI's table (levels, or more TLBs than a level has)
/// are left out.
void FillHardwareInfo(const CpuInfo& cpu, const std::vector<Cache>& caches,
                      const std::vector<Tlb>& tlbs, PAPI_hw_info_t& info) noexcept;

/// The machine that runs this process: read at the first call and kept, because hardware does not
/// change while a program runs. The structure is never freed. Throws std::bad_alloc.
/// Threads: any; others wait for the first call. Signals: not safe.
const PAPI_hw_info_t* HostHardwareInfo();

}  // namespace csink::papi
