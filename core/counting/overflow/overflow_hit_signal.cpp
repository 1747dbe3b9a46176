#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <ucontext.h>

#include <atomic>
#include <utility>

#include "core/counting/overflow/overflow_state.h"
#include "core/counting/overflow/reported_overflow.h"
#include "core/machine/clocks.h"
#include "core/sampling/timer_source.h"
#include "core/util/raw_log.h"
#include "core/util/raw_syscall.h"
#include "core/util/text.h"

// A signal finds its set by cookie or descriptor, and enters it (Visit). Deliver empties all rings
// of the set (TakeAll), reads the counts where the rings may not show everything (Counts), computes
// for each armed event how many multiples of its threshold are new (Fresh), and calls the user's
// handler once for them. A tick has no rings and reads the counts; a library that reports passes
// its count.
// The user's handler may stop, reset or release the set, or leave by a jump. So nothing of the set
// is used after a call without asking Visit::Holds.

namespace csink {
namespace {

using State = SetOverflow::State;

// perf_event_open(2): a PERF_RECORD_THROTTLE or UNTHROTTLE, the largest record of our rings.
constexpr std::size_t kLargestRecordBytes = 32;
// A clock's count is read at every 64th signal. When the kernel's timer is late, or cannot be as
// short as the threshold, multiples pass without a signal and without a record (77 % of the
// multiples of 20 us on a machine with slow timers). While the signals are behind the count, the
// count is read at each signal. One read(2) takes 0.5 us. See docs/design/overflow.md.
constexpr std::uint32_t kDeliveriesToLook = 64;

/// The stay of this thread inside the handler of one set. Converts to false if the set is no longer
/// armed for this thread. Keeps errno. The protocol with Disarm is described at SetOverflow::State.
class Visit {
 public:
  Visit(State& state, std::uint32_t generation, void* context) noexcept
      : state_(state), generation_(generation), thread_(ThreadPointer()), context_(context) {
    const void* before = state_.inside.exchange(thread_, std::memory_order_seq_cst);
    nested_ = before == thread_ && state_.kind == OverflowSourceKind::kReported;
    if (!Holds()) return;
    state_.context = context;
    errno_ = state_.errno_address;
    saved_errno_ = *errno_;
  }
  ~Visit() {
    if (errno_) *errno_ = saved_errno_;
    // The user's handler may have released the slot. Its next owner's marks must not be changed.
    const void* ours = thread_;
    if (nested_) return;
    if (!state_.inside.compare_exchange_strong(ours, nullptr, std::memory_order_seq_cst)) return;
    if (errno_ && state_.block_on_return.exchange(false, std::memory_order_relaxed)) {
      // Disarm ran inside the handler, where it could not block our signal: the return from the
      // handler restores the mask, so the mask to be restored is changed here.
      auto* uc = static_cast<ucontext_t*>(context_);
      sigaddset(&uc->uc_sigmask, overflow_signals::Number(state_.kind));
    }
  }
  Visit(const Visit&) = delete;
  Visit& operator=(const Visit&) = delete;

  explicit operator bool() const noexcept { return errno_ != nullptr; }
  /// Whether the set is still armed for this thread, in the same generation of the slot.
  bool Holds() const noexcept {
    return state_.armed_thread.load(std::memory_order_seq_cst) == thread_ &&
           state_.generation.load(std::memory_order_seq_cst) == generation_;
  }
  /// Calls the user's handler for `multiples` multiples of the threshold; the first one is
  /// reported, the others count as missed.
  void Call(const ArmedCounter& armed, std::uint64_t multiples) noexcept {
    const OverflowHit hit = {reinterpret_cast<void*>(ContextPc(context_)), armed.what.vector,
                             multiples - 1, context_};
    state_.calls.fetch_add(1, std::memory_order_relaxed);
    state_.missed.fetch_add(multiples - 1, std::memory_order_relaxed);
    state_.handler(state_.owner, hit);
  }

 private:
  State& state_;
  std::uint32_t generation_;
  const void* thread_;
  void* context_;
  bool nested_ = false;  ///< Inside a handler that itself counts a reported event (kReported)
  int* errno_ = nullptr;
  int saved_errno_ = 0;
};

void Warn(const ArmedCounter& armed) noexcept {
  Text<400> text;
  text.Add("the overflow threshold ").Number(armed.what.threshold);
  text.Add(" is reached so often that the program cannot make progress (");
  text.Number(armed.guard.rate()).Add(" calls a second of CPU time): the handler is called for ");
  text.Add(
      "every 2nd, 4th, ... multiple only while the rate is this high. Use a larger threshold.");
  RawLog(LogLevel::kWarn, text.view());
}

// Thins out the overflows of an event that interrupts too often, by a longer period.
void Guard(State& state, ArmedCounter& armed, bool busy) noexcept {
  if (!armed.guard.Count(busy) || !armed.guard.LookAt(ThreadCpuNs())) return;
  if (!armed.warned) Warn(armed);
  armed.warned = true;
  std::uint64_t period = armed.what.threshold * armed.multiples();
  RawSyscall(SYS_ioctl, state.set->fd(armed.what.counter), static_cast<long>(PERF_EVENT_IOC_PERIOD),
             SyscallArg(&period));
}

/// The counts of the set, read where the signals do not show everything: where a ring was full, and
/// where several events are armed. When two events overflow together, the kernel is still
/// delivering the first one's signal (in kernel mode) at the second overflow, and an event that
/// excludes kernel mode reports nothing there.
class Counts {
 public:
  Counts(State& state, bool wanted) noexcept : state_(state), wanted_(wanted) { Look(); }
  void Want() noexcept {
    if (wanted_) return;
    wanted_ = true;
    Look();
  }
  /// nullptr: the counts are not read.
  const long long* get() noexcept {
    if (state_.counts_set != as_of_) Look();  // the handler just called has set the counts
    return wanted_ ? state_.counts : nullptr;
  }

 private:
  void Look() noexcept {
    as_of_ = state_.counts_set;
    if (wanted_ && !state_.set->Read(state_.counts)) wanted_ = false;
  }

  State& state_;
  bool wanted_;
  std::uint32_t as_of_ = 0;
};

/// Empties the rings of all armed counters before the user's handler is called for the first one: a
/// throttled event, and from Linux 6.16 on its whole group, counts nothing until it is started
/// again here, and the handler may take long. The kernel limits each event to
/// perf_event_max_sample_rate / HZ interrupts a tick.
void TakeAll(State& state, std::size_t signalled) noexcept {
  for (std::size_t i = 0; i < state.armed_count; ++i) {
    ArmedCounter& armed = state.armed[i];
    RingContents news;
    if (armed.ring.mapped()) {
      news = TakeOverflows(armed.ring);
    } else if (i == signalled) {
      news.overflows = 1;
    }
    armed.taken += news.overflows;
    // The overflow that throttled the event may have come without a signal; the count shows it.
    armed.incomplete = armed.incomplete || news.incomplete || news.throttled;
    if (news.throttled || (!armed.ring_has_throttle_records && news.overflows != 0)) {
      state.set->EndThrottle(armed.what.counter);
    }
  }
}

// Calls the user's handler for each armed counter that reached a new multiple of its threshold.
void Deliver(State& state, Visit& visit, std::size_t signalled) noexcept {
  TakeAll(state, signalled);
  Counts counts(state, state.armed_count > 1);
  for (std::size_t i = 0; i < state.armed_count; ++i) {
    ArmedCounter& armed = state.armed[i];
    const std::uint64_t overflows = std::exchange(armed.taken, 0);
    const bool incomplete = std::exchange(armed.incomplete, false);
    if (incomplete || armed.NeedsCountAtThisSignal()) counts.Want();
    const std::uint64_t multiples = armed.Fresh(overflows, counts.get());
    if (incomplete) armed.AlignSignals();
    if (multiples == 0) continue;
    visit.Call(armed, multiples);
    if (!visit.Holds()) return;
    Guard(state, armed, overflows > 1);
  }
}

}  // namespace

// See kDeliveriesToLook.
bool ArmedCounter::NeedsCountAtThisSignal() noexcept {
  if (!what.clock) return false;
  return delivered > BySignal() || ++deliveries % kDeliveriesToLook == 0;
}

// Signals and count are two measures of the same multiples. The larger one is taken, because
// signals may be missing. A difference of 2^62 or more is a subtraction that went below zero.
std::uint64_t ArmedCounter::Fresh(std::uint64_t overflows, const long long* counts) noexcept {
  signalled += overflows * multiples();
  std::uint64_t reached = overflows != 0 && BySignal() > delivered ? BySignal() : delivered;
  if (counts) {
    const long long now = Value(counts);
    if (now < value) CountFrom(0);  // the count was reset without a call of CountsSet
    value = now;
    const auto by_count = static_cast<std::uint64_t>(Whole(now) + value_from);
    if (by_count > reached && by_count - delivered < std::uint64_t{1} << 62) reached = by_count;
  }
  // While the guard thins out, multiples are collected until a whole factor of them is due.
  if (reached - delivered < guard.factor()) return 0;
  const std::uint64_t fresh = reached - delivered;
  delivered = reached;
  return fresh;
}

// At the first report the base is the library's count at which the set began. The differences are
// computed unsigned, because a library's count may wrap.
std::uint64_t ArmedCounter::NewReportedMultiples(long long latest, long long count) noexcept {
  if (!has_reported_base) {
    reported_base = static_cast<long long>(static_cast<std::uint64_t>(latest) -
                                           static_cast<std::uint64_t>(count));
    has_reported_base = true;
  }
  const auto reached = static_cast<std::uint64_t>(Whole(static_cast<long long>(
      static_cast<std::uint64_t>(latest) - static_cast<std::uint64_t>(reported_base))));
  return reached > delivered ? reached - delivered : 0;
}

RingContents TakeOverflows(RingBuffer& ring) noexcept {
  RingContents news;
  // A full ring had no room for a PERF_RECORD_LOST; the kernel writes that before the next record.
  news.incomplete = ring.pending_bytes() + kLargestRecordBytes > ring.data_bytes();
  ring.Drain([&](const RingRecord& record) {
    if (record.type() == PERF_RECORD_SAMPLE) ++news.overflows;
    if (record.type() == PERF_RECORD_LOST) news.incomplete = true;
    if (record.type() == PERF_RECORD_THROTTLE) news.throttled = true;
  });
  return news;
}

void DeliverByCookie(const OverflowCookie& cookie, void* context) noexcept {
  State* state = overflow_table::Find(cookie);
  if (!state) return overflow_table::CountLate();
  // The full generation: the cookie holds its lower 24 bits only.
  Visit visit(*state, state->generation.load(std::memory_order_seq_cst), context);
  if (!visit) return overflow_table::CountLate();
  Deliver(*state, visit, cookie.arming);
}

bool DeliverByDescriptor(int fd, void* context) noexcept {
  std::size_t next = 0;
  while (State* state =
             overflow_table::NextArmedBy(ThreadPointer(), OverflowSourceKind::kSignal, &next)) {
    Visit visit(*state, state->generation.load(std::memory_order_seq_cst), context);
    if (!visit) continue;
    for (std::size_t i = 0; i < state->armed_count; ++i) {
      if (state->set->fd(state->armed[i].what.counter) != fd) continue;
      Deliver(*state, visit, i);
      return true;
    }
  }
  return false;
}

void OnOverflowTick(void* arg, std::uint64_t, void* context) noexcept {
  State& state = *static_cast<State*>(arg);
  Visit visit(state, state.generation.load(std::memory_order_seq_cst), context);
  if (!visit) return;
  // Polls only the events whose overflows the library does not report. Requires that the set has
  // been started: before, the counts do not begin at zero.
  const bool by_library = state.kind == OverflowSourceKind::kReported;
  if (by_library && !state.set->running()) return;
  Counts counts(state, !by_library);
  for (std::size_t i = 0; i < state.armed_count; ++i) {
    if (by_library && !state.armed[i].Ticks()) continue;
    const std::uint64_t multiples =
        state.armed[i].Fresh(0, by_library ? state.counts : counts.get());
    if (multiples == 0) continue;
    visit.Call(state.armed[i], multiples);
    if (!visit.Holds()) return;
  }
}

namespace {

std::atomic<int> g_expected{0};

State* NextToldHere(std::size_t* from) noexcept {
  return overflow_table::NextArmedBy(ThreadPointer(), OverflowSourceKind::kReported, from);
}

}  // namespace

void reported_overflow::Expect() noexcept { g_expected.fetch_add(1, std::memory_order_relaxed); }
void reported_overflow::Forget() noexcept { g_expected.fetch_sub(1, std::memory_order_relaxed); }
bool HasReportedOverflows() noexcept { return g_expected.load(std::memory_order_relaxed) > 0; }

bool IsReportedOverflowDue(const ReportedCount& reported) noexcept {
  std::size_t next = 0;
  while (State* state = NextToldHere(&next)) {
    for (std::size_t i = 0; i < state->armed_count; ++i) {
      ArmedCounter& armed = state->armed[i];
      if (armed.what.reported_number != reported.number || !armed.IsReported()) continue;
      if (armed.NewReportedMultiples(reported.latest, reported.count) != 0) return true;
    }
  }
  return false;
}

void ReportOverflow(const ReportedCount& reported, void* context) noexcept {
  std::size_t next = 0;
  while (State* state = NextToldHere(&next)) {
    Visit visit(*state, state->generation.load(std::memory_order_seq_cst), context);
    for (std::size_t i = 0; visit && i < state->armed_count; ++i) {
      ArmedCounter& armed = state->armed[i];
      if (armed.what.reported_number != reported.number || !armed.IsReported()) continue;
      const std::uint64_t multiples = armed.NewReportedMultiples(reported.latest, reported.count);
      if (multiples == 0) continue;
      armed.delivered += multiples;
      visit.Call(armed, multiples);
      if (!visit.Holds()) break;
    }
  }
}

void PollOverflows(void* context) noexcept {
  std::size_t next = 0;
  while (State* state = NextToldHere(&next)) OnOverflowTick(state, 0, context);
}

}  // namespace csink
