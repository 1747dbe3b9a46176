#pragma once

#include <cstdint>

#include "compat/papi/include/papi.h"

/// File: how an event's code is made. Presets are 0x80000000 | index and user events
/// 0xC0000000 | index, as papiStdEventDefs.h has it; a native event is
/// 0x40000000 | component << 24 | the component's own number (below 2^24), so that a code says
/// where it belongs without a look-up.

namespace csink::papi {

inline constexpr std::uint32_t kNativeBit = 0x40000000u;
inline constexpr std::uint32_t kPresetBit = 0x80000000u;
inline constexpr int kComponentShift = 24;
inline constexpr std::uint32_t kNumberMask = (1u << kComponentShift) - 1;

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
