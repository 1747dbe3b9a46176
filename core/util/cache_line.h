#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace csink {

/// Bytes of one cache line on x86-64 and on most aarch64 processors. Two processors that write to
/// the same line wait for each other, so data of different threads is kept this far apart. Where
/// the lines of a processor are longer, neighbours may still share one: slower, not wrong.
inline constexpr std::size_t kCacheLineBytes = 64;

/// An allocator for std::vector whose memory starts on a cache line and fills whole lines, so that
/// data that one thread writes often shares no line with data of another thread.
/// Errors:  throws std::bad_alloc, as operator new does; not for lean code.
/// Threads: as std::allocator. Signals: not safe (heap).
template <class T>
struct CacheLines {
  /// Required of an allocator ([allocator.requirements]).
  using value_type = T;
  /// As std::allocator: default-constructible, and convertible from the allocator of another type.
  CacheLines() noexcept = default;
  template <class U>
  CacheLines(const CacheLines<U>&) noexcept {}

  /// Memory for `count` objects. The size is rounded up to whole lines: without that the allocator
  /// of the C library could place another small object into the last line.
  T* allocate(std::size_t count) {
    const std::size_t bytes = (count * sizeof(T) + kCacheLineBytes - 1) & ~(kCacheLineBytes - 1);
    return static_cast<T*>(::operator new (bytes, std::align_val_t{kCacheLineBytes}));
  }
  /// `memory` must come from allocate. The size is ignored: the aligned operator delete needs none.
  void deallocate(T* memory, std::size_t) noexcept {
    ::operator delete (memory, std::align_val_t{kCacheLineBytes});
  }
  /// The allocator has no state, so memory of one may be freed by any other.
  friend bool operator==(const CacheLines&, const CacheLines&) noexcept { return true; }
};

template <class T>
/// A std::vector whose elements share no cache line with other data. The elements share lines with
/// each other, unless T is aligned to kCacheLineBytes.
using CacheLineVector = std::vector<T, CacheLines<T>>;

}  // namespace csink
