#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

/// File: names of presets and events as keys. constexpr, so that the table of standard presets is
/// filled by the compiler. Lean.

namespace csink {

/// The 32-bit FNV-1a hash of the bytes; also usable at compile time. Case matters. Threads: any.
/// Signals: safe.
constexpr std::uint32_t NameHash(std::string_view name) noexcept {
  // Offset basis and prime of the 32-bit variant (draft-eastlake-fnv).
  std::uint32_t hash = 2166136261u;
  for (char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return hash;
}

/// Whether the names are equal, ignoring the case of ASCII letters; other bytes must be equal. For
/// words of event files and names of PMUs; names of events are compared in exact case.
/// Threads: any. Signals: safe.
constexpr bool SameName(std::string_view a, std::string_view b) noexcept {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    // Letters differ in bit 5 alone; other pairs that do ('[' and '{') are excluded by the range.
    if (a[i] == b[i]) continue;
    const char lower = static_cast<char>(a[i] | 0x20);
    if (lower != (b[i] | 0x20) || lower < 'a' || lower > 'z') return false;
  }
  return true;
}

}  // namespace csink
