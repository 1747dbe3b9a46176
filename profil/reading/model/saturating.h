#pragma once

#include <cstdint>

#include "profil/reading/model/profile.h"

/// File: arithmetic that does not wrap, because a damaged spool may claim 2^63 samples. A sum that
/// has reached 2^64 - 1 stays there: a report then shows a number that is obviously wrong, where a
/// wrapped one could look like a small profile. Threads: any. Signals: safe.

namespace csink {

/// a + b, at most 2^64 - 1.
inline std::uint64_t SaturatingAdd(std::uint64_t a, std::uint64_t b) noexcept {
  return a + b < a ? ~0ull : a + b;
}

/// a - b, at least 0. For differences of two clocks that were read at different times.
inline std::uint64_t SaturatingMultiply(std::uint64_t a, std::uint64_t b) noexcept {
  std::uint64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? ~std::uint64_t{0} : product;
}
inline std::uint64_t SaturatingSubtract(std::uint64_t a, std::uint64_t b) noexcept {
  return a > b ? a - b : 0;
}

/// Adds to a sum, saturating; a count is added part by part.
inline void AddTo(std::uint64_t& sum, std::uint64_t more) noexcept {
  sum = SaturatingAdd(sum, more);
}

/// Adds the times of threads to those of others.
inline void AddTo(WallParts& sum, const WallParts& more) noexcept {
  AddTo(sum.threads, more.threads);
  AddTo(sum.wall_ns, more.wall_ns);
  AddTo(sum.run_ns, more.run_ns);
  AddTo(sum.wait_ns, more.wait_ns);
  AddTo(sum.undivided_ns, more.undivided_ns);
}

/// The times since an earlier state. The number of threads stays.
inline void TakeOff(WallParts& now, const WallParts& before) noexcept {
  now.wall_ns = SaturatingSubtract(now.wall_ns, before.wall_ns);
  now.run_ns = SaturatingSubtract(now.run_ns, before.run_ns);
  now.wait_ns = SaturatingSubtract(now.wait_ns, before.wait_ns);
  now.undivided_ns = SaturatingSubtract(now.undivided_ns, before.undivided_ns);
}

/// Adds the counts of one event; samples and weight saturate each on its own.
inline void AddTo(EventCount& sum, const EventCount& more) noexcept {
  AddTo(sum.samples, more.samples);
  AddTo(sum.weight, more.weight);
}

}  // namespace csink
