#pragma once

#include <cstdint>

namespace csink {

/// What an event of ours sends along: which slot of the table, in which life of it, and which
/// arming of that set. The tag in the upper bits tells it from other users of SIGTRAP in the
/// process, and from addresses, whose upper 16 bits are zero.
/// Signals: safe.
struct OverflowCookie {
  static constexpr std::uint64_t kTag = 0xc50f;

  std::uint32_t generation = 0;  ///< 24 bits
  std::uint32_t slot = 0;        ///< 16 bits
  std::uint32_t arming = 0;      ///< 8 bits

  std::uint64_t Pack() const noexcept {
    return kTag << 48 | static_cast<std::uint64_t>(generation & 0xff'ffff) << 24 |
           static_cast<std::uint64_t>(slot & 0xffff) << 8 | (arming & 0xff);
  }
  static bool IsOurs(std::uint64_t bits) noexcept { return bits >> 48 == kTag; }
  static OverflowCookie Unpack(std::uint64_t bits) noexcept {
    return {static_cast<std::uint32_t>(bits >> 24 & 0xff'ffff),
            static_cast<std::uint32_t>(bits >> 8 & 0xffff),
            static_cast<std::uint32_t>(bits & 0xff)};
  }
};

}  // namespace csink
