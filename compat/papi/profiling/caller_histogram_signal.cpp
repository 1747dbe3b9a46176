#include <limits>

#include "compat/papi/profiling/caller_histogram.h"

/// File: counting a hit. It runs in overflow handlers and in drains, on several threads at once, so
/// there is no lock: the generator and the buckets are changed by atomic operations.

namespace csink {
namespace {

constexpr std::uint64_t kWeyl = 0x9e3779b97f4a7c15;  // 2^64 / golden ratio

}  // namespace

/// SplitMix64 (Steele, Lea, Flood 2014): the state is one atomic addition, so that signal handlers
/// and threads share the generator without a lock.
std::uint64_t CallerHistogram::Random() noexcept {
  std::uint64_t z = random_.fetch_add(kWeyl, std::memory_order_relaxed) + kWeyl;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

const HistogramRegion* CallerHistogram::Find(std::uintptr_t address) const noexcept {
  const Stretch* first = stretches_.data();
  std::size_t count = stretches_.size();
  while (count > 0) {  // the first stretch that starts behind the address
    const std::size_t half = count / 2;
    if (first[half].start <= address) {
      first += half + 1;
      count -= half + 1;
    } else {
      count = half;
    }
  }
  if (first == stretches_.data() || first[-1].region == kNobody) return nullptr;
  return &regions_[first[-1].region];
}

template <class T>
void CallerHistogram::Count(T* bucket, std::uint64_t weight) noexcept {
  constexpr T kFull = std::numeric_limits<T>::max();
  T value = __atomic_load_n(bucket, __ATOMIC_RELAXED);
  // The probability is the bucket's value over 65,536, for wider buckets limited to 65,535 / 65,536
  // so that a bucket can always grow.
  if (options_.compress && (Random() & 0xffff) < (value < 0xffff ? value : T{0xffff})) {
    dropped_.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  T sum;
  // A loop with compare-and-swap, because an atomic addition would wrap instead of saturate.
  do {
    sum =
        weight < static_cast<std::uint64_t>(kFull - value) ? static_cast<T>(value + weight) : kFull;
  } while (
      !__atomic_compare_exchange_n(bucket, &value, sum, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
  counted_.fetch_add(1, std::memory_order_relaxed);
  if (sum == kFull) saturated_.fetch_add(1, std::memory_order_relaxed);
}

void CallerHistogram::AddHit(std::uintptr_t address, std::uint64_t weight) noexcept {
  // The two highest bits are 0 in a quarter of the numbers.
  if (options_.drop_random && Random() >> 62 == 0) {
    dropped_.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  const HistogramRegion* region = Find(address);
  if (!region) {
    outside_.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  std::size_t bucket = 0;
  // With scale 2 all addresses share bucket 0, also those for which the formula gives a higher one.
  if (region->scale != 2) {
    const auto distance = static_cast<unsigned __int128>(address - region->start);
    bucket = static_cast<std::size_t>((distance * region->scale) >> 17);
  }
  if (!options_.weighted) weight = 1;
  switch (options_.width) {
    case BucketWidth::k16:
      Count(static_cast<std::uint16_t*>(region->buckets) + bucket, weight);
      break;
    case BucketWidth::k32:
      Count(static_cast<std::uint32_t*>(region->buckets) + bucket, weight);
      break;
    case BucketWidth::k64:
      Count(static_cast<std::uint64_t*>(region->buckets) + bucket, weight);
      break;
  }
}

HistogramAccounts CallerHistogram::accounts() const noexcept {
  return {counted_.load(std::memory_order_relaxed), dropped_.load(std::memory_order_relaxed),
          outside_.load(std::memory_order_relaxed), saturated_.load(std::memory_order_relaxed)};
}

}  // namespace csink
