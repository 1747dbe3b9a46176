#pragma once

#include <cstddef>
#include <cstdint>

#include "core/perf/kernel.h"
#include "core/sampling/thread_registry.h"
#include "profil/format/format.h"
#include "profil/inside/spool/writer.h"

namespace csink {

/// Fills the time line of the spool: what each thread did in each slice of time, and when the
/// hottest places were sampled.
///
/// Samples have no time of their own, and no thread is examined between two drains. So all
/// numbers come from drains: a look at a thread reads its run time and its waiting time (schedstat)
/// and spreads what was added since the look before evenly over that stretch. The rest of the
/// stretch is blocked time.
///
/// Bounds: kRows threads and one sum of all further ones, among them those that end before a sweep
/// finds them older than kLeastThreadLifeNs; 64 places; kLooks looks a sweep, which cost a file of
/// /proc each (4 us). A process that lives less than kLeastLifeNs gets no rows.
///
/// Owns:    nothing in the heap; its tables are static, one set for the process.
/// Threads: one at a time (the collector's lock).
/// Signals: safe (time_line_signal.cpp).
class TimeLine {
 public:
  /// Width of a thread's slice, and of a place's, before the first doubling.
  static constexpr std::uint64_t kSliceNs = 100'000'000;
  static constexpr std::uint64_t kPlaceSliceNs = 4 * kSliceNs;
  /// Threads with a row of their own.
  static constexpr std::size_t kRows = spool::kMaxThreadSliceRows - 1;
  /// Looks at threads in one sweep.
  static constexpr std::size_t kLooks = 16;
  /// Wall time of the process before the first row is made: most compilers end before.
  static constexpr std::uint64_t kLeastLifeNs = 1'000'000'000;
  /// Wall time of a thread before it gets a row: a fifth of a slice.
  static constexpr std::uint64_t kLeastThreadLifeNs = kSliceNs / 5;

  TimeLine(Kernel& kernel, ThreadRegistry& registry, SpoolWriter& spool) noexcept
      : kernel_(kernel), registry_(registry), spool_(spool) {}

  /// Before the rings are drained: the samples of places are counted shortly before this time.
  /// `now_ns`, here and below: CLOCK_MONOTONIC.
  void BeginDrain(std::uint64_t now_ns) noexcept;
  /// kAll: at the end of the process, all threads with a row instead of those that are due.
  enum class Which { kDue, kAll };
  /// After a drain, with an open spool: looks at threads. Does nothing if the spool's header has
  /// no start time.
  void Sweep(std::uint64_t now_ns, Which which = Which::kDue) noexcept;
  /// True if the slot's thread has a row.
  bool HasRow(const ThreadSlot& slot) const noexcept;
  /// A thread with a row that ends, before its slot is released.
  void LastLook(ThreadSlot& slot, std::uint64_t now_ns) noexcept;
  /// A thread's rings were drained: a thread that has no row and gets none is added to the sum.
  /// `cpu_ns`: its CPU clock; `samples`: those of this drain; `ends`: it was the last one.
  void Drained(const ThreadSlot& slot, std::uint64_t cpu_ns, std::uint64_t samples,
               bool ends) noexcept;
  /// A sample of the first event in an open spool.
  void CountPlace(std::uint32_t region, std::uint64_t pc) noexcept;
  /// There is a new spool, or none.
  void Clear() noexcept;

  /// The numbers of a thread at a look, cumulative since its start.
  struct Times {
    std::uint64_t run_ns = 0;
    std::uint64_t wait_ns = 0;
    bool wait_known = false;
  };
  /// Adds a look's numbers to the row of spool thread `thread`. Sweep calls it with what it has
  /// read.
  void Look(std::size_t row, std::uint64_t now_ns, const Times& times,
            std::uint64_t samples) noexcept;
  /// A row for spool thread `thread`, which begins at start_ns with these numbers. Returns its
  /// index, or kRows: all are used. `start`: its numbers at that time.
  std::size_t AddRow(std::uint32_t thread, std::uint64_t start_ns, const Times& start) noexcept;
  /// Begins the time line if the process has a start time, and makes the rows if it has lived long
  /// enough. Returns false if there is no time line.
  bool Begin(std::uint64_t now_ns) noexcept;

 private:
  /// The row of the slot's thread, added if it is new; kRows: there is none.
  std::size_t RowOf(ThreadSlot& slot, std::uint64_t now_ns) noexcept;
  /// Reads the numbers of a thread. Returns false if nothing is known.
  bool Read(const ThreadSlot& slot, Times& times) noexcept;
  /// Adds a stretch to a row of the spool, made if there is none yet. `row` is kRows for the sum.
  void Store(std::size_t row, std::uint64_t from_ns, std::uint64_t to_ns,
             const spool::ThreadSlice& all, std::uint32_t flags) noexcept;
  void StoreFurther(std::uint64_t now_ns) noexcept;
  /// Makes the rows of threads and places that were remembered until now.
  void MakeRows(std::uint64_t now_ns) noexcept;

  Kernel& kernel_;
  ThreadRegistry& registry_;
  SpoolWriter& spool_;

  std::size_t rows_ = 0;        ///< Used rows of threads
  std::size_t place_rows_ = 0;  ///< Used rows of places
  std::size_t remembered_ = 0;  ///< Stretches before the rows are made
  std::size_t next_slot_ = 0;   ///< Where the next sweep begins
  bool begun_ = false;          ///< The header has the time line's fields
  bool rows_made_ = false;      ///< The process has lived long enough
  std::uint64_t start_ns_ = 0;  ///< Begin of slice 0
  std::uint64_t sweep_ns_ = 0;  ///< The last sweep
  std::uint64_t place_ns_ = 0;  ///< Samples of places are counted at this time
  std::uint64_t coldest_ = 0;   ///< Samples of the coldest place with a row
  std::uint64_t further_run_ns_ = 0;
  std::uint64_t further_samples_ = 0;
  std::uint64_t further_from_ns_ = 0;
};

}  // namespace csink
