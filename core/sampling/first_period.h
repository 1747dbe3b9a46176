#pragma once

#include <atomic>
#include <cstdint>

namespace csink {

/// How a thread is sampled before its first full period is over.
///
/// The problem: a newly opened event counts a full period before its first sample. Threads that
/// live shorter never give a sample, and every thread loses its last part. So the first sample must
/// come after a random part r of the period P, r in (0, P]. Then samples x P is right on average,
/// however short the thread. The kernel has no first period (PERF_EVENT_IOC_PERIOD starts a full
/// one).
///
/// The solution: the event is opened with period r and overflows at r, 2r, 3r, ... Later it is
/// replaced by an event with period P (RingSource::MakeSteady). Until then each sample is taken or
/// dropped so that every moment has the same chance to be represented:
///
///   number 1                          taken: it represents the moments up to P
///   number j >= 2, j r <= P           dropped: number 1 represents that time already
///   number j, n P < j r <= (n + 1) P  taken with chance 1 / (j S(n)), S(n) = sum of 1 / i^2, i > n
///
/// (Number j falls on a moment t with density 1 / (j P). Chance x density x P, summed over j > n,
/// is 1.) The chances are added up, and a sample is taken whenever the sum passes a whole number.
/// That is as right as random numbers, with less scatter. So the result does not depend on when the
/// replacement comes; the replacement only saves interrupts. It costs as much as some interrupts
/// do, so it is due when as many came that the event with period P would not have had: soon for a
/// small r, late for an r near P.
///
/// The steady event's first sample comes a whole period after the replacement. A thread that ends x
/// periods after it has floor(x) samples from it, half a period too few on average. The last sample
/// before the replacement makes up for that: its chance is raised by a half. (Rejected: to count
/// the first sample after it twice. Threads that end before that sample would lose it, and
/// processes of 2 to 5 periods were found 2 % too short.)
///
/// An r below a sixteenth of P would interrupt too often. Such an r is raised by a sixteenth: the
/// first 6 % of a period are represented by the next 6 %.
///
/// A process's first thread draws an r below P/4 half as often (`rare_short`): most processes of a
/// build are short, and small r cause most of the interrupts (2.4 fewer in 4 periods). Then number
/// 1 counts twice below P/4 and 6/7 times above, and the density at t / j is 1/2 or 7/6 of what it
/// was: S(n) becomes 7/6 S(n) - 2/3 S(m), where m is the number of quarter periods before t.
///
/// The number j is computed from the event's own count, which each record of such an event carries:
/// overflows in kernel mode leave no record, so records cannot be counted.
///
/// In all functions `whole` is P, in events (ns for a clock).
///
/// Owns:    nothing; an object that is all zero is a steady event (period P).
/// Threads: one at a time. Signals: safe.
class FirstPeriod {
 public:
  /// Two random numbers, each uniform over all 64 bits.
  struct Chance {
    std::uint64_t period;  ///< r as a share of P, times 2^64
    std::uint64_t taking;  ///< Where the sum of chances begins, times 2^64
  };

  /// The period to open the event with; 0: open it with P, nothing else is to be done.
  std::uint64_t period() const noexcept { return first_; }
  /// Whether the event has its full period; the members below do nothing useful then.
  bool steady() const noexcept { return first_ == 0; }

  /// Draws r. `clock`: the event is a clock (see ShortestFirstPeriod). Steady where no r is
  /// possible.
  void Draw(std::uint64_t whole, bool clock, const Chance& chance,
            bool rare_short = false) noexcept;
  /// Forgets r: the event has its full period now.
  void SetSteady() noexcept { *this = FirstPeriod(); }

  /// Whether no record was seen since Draw: none of Take's.
  bool unseen() const noexcept { return number_ == 0; }

  /// How many times the sample must be taken whose record carries the count `value` (events since
  /// the event was opened); 0: drop it. Must be called for each record of an event that is not
  /// steady, in order. The sample's weight is `whole` each time.
  unsigned Take(std::uint64_t whole, std::uint64_t value) noexcept;
  /// Whether the event has overflowed often enough to be replaced now.
  bool WorthReplacing(std::uint64_t whole) const noexcept {
    return number_ != 0 && DueIn(whole) == 0;
  }
  /// In how many events (ns for a clock) the replacement will be due; kNever: the event is steady,
  /// or its replacement was refused too often.
  std::uint64_t DueIn(std::uint64_t whole) const noexcept;
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};
  /// Called before the replacement by a steady event: how many more times the last sample must be
  /// taken. Overflows in kernel mode count here without a record: a thread that spends half of its
  /// time there loses a quarter of a period.
  unsigned TakeForReplacement() noexcept;
  /// The kernel refused the replacement. After the third time the event stays as it is.
  void Refused() noexcept { ++refusals_; }

 private:
  static constexpr std::uint8_t kMaxRefusals = 3;

  unsigned Whole(double chance) noexcept;  ///< Adds `chance`; returns the whole part of the sum

  std::uint64_t first_ = 0;   ///< r; 0: steady
  std::uint64_t number_ = 0;  ///< Number j of the last overflow seen
  float chances_ = 0;         ///< Sum of chances, less what was taken: 0 .. 1
  std::uint32_t records_ = 0;
  std::uint8_t refusals_ = 0;
  bool rare_short_ = false;
};

/// The shortest first period for a period of `whole`: a sixteenth of it; 0: no first period is
/// drawn. A clock's is at least 50 us where that leaves a choice (the kernel's own minimum is 10
/// us). Threads that live shorter give no sample.
std::uint64_t ShortestFirstPeriod(std::uint64_t whole, bool clock) noexcept;

/// The random numbers for FirstPeriod::Draw. The numbers of a process's threads follow each other
/// by the golden section (and the square root of 2), so they are evenly spread however many there
/// are: a hundred similar threads get almost exactly the right number of samples. The same holds
/// for similar processes of one family, which begin at their process numbers. Where a family begins
/// is random.
/// Owns: nothing. Threads: any. Signals: safe.
class FirstPeriodNumbers {
 public:
  /// Starts the sequence anew, for the first thread of a process. `family` differs between
  /// programs; `number` differs between the processes of one family and should be consecutive.
  void Begin(std::uint64_t family, std::uint64_t number) noexcept;
  /// The numbers of the next thread. Lock-free.
  FirstPeriod::Chance Next() noexcept;

 private:
  // Atomic: when the program resumes sampling, the main thread calls Begin while others call Next.
  std::atomic<std::uint64_t> period_{0};
  std::atomic<std::uint64_t> taking_{0};
  std::atomic<std::uint64_t> number_{0};
};

}  // namespace csink
