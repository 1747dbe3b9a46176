#pragma once

#include "compat/papi/include/papi.h"
#include "core/system/cache_info.h"
#include "core/system/cpu_info.h"

namespace csink::papi {

/// PAPI's number for who made the CPU. Arm's implementers keep their own number where PAPI has it.
int VendorNumber(const CpuIdentity& identity) noexcept;

/// PAPI's way to write an associativity: SHRT_MAX for a full one, 0 for an unknown one.
int Associativity(unsigned ways) noexcept;

/// The whole structure. What does not fit (levels beyond PAPI's, a seventh TLB) is left out.
void FillHardwareInfo(const CpuInfo& cpu, const std::vector<Cache>& caches,
                      const std::vector<Tlb>& tlbs, PAPI_hw_info_t& info) noexcept;

}  // namespace csink::papi
