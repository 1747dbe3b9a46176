#pragma once

#include <cstdint>

#include "compat/papi/include/papi.h"

/// File: the format of event codes. Presets are 0x80000000 | index and user events 0xC0000000 |
/// index, as in papiStdEventDefs.h. A native event is 0x40000000 | component << 24 | number, where
/// the component assigns the number (below 2^24). The code alone tells the component; no table is
/// needed.

namespace csink::papi {

inline constexpr std::uint32_t kNativeBit = 0x40000000u;
inline constexpr std::uint32_t kPresetBit = 0x80000000u;
inline constexpr int kComponentShift = 24;
inline constexpr std::uint32_t kNumberMask = (1u << kComponentShift) - 1;

/// The family of a code is in its two highest bits.
enum class EventFamily { kNone, kNative, kPreset, kUser };

constexpr EventFamily FamilyOf(int code) noexcept {
  switch (static_cast<std::uint32_t>(code) >> 30) {
    case 1:
      return EventFamily::kNative;
    case 2:
      return EventFamily::kPreset;
    case 3:
      return EventFamily::kUser;
    default:
      return EventFamily::kNone;
  }
}

/// Composes and decomposes the code of a native event. `component` < 64, `number` < 2^24.
constexpr int NativeCode(int component, std::uint32_t number) noexcept {
  return static_cast<int>(kNativeBit | static_cast<std::uint32_t>(component) << kComponentShift |
                          number);
}
constexpr int NativeComponent(int code) noexcept {
  return static_cast<int>((static_cast<std::uint32_t>(code) & ~kNativeBit) >> kComponentShift);
}
constexpr std::uint32_t NativeNumber(int code) noexcept {
  return static_cast<std::uint32_t>(code) & kNumberMask;
}

}  // namespace csink::papi
