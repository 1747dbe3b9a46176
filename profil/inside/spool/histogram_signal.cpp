#include "core/util/mix.h"
#include "profil/inside/spool/histogram.h"

namespace csink {
namespace {

// Buckets that are searched for a key before the next segment is used.
constexpr std::uint32_t kWindow = 16;

void Count(spool::Bucket* bucket, std::size_t event, std::uint64_t weight) noexcept {
  auto* counts = reinterpret_cast<spool::Count*>(bucket + 1);
  __atomic_fetch_add(&counts[event].samples, 1, __ATOMIC_RELAXED);
  __atomic_fetch_add(&counts[event].weight, weight, __ATOMIC_RELAXED);
}

}  // namespace

BucketSegment::Outcome BucketSegment::AddHit(const Key& key, std::size_t event,
                                             std::uint64_t weight) noexcept {
  // Region and thread are stored plus one, so that a used bucket never has 0 there.
  const std::uint64_t owner = (static_cast<std::uint64_t>(key.region + 1) << 32) | (key.thread + 1);
  const std::uint64_t tag =
      spool::kPublished | (static_cast<std::uint64_t>(key.phase & 0xffff) << 32) | key.chain;
  // PCs of one function differ only in their low bits, so they are mixed.
  const std::uint64_t hash = MixBits(key.pc ^ MixBits(owner ^ (tag << 7)));
  for (std::uint32_t i = 0; i < kWindow && i < capacity_; ++i) {
    spool::Bucket* bucket = At(static_cast<std::uint32_t>((hash + i) & (capacity_ - 1)));
    std::uint64_t found = __atomic_load_n(&bucket->owner, __ATOMIC_ACQUIRE);
    if (found == 0 && __atomic_compare_exchange_n(&bucket->owner, &found, owner, false,
                                                  __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
      // pc before tag: a reader that sees kPublished in tag (acquire) also sees pc.
      __atomic_store_n(&bucket->pc, key.pc, __ATOMIC_RELAXED);
      __atomic_store_n(&bucket->tag, tag, __ATOMIC_RELEASE);
      Count(bucket, event, weight);
      return Outcome::kCounted;
    }
    // A bucket that another thread claimed but has not yet published does not match: a second
    // bucket for the same key is better than waiting in a signal handler.
    if (found == owner && __atomic_load_n(&bucket->tag, __ATOMIC_ACQUIRE) == tag &&
        __atomic_load_n(&bucket->pc, __ATOMIC_RELAXED) == key.pc) {
      Count(bucket, event, weight);
      return Outcome::kCounted;
    }
  }
  return Outcome::kAbsent;
}

bool BucketSegment::HasRegion(std::uint32_t region) const noexcept {
  for (std::uint32_t i = 0; i < capacity_; ++i) {
    const std::uint64_t owner = __atomic_load_n(&At(i)->owner, __ATOMIC_RELAXED);
    if (owner >> 32 == std::uint64_t{region} + 1) return true;
  }
  return false;
}

}  // namespace csink
