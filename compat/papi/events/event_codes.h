#pragma once

#include <cstdint>

#include "compat/papi/include/papi.h"

/// File: the format of event codes. Presets are 0x80000000 | index and user events 0xC0000000 |
/// index, as in papiStdEventDefs.h. A native event is 0x40000000 | component << 24 | number, where
/// the component assigns the number (below 2^24). The code alone tells the component; no table is
/// needed.

namespace csink::papi {

/// PAPI_NATIVE_MASK and PAPI_PRESET_MASK of papiStdEventDefs.h, as unsigned numbers: the macros are
/// signed, and a shift of a negative number would copy the sign.
inline constexpr std::uint32_t kNativeBit = 0x40000000u;
inline constexpr std::uint32_t kPresetBit = 0x80000000u;
/// Bits 24 to 29 are the component, bits 0 to 23 its event number.
inline constexpr int kComponentShift = 24;
inline constexpr std::uint32_t kNumberMask = (1u << kComponentShift) - 1;

/// The family of a code is in its two highest bits: 01 native, 10 preset, 11 user event. kNone:
/// both bits are 0; PAPI never gives such a code.
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

/// Composes and decomposes the code of a native event. `component` < 64, `number` < 2^24. The two
/// functions that decompose must be given the code of a native event.
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
