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
/// comes; all it saves is interrupts. A replacement costs as much as some interrupts do, so it is
/// due when as many came that the steady event would not have had: soon for a small r, late for one
/// near P.
///
/// The steady event's first sample comes a whole period after the replacement. A thread that ends
/// x periods after it has floor(x) of them, half a period too few on average. The last sample
/// before the replacement makes that good: its chance is raised by a half. (Not the first one after
/// it, by counting twice: threads that end before it would lose theirs. Processes of 2 to 5 periods
/// were found 2 % too short so.)
///
/// r below a sixteenth of P would interrupt too often. Such r are raised by that sixteenth: the
/// first 6 % of a period are spoken for by the next 6 %.
///
/// A process's first thread draws an r below P/4 half as often (`rare_short`): most processes of a
/// build are short, and small r are most of the interrupts (2.4 fewer in 4 periods). Then number 1
/// counts twice below P/4 and 6/7 times above, and the density at t / j is 1/2 or 7/6 of what it
/// was: S(n) becomes 7/6 S(n) - 2/3 S(m), m the fourths of a period before t.
///
/// The number is found from the event's own count, which each record of a first event carries:
/// overflows in kernel mode leave no record.
///
/// `whole` is P in all of this, in events (ns for a clock).
///
/// Owns: nothing; all zero is a steady event. Threads: one at a time. Signals: safe.
class FirstPeriod {
 public:
  /// What is left to chance: both evenly spread over all 64 bits.
  struct Chance {
    std::uint64_t period;  ///< r as a share of P
    std::uint64_t taking;  ///< Where the sum of chances begins
  };

  /// The period to open the event with; 0: `whole`, nothing else is to be done.
  std::uint64_t period() const noexcept { return first_; }
  bool steady() const noexcept { return first_ == 0; }

  void Draw(std::uint64_t whole, bool clock, const Chance& chance,
            bool rare_short = false) noexcept;
  void SetSteady() noexcept { *this = FirstPeriod(); }

  /// How often a sample must be taken whose record says `value`.
  unsigned Take(std::uint64_t whole, std::uint64_t value) noexcept;
  /// It has fired for long enough: replace it.
  bool WorthReplacing(std::uint64_t whole) const noexcept {
    return number_ != 0 && DueIn(whole) == 0;
  }
  /// In how many events (ns for a clock) that will be so; kNever: it is steady, or refused.
  std::uint64_t DueIn(std::uint64_t whole) const noexcept;
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};
  /// It is about to be replaced by a steady one: how often the last sample must be taken once more.
  /// Overflows in kernel mode count: a thread that is half of its time there loses a fourth.
  unsigned TakeForReplacement() noexcept;
  /// The replacement was refused; after the third time the event stays what it is.
  void Refused() noexcept { ++refusals_; }

 private:
  static constexpr std::uint8_t kMaxRefusals = 3;

  unsigned Whole(double chance) noexcept;

  std::uint64_t first_ = 0;
  std::uint64_t number_ = 0;  ///< Of the last overflow seen
  float chances_ = 0;         ///< Added up, less what was taken: 0 .. 1
  std::uint32_t records_ = 0;
  std::uint8_t refusals_ = 0;
  bool rare_short_ = false;
};

/// The shortest first period, 0: none is drawn. A clock's is at least 50 us where that leaves
/// something to choose; the kernel's own floor is 10 us. Threads that live shorter give no sample.
std::uint64_t ShortestFirstPeriod(std::uint64_t whole, bool clock) noexcept;

/// Numbers for FirstPeriod::Draw. Those of a process's threads follow each other by the golden
/// section (and the root of 2), evenly spread whatever their number: a hundred like threads are
/// sampled almost exactly as often as they should be. So are like processes of one family that
/// begin at their process numbers. Where the family begins is left to chance.
/// Threads: any. Signals: safe.
class FirstPeriodNumbers {
 public:
  /// Begins anew, for the first thread of a process. `family`: what differs between programs;
  /// `number`: what differs between processes of one family, preferably consecutive.
  void Begin(std::uint64_t family, std::uint64_t number) noexcept;
  FirstPeriod::Chance Next() noexcept;

 private:
  FirstPeriod::Chance begin_{};
  std::atomic<std::uint64_t> number_{0};
};

}  // namespace csink
