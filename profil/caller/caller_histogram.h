#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/util/result.h"

namespace csink {

/// Bytes of one bucket: PAPI_PROFIL_BUCKET_16, _32, _64.
enum class BucketWidth : std::uint8_t { k16 = 2, k32 = 4, k64 = 8 };

/// One stretch of code and the caller's buckets for it: a PAPI_sprofil_t.
struct HistogramRegion {
  void* buckets = nullptr;  ///< The caller's, aligned to the bucket's width, zeroed by the caller
  /// A last bucket that does not fit is not used. At least one bucket; at scale 2, the manual's
  /// catch-all, 1 is enough and stands for one bucket.
  std::size_t size_bytes = 0;
  std::uintptr_t start = 0;
  /// 2 .. 0x20000: addresses a bucket = 0x20000 / scale. 2: all addresses from
  /// `start` on share bucket 0.
  unsigned scale = 0;
};

struct HistogramOptions {
  BucketWidth width = BucketWidth::k16;
  bool drop_random = false;  ///< PAPI_PROFIL_RANDOM: a quarter of the hits is dropped at random
  bool weighted = false;     ///< PAPI_PROFIL_WEIGHTED: a hit counts what it stands for, else 1
  /// PAPI_PROFIL_COMPRESS: a hit on a bucket that holds v is dropped with probability
  /// min(v, 65535) / 65536. A bucket of value v then stands for -65536 ln(1 - v / 65536) hits.
  bool compress = false;
  std::uint64_t seed = 0x5eed;  ///< Of the drops; equal seeds and hits give equal drops
};

/// What became of the hits. Weights are not in these sums: a hit is one call.
struct HistogramAccounts {
  std::uint64_t counted = 0;
  std::uint64_t dropped = 0;    ///< By drop_random or compress
  std::uint64_t outside = 0;    ///< In no region
  std::uint64_t saturated = 0;  ///< Counted into a bucket that was full or became so
};

/// A histogram in dense buckets that belong to the caller: what profil(3), PAPI_profil and
/// PAPI_sprofil fill. Bucket of an address: ((address - start) * scale) >> 17.
///
/// Regions may overlap, as the manual's catch-all (start 0, scale 2) does: of those that hold an
/// address, the one with the largest start gets it; of equal starts, the first given. The
/// overlaps are resolved once, so that a hit is a binary search over disjoint stretches.
///
/// Buckets saturate at their largest value instead of wrapping.
/// Source: the PAPI 3.5 manual, PAPI_profil and PAPI_sprofil.
/// Owns:    its tables; never the buckets.
/// Threads: AddHit from any number at once, also into buckets that other histograms share.
/// Signals: AddHit and accounts are safe (caller_histogram_signal.cpp).
class CallerHistogram {
 public:
  /// Fails with kInvalid (no region, a null, empty or misaligned buffer, a scale out of range, a
  /// buffer that ends beyond memory) or kLimit (no memory).
  static Result<std::unique_ptr<CallerHistogram>> Make(std::span<const HistogramRegion> regions,
                                                       const HistogramOptions& options);

  /// One hit at `address` that stands for `weight` (>= 1) overflows.
  void AddHit(std::uintptr_t address, std::uint64_t weight) noexcept;

  HistogramAccounts accounts() const noexcept;

 private:
  /// [start, next stretch's start) belongs to `region`; kNobody: to none.
  struct Stretch {
    std::uintptr_t start;
    std::uint32_t region;
  };
  static constexpr std::uint32_t kNobody = ~std::uint32_t{0};

  CallerHistogram(std::span<const HistogramRegion> regions, const HistogramOptions& options);
  void Flatten();
  std::uintptr_t LastAddress(const HistogramRegion& region) const noexcept;
  std::size_t BucketsOf(const HistogramRegion& region) const noexcept;
  const HistogramRegion* Find(std::uintptr_t address) const noexcept;
  std::uint64_t Random() noexcept;
  template <class T>
  void Count(T* bucket, std::uint64_t weight) noexcept;

  HistogramOptions options_;
  std::vector<HistogramRegion> regions_;
  std::vector<Stretch> stretches_;
  std::atomic<std::uint64_t> random_;
  std::atomic<std::uint64_t> counted_{0}, dropped_{0}, outside_{0}, saturated_{0};
};

}  // namespace csink
