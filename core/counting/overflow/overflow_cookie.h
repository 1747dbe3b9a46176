#pragma once

#include <signal.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

/// File: what an event of ours sends with its signal, and where a SIGTRAP has it.

namespace csink {

/// The value that an event of ours sends with its signal (perf_event_attr.sig_data): the slot in
/// the table of sets, the slot's generation (which set used it), and which armed counter of that
/// set. The tag in the upper 16 bits distinguishes it from other users of SIGTRAP in the process,
/// and from addresses, whose upper 16 bits are zero.
/// Threads: any. Signals: safe.
struct OverflowCookie {
  /// Above the 47 bits of a user-space address, and not a sign extension of one.
  static constexpr std::uint64_t kTag = 0xc50f;

  std::uint32_t generation = 0;  ///< Lower 24 bits of SetOverflow::State::generation
  std::uint32_t slot = 0;        ///< Index in overflow_table; 16 bits
  std::uint32_t arming = 0;      ///< Index in State::armed; 8 bits

  /// The 64 bits for perf_event_attr.sig_data: tag, generation, slot, arming, from the top. Larger
  /// values are cut to their fields.
  std::uint64_t Pack() const noexcept {
    return kTag << 48 | static_cast<std::uint64_t>(generation & 0xff'ffff) << 24 |
           static_cast<std::uint64_t>(slot & 0xffff) << 8 | (arming & 0xff);
  }
  /// Whether `bits` has our tag. Must be asked before Unpack.
  static bool IsOurs(std::uint64_t bits) noexcept { return bits >> 48 == kTag; }
  static OverflowCookie Unpack(std::uint64_t bits) noexcept {
    return {static_cast<std::uint32_t>(bits >> 24 & 0xff'ffff),
            static_cast<std::uint32_t>(bits >> 8 & 0xffff),
            static_cast<std::uint32_t>(bits & 0xff)};
  }
};

/// si_code of a SIGTRAP of perf_event_attr.sigtrap, TRAP_PERF. glibc 2.36 defines neither the code
/// nor the data; both are the kernel's (include/uapi/asm-generic/siginfo.h, `_sigfault._perf`).
inline constexpr int kTrapPerf = 6;

/// Returns perf_event_attr.sig_data of the event that raised the SIGTRAP: the bits of its
/// OverflowCookie, where it is one of ours. Signals: safe.
inline std::uint64_t PerfSigData(const siginfo_t& info) noexcept {
  constexpr std::size_t kData = 24;  // on 64-bit machines
  std::uint64_t data = 0;
  std::memcpy(&data, reinterpret_cast<const char*>(&info) + kData, sizeof data);
  return data;
}

}  // namespace csink
