#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace csink {

/// What two processors can write at once without waiting for each other (x86-64 and most aarch64).
inline constexpr std::size_t kCacheLineBytes = 64;

/// Whole cache lines for a std::vector: what one thread writes often shares none with another's.
template <class T>
struct CacheLines {
  using value_type = T;
  CacheLines() noexcept = default;
  template <class U>
  CacheLines(const CacheLines<U>&) noexcept {}

  T* allocate(std::size_t count) {
    const std::size_t bytes = (count * sizeof(T) + kCacheLineBytes - 1) & ~(kCacheLineBytes - 1);
    return static_cast<T*>(::operator new (bytes, std::align_val_t{kCacheLineBytes}));
  }
  void deallocate(T* memory, std::size_t) noexcept {
    ::operator delete (memory, std::align_val_t{kCacheLineBytes});
  }
  friend bool operator==(const CacheLines&, const CacheLines&) noexcept { return true; }
};

template <class T>
using CacheLineVector = std::vector<T, CacheLines<T>>;

}  // namespace csink
