#pragma once

#include <cstddef>
#include <cstdint>

#include "profil/spool/format.h"

namespace csink {

/// A sparse PC histogram over memory that somebody else owns: one segment of
/// the spool. Buckets come into being at their first hit.
///
/// Open addressing with linear probing inside a window; nothing is ever
/// deleted. So an empty bucket in a key's window proves that the key is not in
/// this segment, nor in any later one: a chain of segments is searched oldest
/// first and stops there.
///
/// Owns:    nothing. Threads: any number of writers; claiming is one
///          compare-and-swap, counting two relaxed adds. Two racing claims of one
///          key may make two buckets; readers add them.
/// Signals: safe (histogram_signal.cpp).
class BucketSegment {
 public:
  struct Key {
    std::uint32_t region;
    std::uint32_t thread;
    std::uint64_t pc;
    std::uint32_t phase = 0;  ///< < 2^16
    std::uint32_t chain = 0;
  };
  enum class Outcome {
    kCounted,
    kAbsent,  ///< Not here, and the window is full: ask the next segment.
  };

  BucketSegment() noexcept = default;
  /// `buckets`: capacity (a power of two) records of BucketBytes(event_count), zeroed.
  BucketSegment(void* buckets, std::uint32_t capacity, std::size_t event_count) noexcept
      : base_(static_cast<unsigned char*>(buckets)),
        capacity_(capacity),
        bucket_bytes_(static_cast<std::uint32_t>(BucketBytes(event_count))) {}

  /// Counts one sample of `weight` in column `event`, making the bucket if needed.
  Outcome AddHit(const Key& key, std::size_t event, std::uint64_t weight) noexcept;

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
