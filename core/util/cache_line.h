#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace csink {

/// Bytes of one cache line on x86-64 and on most aarch64 processors. Two processors that write to
/// the same line wait for each other, so data of different threads is kept this far apart.
inline constexpr std::size_t kCacheLineBytes = 64;

/// An allocator for std::vector whose memory starts on a cache line and fills whole lines, so that
/// data that one thread writes often shares no line with data of another thread.
/// Errors:  throws std::bad_alloc, as operator new does; not for lean code.
/// Threads: as std::allocator. Signals: not safe (heap).
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
