#pragma once

#include <cstdint>

/// File: overflows of counters that a library in the program keeps, and whose changes the library
/// reports (OverflowMode::kReported). There is no interrupt: the user's handler is called by the
/// thread that counts, inside the call that counted.
///
/// Only the thread that armed a set has its handler called, as with counters that interrupt. Counts
/// of other threads are part of the next multiple that the arming thread reaches itself. A handler
/// may count, too, and is then called again inside itself. The multiples continue over a reset of
/// the set, as the interrupts of a counter do.
/// Threads: any. Signals: as safe as the user's handler is.

namespace csink {

/// A change of a counter.
struct ReportedCount {
  std::uint32_t number = 0;  ///< OverflowArming::reported_number
  long long latest = 0;      ///< The library's count now
  long long count = 0;  ///< The count that an event set shows, which began at some earlier count
};

/// Whether any armed set has reported overflows. If not, the other functions need not be called.
/// One relaxed load, for the hot path of the library.
bool HasReportedOverflows() noexcept;

/// Whether ReportOverflow would call a handler of the calling thread's sets. Only then the caller
/// needs to find out the thread's program counter, which is expensive. Calls nothing of the user.
bool IsReportedOverflowDue(const ReportedCount& reported) noexcept;

/// Calls the handlers whose thresholds were passed: once each, with further multiples in `missed`.
/// `context`: a ucontext_t that shows where the thread counted.
void ReportOverflow(const ReportedCount& reported, void* context) noexcept;

/// Polls the counters of the calling thread's sets that no library reports, as the tick does.
void PollOverflows(void* context) noexcept;

}  // namespace csink
