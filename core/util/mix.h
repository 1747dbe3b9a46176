#pragma once

#include <cstdint>

namespace csink {

/// The finalizer of splitmix64 (the constants are those of D. Stafford's variant 13): every bit of
/// the result depends on every bit of `x`. Used for hash tables of addresses, which differ in few
/// bits. Not a cryptographic hash. 0 gives 0.
/// Threads: any. Signals: safe.
constexpr std::uint64_t MixBits(std::uint64_t x) noexcept {
  // Each step is a bijection, so different addresses have different results.
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9ull;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

}  // namespace csink
