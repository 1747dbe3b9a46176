#pragma once

#include <cstring>

/// File: which values are energies, and how often devices add to their counters of energy.

namespace csink {

/// Whether this is APAPI's or PAPI's name of the unit joule.
inline bool IsJoules(const char* unit) noexcept {
  return std::strcmp(unit, "Ws") == 0 || std::strcmp(unit, "J") == 0;
}

// Update periods, in ns.

/// RAPL: about every 1 ms (Intel SDM volume 3B, 15.10); AMD's registers likewise.
inline constexpr long long kRaplUpdateNs = 1'000'000;
/// NVML's documentation states no period. Cards update their counters every 20 to 100 ms (Z. Yang,
/// K. Adamek, W. Armour, "Part-time power measurements: nvidia-smi's lack of attention", 2023); an
/// H100 and an H200 every 100 ms.
inline constexpr long long kNvmlUpdateNs = 100'000'000;
/// The files of /sys/cray/pm_counters: ten times a second.
inline constexpr long long kCrayUpdateNs = 100'000'000;

}  // namespace csink
