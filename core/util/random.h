#pragma once

#include <cstdint>

namespace csink {

/// The next of a sequence of numbers that are spread evenly over 0 .. 2^53 - 1: xorshift64*
/// (S. Vigna, "An experimental exploration of Marsaglia's xorshift generators"). `state` must not
/// be 0. Not for secrets.
/// Threads: one for each state. Signals: safe.
inline std::uint64_t NextRandom53(std::uint64_t& state) noexcept {
  state ^= state >> 12;
  state ^= state << 25;
  state ^= state >> 27;
  return (state * 0x2545f4914f6cdd1dull) >> 11;
}

}  // namespace csink
