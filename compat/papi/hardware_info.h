#pragma once

#include "compat/papi/include/papi.h"
#include "core/system/cache_info.h"
#include "core/system/cpu_info.h"

namespace csink::papi {

/// PAPI's number of the CPU's vendor. ARM implementers that PAPI lists keep their own number.
int VendorNumber(const CpuIdentity& identity) noexcept;

/// PAPI's number for an associativity: SHRT_MAX: fully associative; 0: unknown.
int Associativity(unsigned ways) noexcept;

/// Fills the whole structure. Entries beyond PAPI's table (levels, or more TLBs than a level has)
/// are left out.
void FillHardwareInfo(const CpuInfo& cpu, const std::vector<Cache>& caches,
                      const std::vector<Tlb>& tlbs, PAPI_hw_info_t& info) noexcept;

}  // namespace csink::papi
