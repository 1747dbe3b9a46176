#pragma once

#include <cstdint>

/// File: overflows of counters that somebody keeps in the program itself and says so when they
/// move (OverflowMode::kTold). No interrupt is behind them: the handler is called by the thread
/// that counts, inside the call that counted.
///
/// Only the thread that armed a set hears of it, as with counters that interrupt; what other
/// threads count is in the next multiple that it reaches itself. A handler may count, too: it is
/// then called again inside itself. The multiples go on over a reset of the set, as the interrupts
/// of a counter do.
/// Threads: any. Signals: safe as far as the user's handler is.

namespace csink {

/// A counter has been changed.
struct ToldCount {
  std::uint32_t number = 0;  ///< OverflowArming::told_as
  long long latest = 0;      ///< Now, as its library counts
  long long count = 0;       ///< What a set shows that began somewhere
};

/// Whether the two below could find anybody: else they need not be called.
bool ExpectsToldOverflows() noexcept;

/// Whether TellOverflow would call a handler of the calling thread's sets: then it is worth finding
/// out where the thread is.
bool IsToldOverflowDue(const ToldCount& told) noexcept;

/// Calls the handlers whose thresholds were passed: once each, further multiples are in `missed`.
/// `context`: a ucontext_t that tells where the thread counted.
void TellOverflow(const ToldCount& told, void* context) noexcept;

/// The tick of the calling thread's sets at once: counters that nobody tells of.
void LookAtUntold(void* context) noexcept;

}  // namespace csink
