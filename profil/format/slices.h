#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "profil/format/format.h"

/// File: how a row of the time line (ThreadSlicesRecord, PlaceSlicesRecord) is written, doubled,
/// and completed by a reader.
///
/// The rules for a row that changes in place:
/// * Begin of a doubling: `shape_behind` gets the new number of doublings, `saved` gets slice 0,
///   `shape` gets merged = 1. Only then slices change.
/// * Each merged pair increases `merged`. Merging pair i again gives the same result, because pair
///   i > 0 lies behind slice i, and slice 0 is in `saved`.
/// * End: the upper half is cleared, then `shape` gets the new number and merged = 0.
///
/// So a row of a killed process has either merged = 0 and complete slices, or merged > 0, and
/// FinishDoubling completes it. A reader of a running program copies the row from its begin to its
/// end: if merged = 0 in `shape` and `shape_behind` differs, the row changed during the copy.
///
/// Threads: one writer (the collector's lock). Signals: safe.

namespace csink::spool {

/// The state of a row; one word of the file, so that all parts change at once.
struct SliceShape {
  std::uint32_t generation = 0;  ///< Increases when a row of a place gets another place
  std::uint32_t doublings = 0;   ///< Below 65,536
  /// 0: no doubling in progress; else the number of merged pairs + 1
  std::uint32_t merged = 0;

  constexpr std::uint64_t Word() const noexcept {
    return std::uint64_t{generation} << 32 | std::uint64_t{doublings} << 16 | merged;
  }
  static constexpr SliceShape Of(std::uint64_t word) noexcept {
    return {static_cast<std::uint32_t>(word >> 32), static_cast<std::uint32_t>(word >> 16) & 0xffff,
            static_cast<std::uint32_t>(word) & 0xffff};
  }
};

/// Number of slices of a row.
template <class Row>
constexpr std::size_t SlicesOf() noexcept {
  return std::extent_v<decltype(Row::slices)>;
}

/// Stores a field that a reader in another process may read. All stores before are visible to a
/// reader that sees this one, and this one to a reader that sees a later one.
inline void StoreOrdered(std::uint64_t& field, std::uint64_t value) noexcept {
  __atomic_store_n(&field, value, __ATOMIC_RELEASE);
#if !defined(__SANITIZE_THREAD__)
  // g++ refuses fences under the thread sanitizer, which would not see them.
  __atomic_thread_fence(__ATOMIC_RELEASE);
#endif
}

/// Adds to a number of a slice; it stays at 2^32 - 1.
inline void AddNumber(std::uint32_t& to, std::uint32_t value) noexcept {
  const std::uint32_t sum = to > ~value ? ~std::uint32_t{0} : to + value;
  __atomic_store_n(&to, sum, __ATOMIC_RELAXED);
}
inline void AddSlice(std::uint32_t& to, std::uint32_t from) noexcept { AddNumber(to, from); }
inline void AddSlice(ThreadSlice& to, const ThreadSlice& from) noexcept {
  AddNumber(to.run_us, from.run_us);
  AddNumber(to.wait_us, from.wait_us);
  AddNumber(to.blocked_us, from.blocked_us);
  AddNumber(to.samples, from.samples);
}

/// The part `after` - `before` of a slice's numbers, where both are fractions 0..1 of the time over
/// which `all` is spread. Parts of adjoining fractions add up to `all`.
inline std::uint32_t PartOf(std::uint32_t all, double before, double after) noexcept {
  const double whole = static_cast<double>(all);
  return static_cast<std::uint32_t>(whole * after + 0.5) -
         static_cast<std::uint32_t>(whole * before + 0.5);
}
inline ThreadSlice PartOf(const ThreadSlice& all, double before, double after) noexcept {
  return {PartOf(all.run_us, before, after), PartOf(all.wait_us, before, after),
          PartOf(all.blocked_us, before, after), PartOf(all.samples, before, after)};
}

/// Completes a doubling that has begun. Requires merged > 0 in `shape`, at most half the slices
/// + 1.
template <class Row>
void FinishDoubling(Row& row) noexcept {
  constexpr std::size_t kHalf = SlicesOf<Row>() / 2;
  static_assert(SlicesOf<Row>() % 2 == 0 && SlicesOf<Row>() < 65536);
  SliceShape shape = SliceShape::Of(row.shape);
  for (std::size_t i = shape.merged - 1; i < kHalf; ++i) {
    auto sum = i == 0 ? row.saved : row.slices[2 * i];
    AddSlice(sum, row.slices[2 * i + 1]);
    row.slices[i] = sum;
    shape.merged = static_cast<std::uint32_t>(i) + 2;
    StoreOrdered(row.shape, shape.Word());
  }
  for (std::size_t i = kHalf; i < SlicesOf<Row>(); ++i) row.slices[i] = {};
  ++shape.doublings;
  shape.merged = 0;
  StoreOrdered(row.shape_behind, shape.Word());
  StoreOrdered(row.shape, shape.Word());
}

/// Doubles the width of a row's slices. Returns false at kMaxDoublings; the row is unchanged then.
template <class Row>
bool DoubleWidth(Row& row) noexcept {
  SliceShape shape = SliceShape::Of(row.shape);
  if (shape.doublings >= kMaxDoublings) return false;
  ++shape.doublings;
  StoreOrdered(row.shape_behind, shape.Word());
  --shape.doublings;
  shape.merged = 1;
  row.saved = row.slices[0];
  StoreOrdered(row.shape, shape.Word());
  FinishDoubling(row);
  return true;
}

/// Spreads `all` evenly over the time from `from_ns` to `to_ns`, both in ns since slice 0 began.
/// Doubles the row's width if necessary. A stretch without length counts in its slice. Returns
/// false if the row cannot reach to_ns; nothing is added then. `width_ns`: of a slice that was
/// never doubled, > 0.
template <class Row, class Slice>
bool AddStretch(Row& row, std::uint64_t width_ns, std::uint64_t from_ns, std::uint64_t to_ns,
                const Slice& all) noexcept {
  if (to_ns < from_ns) to_ns = from_ns;
  // The last moment of the stretch; its end belongs to the next slice.
  const std::uint64_t last_ns = to_ns > from_ns ? to_ns - 1 : to_ns;
  for (;;) {
    const std::uint64_t width = width_ns << SliceShape::Of(row.shape).doublings;
    if (last_ns / width < SlicesOf<Row>()) break;
    if (!DoubleWidth(row)) return false;
  }
  const std::uint64_t width = width_ns << SliceShape::Of(row.shape).doublings;
  const double length = static_cast<double>(to_ns - from_ns);
  double before = 0;
  for (std::uint64_t i = from_ns / width; i <= last_ns / width; ++i) {
    const std::uint64_t end_ns = std::min((i + 1) * width, to_ns);
    const double after =
        end_ns == to_ns || length <= 0 ? 1 : static_cast<double>(end_ns - from_ns) / length;
    AddSlice(row.slices[i], PartOf(all, before, after));
    before = after;
  }
  return true;
}

/// Gives the row of a place to another place: from now on its slices count that one. A reader skips
/// the row until the change is complete.
inline void MovePlace(PlaceSlicesRecord& row, std::uint32_t region, std::uint64_t pc) noexcept {
  SliceShape shape = SliceShape::Of(row.shape);
  ++shape.generation;
  __atomic_store_n(&row.region, kNone, __ATOMIC_RELEASE);
  StoreOrdered(row.shape_behind, shape.Word());
  row.samples = 0;
  for (std::uint32_t& slice : row.slices) slice = 0;
  row.pc = pc;
  StoreOrdered(row.shape, shape.Word());
  __atomic_store_n(&row.region, region, __ATOMIC_RELEASE);
}

}  // namespace csink::spool
