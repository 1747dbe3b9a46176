#pragma once

#include <cstddef>
#include <cstdint>

#include "profil/format/format.h"

namespace csink {

/// A sparse histogram of PCs in memory that belongs to the spool: one bucket segment. A bucket is
/// made at its first hit.
///
/// Open addressing with linear probing in a window; buckets are never deleted. So an empty bucket
/// in a key's window proves that the key is neither in this segment nor in a later one: segments
/// are searched from the oldest on, and the search stops there.
///
/// Owns:    nothing; the memory must stay mapped.
/// Threads: any number of writers. Claiming a bucket is one compare-and-swap, counting is two
///          relaxed additions. Two threads that claim the same key at once may make two buckets;
///          readers add them up.
/// Signals: safe (histogram_signal.cpp); no system call.
class BucketSegment {
 public:
  /// The key of a bucket: ids of the spool's records. phase 0: before the first mark; chain 0: no
  /// callers.
  struct Key {
    std::uint32_t region;
    std::uint32_t thread;
    std::uint64_t pc;
    std::uint32_t phase = 0;  ///< < 2^16
    std::uint32_t chain = 0;
  };
  /// What AddHit did.
  enum class Outcome {
    /// The sample is in its bucket
    kCounted,
    kAbsent,  ///< The key is not here and the window is full: continue with the next segment.
  };

  BucketSegment() noexcept = default;
  /// `buckets`: zeroed memory for `capacity` (a power of two) records of BucketBytes(event_count).
  BucketSegment(void* buckets, std::uint32_t capacity, std::size_t event_count) noexcept
      : base_(static_cast<unsigned char*>(buckets)),
        capacity_(capacity),
        bucket_bytes_(static_cast<std::uint32_t>(BucketBytes(event_count))) {}

  /// Counts one sample of `weight` in column `event`; makes the bucket if needed. Takes 16 probes
  /// at most.
  Outcome AddHit(const Key& key, std::size_t event, std::uint64_t weight) noexcept;

  /// Whether a bucket has this region. Looks at all buckets.
  bool HasRegion(std::uint32_t region) const noexcept;

  /// Size of a bucket with its counts.
  static constexpr std::size_t BucketBytes(std::size_t event_count) noexcept {
    return sizeof(spool::Bucket) + event_count * sizeof(spool::Count);
  }

 private:
  spool::Bucket* At(std::uint32_t index) const noexcept {
    return reinterpret_cast<spool::Bucket*>(base_ +
                                            static_cast<std::size_t>(index) * bucket_bytes_);
  }

  unsigned char* base_ = nullptr;
  std::uint32_t capacity_ = 0;
  std::uint32_t bucket_bytes_ = 0;
};

}  // namespace csink
