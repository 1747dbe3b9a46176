#include "core/counting/overflow/set_overflow.h"

#include <errno.h>

#include "core/counting/overflow/overflow_state.h"
#include "core/counting/overflow/source_choice.h"
#include "core/perf/kernel.h"

// The half of SetOverflow that runs in no handler: it claims a slot of the table, chooses the
// source and fills the slot. Arm and Disarm are in set_overflow_signal.cpp, because a handler may
// stop and start its set; what a signal does is in overflow_hit_signal.cpp.

namespace csink {
namespace {

using Kind = OverflowSourceKind;
using State = SetOverflow::State;

// Errors of the caller, before anything is changed. With kForcedSoftware derived events are not
// compared with others, since several of them may use one counter.
Result<void> Check(std::span<const CounterRequest> requests,
                   std::span<const OverflowArming> armings, OverflowMode mode) noexcept {
  if (requests.size() > kMaxOverflowCounters || armings.size() > kMaxArmings) {
    return Error{Errc::kLimit, 0, "too many counters with overflow"};
  }
  if (armings.empty()) return Error{Errc::kInvalid, 0, "no event with overflow"};
  // On the stack: the room is lean, and a set has at most kMaxOverflowCounters counters.
  bool seen[kMaxOverflowCounters] = {};
  for (const OverflowArming& arming : armings) {
    if (arming.threshold == 0) {
      return Error{Errc::kInvalid, 0, "an overflow threshold must not be 0"};
    }
    // perf_event_open(2) refuses a sample_period with bit 63 set.
    if (arming.threshold > static_cast<std::uint64_t>(INT64_MAX)) {
      return Error{Errc::kInvalid, 0, "an overflow threshold is larger than the kernel accepts"};
    }
    if (arming.value && mode == OverflowMode::kForcedSoftware) continue;
    if (arming.value && mode == OverflowMode::kHardware) {
      return Error{Errc::kInvalid, 0, "a derived event supports software overflow only"};
    }
    if (arming.counter >= requests.size()) {
      return Error{Errc::kInvalid, 0, "the event with overflow is not in the set"};
    }
    if (seen[arming.counter]) {
      return Error{Errc::kInvalid, 0, "an event has two overflow thresholds"};
    }
    seen[arming.counter] = true;
  }
  return {};
}

/// The multiples of the threshold between two overflows: 2 for the signal source with threshold 1.
/// A pending signal makes the kernel repeat a page fault, and the repeated fault is counted again.
/// With an overflow at each count the next signal would then be pending again, without end. A
/// SIGTRAP is raised only on the return to the program, after the fault.
std::uint64_t StepFor(Kind kind, std::uint64_t threshold) noexcept {
  return kind == Kind::kSignal && threshold == 1 ? 2 : 1;
}

// How the event of arming number `arming` must be opened, so that its signals find this slot again.
// kNone for sources without interrupts.
SamplingRequest SamplingOf(const State& state, std::uint32_t arming) noexcept {
  SamplingRequest request;
  if (!Interrupts(state.kind)) return request;
  const ArmedCounter& armed = state.armed[arming];
  request.delivery = state.kind == Kind::kSigtrap ? SamplingRequest::Delivery::kSigtrap
                                                  : SamplingRequest::Delivery::kSignal;
  // Cannot wrap: a step of 2 goes with threshold 1 only (StepFor).
  request.period = armed.what.threshold * armed.step;
  request.cookie = OverflowCookie{state.generation.load(), state.slot, arming}.Pack();
  request.signal = overflow_signals::Number(state.kind);
  return request;
}

void DropRings(State& state) noexcept {
  for (std::size_t i = 0; i < state.armed_count; ++i) state.armed[i].ring.Unmap(RealKernel());
}

void Fill(State& state, std::span<const OverflowArming> armings) noexcept {
  state.armed_count = armings.size();
  for (std::size_t i = 0; i < armings.size(); ++i) {
    state.armed[i] = ArmedCounter{};
    state.armed[i].what = armings[i];
    state.armed[i].step = StepFor(state.kind, armings[i].threshold);
  }
}

}  // namespace

Result<void> SetOverflow::Prepare(std::span<CounterRequest> requests,
                                  std::span<const OverflowArming> armings, OverflowMode mode,
                                  OverflowHandler handler, void* owner, Kind forced) noexcept {
  if (armed()) return Error{Errc::kConflict, 0, "the set is counting"};
  if (!handler) return Error{Errc::kInvalid, 0, "no overflow handler"};
  if (const auto good = Check(requests, armings, mode); !good) return good.error();
  // Looked at each time: a debugger may have been attached since the last set.
  const auto choice = ChooseSource(LookAtMachine(), armings, mode, forced);
  if (!choice) return choice.error();
  // Before the old slot is released: on failure the set keeps its earlier preparation.
  State* state = overflow_table::Claim();
  if (!state) return Error{Errc::kLimit, ENOMEM, "too many event sets with overflow"};

  // Take before Release: the former source may use the same signal, whose handler then stays.
  overflow_signals::Take(choice->kind);
  Release();
  state_ = state;
  state->kind = choice->kind;
  state->reason = choice->reason;
  state->handler = handler;
  state->owner = owner;
  state->counter_count = requests.size();
  state->may_come_late = false;
  state->was_blocked = false;
  state->block_on_return.store(false, std::memory_order_relaxed);
  state->calls.store(0, std::memory_order_relaxed);
  state->missed.store(0, std::memory_order_relaxed);
  Fill(*state, armings);
  // Also for events that an earlier Prepare armed and this one does not.
  for (CounterRequest& request : requests) request.sampling = SamplingRequest{};
  if (!Interrupts(state->kind)) return {};
  for (std::uint32_t i = 0; i < armings.size(); ++i) {
    requests[armings[i].counter].sampling = SamplingOf(*state, i);
  }
  return {};
}

Result<void> SetOverflow::Arm(CounterSet& set) noexcept {
  if (!state_) return Error{Errc::kInvalid, 0, "overflow was not prepared"};
  // The address of errno is taken here: in a handler __errno_location would be a call into libc.
  return ArmOn(set, &errno);
}

void SetOverflow::Release() noexcept {
  if (!state_) return;
  Disarm();
  State& state = *state_;
  state_ = nullptr;
  // A handler that is still inside after Disarm's wait keeps using the slot and its rings, so both
  // are left as they are.
  const void* inside = state.inside.load(std::memory_order_seq_cst);
  const bool leave = inside != nullptr && inside != ThreadPointer();
  if (!leave) DropRings(state);
  overflow_signals::Give(state.kind, state.may_come_late);
  overflow_table::Release(state, leave);
}

void SetOverflow::ForgetAfterFork() noexcept {
  if (!state_) return;
  State& state = *state_;
  state_ = nullptr;
  const bool armed = state.armed_thread.exchange(nullptr, std::memory_order_seq_cst) != nullptr;
  // The counter of armed sets was copied by the fork and is the child's own now.
  if (armed && state.kind == Kind::kReported) reported_overflow::Forget();
  state.inside.store(nullptr, std::memory_order_seq_cst);
  // POSIX timers are not inherited (timer_create(2)): there is nothing to delete, and an id may be
  // another timer's.
  state.tick.ForgetAfterFork();
  for (std::size_t i = 0; i < state.armed_count; ++i) state.armed[i].ring.Forget();
  overflow_signals::Give(state.kind, false);
  overflow_table::Release(state, false);
}

void SetOverflow::ProcessForked() noexcept { overflow_signals::ProcessForked(); }

void SetOverflow::CountsSet(const long long* counts) noexcept {
  if (!state_) return;
  for (std::size_t i = 0; i < state_->armed_count; ++i) {
    ArmedCounter& armed = state_->armed[i];
    if (state_->kind == Kind::kReported) {
      armed.SetReportedBase(counts ? &counts[armed.what.counter] : nullptr);
    }
    if (state_->kind == Kind::kReported && !armed.Ticks()) continue;
    armed.CountFrom(counts ? armed.Value(counts) : 0);
  }
  ++state_->counts_set;
}

const char* SetOverflow::source() const noexcept {
  if (!state_) return "";
  if (state_->kind == Kind::kSigtrap) return "sigtrap";
  if (state_->kind == Kind::kReported) return "reported";
  return state_->kind == Kind::kSignal ? "signal" : "timer";
}

const char* SetOverflow::reason() const noexcept { return state_ ? state_->reason : ""; }

OverflowTotals SetOverflow::totals() const noexcept {
  OverflowTotals totals;
  totals.late = overflow_table::late();
  if (!state_) return totals;
  totals.calls = state_->calls.load(std::memory_order_relaxed);
  totals.missed = state_->missed.load(std::memory_order_relaxed);
  for (std::size_t i = 0; i < state_->armed_count; ++i) {
    const std::uint64_t factor = state_->armed[i].guard.factor();
    if (factor > totals.thinning) totals.thinning = factor;
  }
  return totals;
}

}  // namespace csink
