#pragma once

#include <atomic>
#include <cstdint>

namespace csink {

/// How a thread is sampled before its first full period is over.
///
/// An event that is opened starts a full period: threads that live shorter never give a sample, and
/// every thread loses its tail. So the first sample must come after a random part of the period P,
/// r in (0, P]; then samples x P is right on average, however short the thread. The kernel knows no
/// first period (PERF_EVENT_IOC_PERIOD starts a full one): the event is opened with period r, fires
/// at r, 2r, 3r, ..., and is replaced by one with period P at leisure (RingSource::MakeSteady).
/// Until then each sample is taken or left so that every moment has the same chance:
///
///   number 1                          taken: it speaks for the moments up to P
///   number j >= 2, j r <= P           left: number 1 has spoken for that time
///   number j, n P < j r <= (n + 1) P  taken with chance 1 / (j S(n)), S(n) = sum of 1 / i^2, i > n
///
/// (Number j falls on a moment t with density 1 / (j P). Chance x density x P, summed over j > n,
/// is 1.) The chances are added up, and a sample is taken whenever the sum passes a whole
/// number: as right as dice, with less scatter. So it does not matter how late the replacement
/// comes; all it saves is interrupts.
///
/// r below a sixteenth of P would interrupt too often. Such r are raised by that sixteenth: the
/// first 6 % of a period are spoken for by the next 6 %.
///
/// The number is found from the event's own count, which each record of a first event carries:
/// overflows in kernel mode leave no record.
///
/// `whole` is P in all of this, in events (ns for a clock).
///
/// Owns: nothing; all zero is a steady event. Threads: one at a time. Signals: safe.
class FirstPeriod {
 public:
  /// The period to open the event with; 0: `whole`, nothing else is to be done.
  std::uint64_t period() const noexcept { return first_; }
  bool steady() const noexcept { return first_ == 0; }

  /// Draws a first period from `random`, all 64 bits of it.
  void Draw(std::uint64_t whole, bool clock, std::uint64_t random) noexcept;
  void SetSteady() noexcept { *this = FirstPeriod(); }

  /// How often a sample must be taken whose record says `value`.
  unsigned Take(std::uint64_t whole, std::uint64_t value) noexcept;
  /// The same for a sample of the steady event.
  unsigned TakeSteady() noexcept {
    const unsigned times = 1u + owed_;
    owed_ = 0;
    return times;
  }

  /// It has fired for long enough: replace it.
  bool WorthReplacing(std::uint64_t whole) const noexcept {
    return first_ != 0 && number_ * first_ >= 4 * whole && refusals_ < kMaxRefusals;
  }
  /// The event has been replaced by a steady one. That costs half a period, and on average half of
  /// one had come together of chances: the first steady sample makes it good.
  void Replaced() noexcept {
    SetSteady();
    owed_ = 1;
  }
  /// The replacement was refused; after the third time the event stays what it is.
  void Refused() noexcept { ++refusals_; }

 private:
  static constexpr std::uint8_t kMaxRefusals = 3;

  std::uint64_t first_ = 0;
  std::uint64_t number_ = 0;  ///< Of the last overflow seen
  float chances_ = 0;         ///< Added up, less what was taken: 0 .. 1
  std::uint8_t owed_ = 0;
  std::uint8_t refusals_ = 0;
};

/// The shortest first period, 0: none is drawn. A clock's is at least 50 us where that leaves
/// something to choose; the kernel's own floor is 10 us. Threads that live shorter give no sample.
std::uint64_t ShortestFirstPeriod(std::uint64_t whole, bool clock) noexcept;

/// Numbers for FirstPeriod::Draw. Those of a process's threads follow each other by the golden
/// section, evenly spread whatever their number: a hundred like threads are sampled almost exactly
/// as often as they should be. Where they begin is left to chance.
/// Threads: any. Signals: safe.
class FirstPeriodNumbers {
 public:
  /// Begins anew, for the first thread of a process. `chance`: what differs between processes.
  void Begin(std::uint64_t chance) noexcept;
  std::uint64_t Next() noexcept;

 private:
  std::atomic<std::uint64_t> last_{0};
};

}  // namespace csink
