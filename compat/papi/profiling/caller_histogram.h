#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/util/result.h"

namespace csink {

/// Size of one bucket in bytes: PAPI_PROFIL_BUCKET_16, _32, _64. The values are used in arithmetic.
enum class BucketWidth : std::uint8_t { k16 = 2, k32 = 4, k64 = 8 };

/// One range of code and the caller's buckets for it: a PAPI_sprofil_t.
struct HistogramRegion {
  /// Owned by the caller, aligned to the bucket's width, zeroed by the caller. Must stay valid as
  /// long as the histogram.
  void* buckets = nullptr;
  /// An incomplete bucket at the end is not used. There must be at least one bucket; with scale 2,
  /// the catch-all of the manual, 1 byte is enough and stands for one bucket.
  std::size_t size_bytes = 0;
  /// First address of the range
  std::uintptr_t start = 0;
  /// 2 to 0x20000: a bucket covers 0x20000 / scale bytes of addresses. 2: all addresses from
  /// `start` on share bucket 0.
  unsigned scale = 0;
};

/// How hits are counted, for all regions of a histogram. The formulas of RANDOM and COMPRESS can be
/// inverted by the reader of the buckets (docs/design/profil.md).
struct HistogramOptions {
  BucketWidth width = BucketWidth::k16;
  /// PAPI_PROFIL_RANDOM: each hit is dropped with probability 1/4
  bool drop_random = false;
  bool weighted = false;  ///< PAPI_PROFIL_WEIGHTED: a hit adds its weight, else 1
  /// PAPI_PROFIL_COMPRESS: a hit on a bucket that holds v is dropped with probability
  /// min(v, 65535) / 65536. A bucket of value v then stands for -65536 ln(1 - v / 65536) hits.
  bool compress = false;
  std::uint64_t seed = 0x5eed;  ///< Seed for the drops: equal seeds and hits give equal drops
};

/// Numbers of hits by result. A hit is one call of AddHit, whatever its weight. The sum of counted,
/// dropped and outside is the number of calls.
struct HistogramAccounts {
  std::uint64_t counted = 0;    ///< Added to a bucket
  std::uint64_t dropped = 0;    ///< By drop_random or compress
  std::uint64_t outside = 0;    ///< In no region
  std::uint64_t saturated = 0;  ///< Added to a bucket that was full or became full
};

/// A histogram in dense buckets that belong to the caller, as profil(3), PAPI_profil and
/// PAPI_sprofil fill them. Bucket of an address: ((address - start) * scale) >> 17.
///
/// Regions may overlap, as the manual's catch-all (start 0, scale 2) does. Of the regions that
/// contain an address, the one with the largest start gets the hit; of equal starts the first one.
/// Overlaps are resolved once at construction, so that a hit is a binary search over disjoint
/// ranges.
///
/// Buckets saturate at their largest value and do not wrap. Source: PAPI 3.5 manual, PAPI_profil
/// and PAPI_sprofil.
///
/// Owns:    its tables; never the buckets.
/// Threads: AddHit from any number of threads at once, also for buckets that other histograms
///          share. Signals: AddHit and accounts are safe (caller_histogram_signal.cpp); Make is
///          not.
class CallerHistogram {
 public:
  /// Copies `regions` and `options`. Fails with kInvalid (no region, a null, empty or misaligned
  /// buffer, a scale out of range, a buffer that ends beyond memory); throws std::bad_alloc if
  /// there is no memory.
  static Result<std::unique_ptr<CallerHistogram>> Make(std::span<const HistogramRegion> regions,
                                                       const HistogramOptions& options);

  /// Counts one hit at `address` that stands for `weight` (>= 1) overflows. The weight is used only
  /// with the option `weighted`. An address outside of all regions is counted as such.
  void AddHit(std::uintptr_t address, std::uint64_t weight) noexcept;

  /// The numbers so far. While AddHit runs, each number is exact but they may not fit together.
  HistogramAccounts accounts() const noexcept;

 private:
  /// The region for [start, start of the next stretch); kNobody: none.
  struct Stretch {
    std::uintptr_t start;
    std::uint32_t region;
  };
  static constexpr std::uint32_t kNobody = ~std::uint32_t{0};

  CallerHistogram(std::span<const HistogramRegion> regions, const HistogramOptions& options);
  /// Fills stretches_ from regions_.
  void Flatten();
  /// The last address that belongs to a bucket of `region`.
  std::uintptr_t LastAddress(const HistogramRegion& region) const noexcept;
  /// The number of whole buckets in a region's buffer, at least 1.
  std::size_t BucketsOf(const HistogramRegion& region) const noexcept;
  /// The region that gets a hit at `address`; nullptr: none.
  const HistogramRegion* Find(std::uintptr_t address) const noexcept;
  /// The next of a sequence of random numbers that all threads share.
  std::uint64_t Random() noexcept;
  /// Adds a hit to a bucket of width T, or drops it (compress).
  template <class T>
  void Count(T* bucket, std::uint64_t weight) noexcept;

  HistogramOptions options_;
  std::vector<HistogramRegion> regions_;
  /// Sorted by start; each ends where the next one starts
  std::vector<Stretch> stretches_;
  /// State of the generator
  std::atomic<std::uint64_t> random_;
  std::atomic<std::uint64_t> counted_{0}, dropped_{0}, outside_{0}, saturated_{0};
};

}  // namespace csink
