#pragma once

#include <cstdint>

namespace csink {

/// The finalizer of splitmix64: every bit of the answer depends on every bit of `x`. Signals: safe.
constexpr std::uint64_t MixBits(std::uint64_t x) noexcept {
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9ull;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

}  // namespace csink
