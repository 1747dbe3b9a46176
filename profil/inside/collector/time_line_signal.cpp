#include <cstring>

#include "core/machine/thread_times.h"
#include "profil/format/slices.h"
#include "profil/inside/collector/time_line.h"

/// File: the looks at threads, and the choice of the hottest places. All times are cumulative
/// numbers; a slice gets the difference of two of them in microseconds, so that nothing is lost by
/// rounding.

namespace csink {
namespace {

using spool::ThreadSlice;

constexpr std::uint64_t kUs = 1000;
/// A thread's wait time before this agent: unknown where it ran longer than this before (an exec
/// keeps the kernel's numbers).
constexpr std::uint64_t kFreshNs = 50'000'000;
/// A new thread begins at most this long before its first look.
constexpr std::uint64_t kLongestGapNs = 250'000'000;
/// A thread is looked at at least this often, however wide the slices are.
constexpr std::uint64_t kLongestLookNs = 1'000'000'000;
/// Samples of a place before it gets a row, and by which it must exceed the coldest place with one.
constexpr std::uint32_t kLeastSamples = 4;
constexpr std::uint32_t kLead = 16;
constexpr std::size_t kSets = 128;
constexpr std::size_t kWays = 4;
constexpr std::size_t kRemembered = 64;

/// A thread with a row, as of its last look.
struct ThreadState {
  spool::ThreadSlicesRecord* record;  ///< nullptr: not made yet, or no room
  std::uint32_t thread;
  std::uint32_t flags;
  bool refused;  ///< There was no room
  std::uint64_t start_ns;
  std::uint64_t look_ns;
  std::uint64_t start_run_ns;
  std::uint64_t start_wait_ns;
  std::uint64_t run_us;  ///< These four: since start_ns
  std::uint64_t wait_us;
  std::uint64_t blocked_us;
  std::uint64_t samples;
};

/// A stretch of a thread before the rows are made.
struct Stretch {
  std::uint64_t from_ns;
  std::uint64_t to_ns;
  ThreadSlice all;
  std::uint32_t row;
  std::uint32_t flags;
};

/// A place and its samples so far. A place without a row loses its entry to others of its set.
struct Candidate {
  std::uint64_t pc;
  std::uint32_t region;
  std::uint32_t samples;  ///< 0: free
  spool::PlaceSlicesRecord* record;
};

// Static, not a member: an agent that never sweeps does not touch these pages. The last element of
// g_threads is the sum of further threads.
ThreadState g_threads[TimeLine::kRows + 1];
Stretch g_remembered[kRemembered];
Candidate g_places[kSets][kWays];
bool g_used;  // The tables may contain what was known of an earlier spool

/// The time or the number since then; 0 where the clock of `then` was ahead.
std::uint64_t Since(std::uint64_t now, std::uint64_t then) noexcept {
  return now > then ? now - then : 0;
}

/// Cuts to the 32 bits of a slice: 71 minutes in microseconds.
std::uint32_t Narrow(std::uint64_t value) noexcept {
  return value > ~std::uint32_t{0} ? ~std::uint32_t{0} : static_cast<std::uint32_t>(value);
}

/// The entries in which a place may be (Fibonacci hashing: the upper 7 bits of the product).
Candidate* SetOf(std::uint32_t region, std::uint64_t pc) noexcept {
  const std::uint64_t hash = (pc ^ std::uint64_t{region} << 48) * 0x9e3779b97f4a7c15u;
  return g_places[hash >> 57];
}
static_assert(kSets == 1u << (64 - 57));

}  // namespace

bool TimeLine::Begin(std::uint64_t now_ns) noexcept {
  spool::Header& header = spool_.header();
  // The begin of the process is not known, so no slice has a place in time.
  if (header.start_monotonic_ns == 0 || now_ns < header.start_monotonic_ns) return false;
  if (!begun_) {
    begun_ = true;
    start_ns_ = sweep_ns_ = further_from_ns_ = header.start_monotonic_ns;
    if (g_used) {
      std::memset(g_threads, 0, sizeof g_threads);
      std::memset(g_places, 0, sizeof g_places);
    }
    g_used = true;
    header.slice_width_ns = kSliceNs;
    header.place_width_ns = kPlaceSliceNs;
    // Last: a reader that sees a start also sees the widths.
    spool::StoreOrdered(header.slices_start_ns, start_ns_);
  }
  if (!rows_made_ && now_ns - start_ns_ >= kLeastLifeNs) MakeRows(now_ns);
  return true;
}

void TimeLine::MakeRows(std::uint64_t now_ns) noexcept {
  rows_made_ = true;
  for (std::size_t i = 0; i < remembered_; ++i) {
    const Stretch& stretch = g_remembered[i];
    Store(stretch.row, stretch.from_ns, stretch.to_ns, stretch.all, stretch.flags);
  }
  remembered_ = 0;
  // When these samples were taken is not known: they are spread over the time until now.
  for (auto& set : g_places) {
    for (Candidate& place : set) {
      if (place.samples < kLeastSamples || place_rows_ == spool::kMaxPlaceSliceRows) continue;
      place.record = spool_.AddPlaceSlices(place.region, place.pc, 0);
      if (!place.record) return;
      ++place_rows_;
      spool::AddStretch(*place.record, kPlaceSliceNs, 0, now_ns - start_ns_, place.samples);
      StoreLive(place.record->samples, std::uint64_t{place.samples});
    }
  }
}

std::size_t TimeLine::AddRow(std::uint32_t thread, std::uint64_t start_ns,
                             const Times& start) noexcept {
  if (rows_ == kRows) return kRows;
  ThreadState& state = g_threads[rows_];
  state = {};
  state.thread = thread;
  state.start_ns = state.look_ns = start_ns > start_ns_ ? start_ns : start_ns_;
  state.start_run_ns = start.run_ns;
  state.start_wait_ns = start.wait_ns;
  return rows_++;
}

// The slot may have belonged to another thread, or to another spool: the row's own number counts.
bool TimeLine::HasRow(const ThreadSlot& slot) const noexcept {
  const std::size_t known = slot.time_row;
  return begun_ && known != 0 && known <= rows_ && g_threads[known - 1].thread == slot.spool_thread;
}

std::size_t TimeLine::RowOf(ThreadSlot& slot, std::uint64_t now_ns) noexcept {
  if (slot.spool_thread == spool::kNone || slot.spool_thread == spool::kMergedThread) return kRows;
  if (HasRow(slot)) return std::size_t{slot.time_row} - 1;
  if (rows_ == kRows) return kRows;
  // Many short threads must not take the rows of the others, nor 16 kB of the spool each.
  if (!slot.is_main && Since(now_ns, slot.times.begin_ns) < kLeastThreadLifeNs) return kRows;
  Times now;
  // The thread has ended since the sweep began.
  if (!Read(slot, now)) return kRows;
  Times start;
  start.run_ns = slot.armed_cpu_ns;
  // The thread ran long before it was sampled: its waits until now are not those of its row.
  if (slot.armed_cpu_ns > kFreshNs) start.wait_ns = now.wait_ns;
  std::uint64_t start_ns = start_ns_;
  if (!slot.is_main) {
    const auto* record = spool_.At<spool::ThreadRecord>(slot.spool_thread);
    start_ns = record ? record->start_monotonic_ns : 0;
    if (start_ns == 0 || start_ns > now_ns) {
      const std::uint64_t gap = Since(now_ns, kLongestGapNs);
      start_ns = sweep_ns_ > gap ? sweep_ns_ : gap;
    }
  }
  const std::size_t row = AddRow(slot.spool_thread, start_ns, start);
  slot.time_row = static_cast<std::uint8_t>(row + 1);
  Look(row, now_ns, now, slot.samples);
  return row;
}

bool TimeLine::Read(const ThreadSlot& slot, Times& times) noexcept {
  if (slot.has_ended()) {
    const LastReadings& end = slot.end;
    times = {end.cpu_ns, 0, false};
    if (end.schedule_error == 0) times = {end.schedule.run_ns, end.schedule.wait_ns, true};
    return end.cpu_ns != 0;
  }
  const pid_t tid = slot.tid.load(std::memory_order_relaxed);
  if (const auto read = ReadThreadTimes(static_cast<std::uint32_t>(tid))) {
    times = {read->run_ns, read->wait_ns, true};
    return true;
  }
  // No /proc, or a kernel without these numbers: the thread's CPU clock is the same run time.
  const long cpu_ns = kernel_.ThreadCpuNs(tid);
  if (cpu_ns <= 0) return false;
  times = {static_cast<std::uint64_t>(cpu_ns), 0, false};
  return true;
}

void TimeLine::Look(std::size_t row, std::uint64_t now_ns, const Times& times,
                    std::uint64_t samples) noexcept {
  ThreadState& state = g_threads[row];
  if (now_ns <= state.look_ns) return;
  const std::uint64_t wall_us = (now_ns - state.start_ns) / kUs;
  const std::uint64_t run_us = Since(times.run_ns, state.start_run_ns) / kUs;
  // A look without the file keeps the last number.
  const std::uint64_t wait_us =
      times.wait_known ? Since(times.wait_ns, state.start_wait_ns) / kUs : state.wait_us;
  if (!times.wait_known) state.flags |= spool::kSlicesNoWait;
  // The kernel adds a turn's time at the tick or at its end, up to 4 ms late: until then the time
  // looks blocked. The cumulative number takes this back at the next look; it never shrinks.
  const std::uint64_t rest_us = Since(wall_us, run_us + wait_us);
  const std::uint64_t blocked_us = rest_us > state.blocked_us ? rest_us : state.blocked_us;
  const ThreadSlice all = {
      Narrow(Since(run_us, state.run_us)), Narrow(Since(wait_us, state.wait_us)),
      Narrow(blocked_us - state.blocked_us), Narrow(Since(samples, state.samples))};
  if (rows_made_) {
    Store(row, state.look_ns, now_ns, all, state.flags);
  } else if (remembered_ < kRemembered) {
    g_remembered[remembered_++] = {state.look_ns, now_ns, all, static_cast<std::uint32_t>(row),
                                   state.flags};
  } else {
    return;  // the next look covers this stretch, too
  }
  state.look_ns = now_ns;
  state.run_us = run_us;
  state.wait_us = wait_us;
  state.blocked_us = blocked_us;
  state.samples = samples;
}

void TimeLine::Store(std::size_t row, std::uint64_t from_ns, std::uint64_t to_ns,
                     const ThreadSlice& all, std::uint32_t flags) noexcept {
  ThreadState& state = g_threads[row];
  // A full disk stays full for a while; a row that came late would lack its begin.
  if (!state.record && !state.refused) {
    state.record = spool_.AddThreadSlices(state.thread, state.start_ns);
    state.refused = !state.record;
  }
  if (!state.record ||
      !spool::AddStretch(*state.record, kSliceNs, from_ns - start_ns_, to_ns - start_ns_, all)) {
    // Time that is in no row is counted, so that the report can say how much is missing.
    const std::uint64_t us = std::uint64_t{all.run_us} + all.wait_us + all.blocked_us;
    spool::Header& header = spool_.header();
    StoreLive(header.unsliced_ns, header.unsliced_ns + us * kUs);
    return;
  }
  StoreLive(state.record->flags, flags);
  StoreLive(state.record->end_ns, to_ns);
}

void TimeLine::Drained(const ThreadSlot& slot, std::uint64_t cpu_ns, std::uint64_t samples,
                       bool ends) noexcept {
  if (!begun_ || slot.spool_thread == spool::kNone || HasRow(slot)) return;
  if (slot.spool_thread == spool::kMergedThread || rows_ == kRows) {
    further_run_ns_ += Since(cpu_ns, slot.drained_cpu_ns);
    further_samples_ += samples;
  } else if (ends) {
    // A row could have been added at each earlier drain, so that nothing was counted there.
    further_run_ns_ += Since(cpu_ns, slot.armed_cpu_ns);
    further_samples_ += slot.samples;
  }
}

void TimeLine::StoreFurther(std::uint64_t now_ns) noexcept {
  if (!rows_made_ || (further_run_ns_ == 0 && further_samples_ == 0)) return;
  ThreadState& state = g_threads[kRows];
  if (!state.record && !state.refused) {
    state.thread = spool::kMergedThread;
    state.start_ns = further_from_ns_;
  }
  const ThreadSlice all = {Narrow(further_run_ns_ / kUs), 0, 0, Narrow(further_samples_)};
  Store(kRows, further_from_ns_, now_ns, all, spool::kSlicesRunOnly);
  // What is less than a microsecond stays for the next stretch.
  further_run_ns_ %= kUs;
  further_samples_ = 0;
}

void TimeLine::BeginDrain(std::uint64_t now_ns) noexcept {
  if (!begun_) return;
  // Samples in the rings are of the time since the last sweep, most of them of its end: a program
  // with one thread drains after each 100 ms of CPU time.
  const std::uint64_t half_ns = Since(now_ns, sweep_ns_) / 2;
  place_ns_ = now_ns - (half_ns < kSliceNs / 2 ? half_ns : kSliceNs / 2);
}

void TimeLine::Sweep(std::uint64_t now_ns, Which which) noexcept {
  if (!Begin(now_ns)) return;
  const bool all = which == Which::kAll;
  // At the end of a process that gets no rows.
  if (all && !rows_made_) return;
  const std::size_t end = registry_.high_water();
  std::size_t looks = 0;
  for (std::size_t n = 0; n < end && (all || looks < kLooks); ++n) {
    // Sweeps go on where the last one stopped, so that each of many threads has its turn.
    if (next_slot_ >= end) next_slot_ = 0;
    ThreadSlot& slot = registry_.at(next_slot_++);
    if (slot.state.load(std::memory_order_acquire) != SlotState::kLive) continue;
    const std::size_t before = rows_;
    const std::size_t row = RowOf(slot, now_ns);
    if (row == kRows) continue;
    const ThreadState& state = g_threads[row];
    std::uint64_t due_ns = all ? 0 : kSliceNs / 2;
    // A row whose slices have become wider needs fewer looks: two for each slice.
    if (state.record) due_ns <<= spool::SliceShape::Of(state.record->shape).doublings;
    if (due_ns > kLongestLookNs) due_ns = kLongestLookNs;
    Times times;
    if (rows_ != before) {
      ++looks;  // RowOf has looked
    } else if (now_ns - state.look_ns >= due_ns && Read(slot, times)) {
      Look(row, now_ns, times, slot.samples);
      ++looks;
    }
  }
  StoreFurther(now_ns);
  further_from_ns_ = sweep_ns_ = now_ns;
}

void TimeLine::LastLook(ThreadSlot& slot, std::uint64_t now_ns) noexcept {
  Times times;
  // Nothing can be read of a thread that is gone: its row ends at the last look.
  if (Read(slot, times)) Look(std::size_t{slot.time_row} - 1, now_ns, times, slot.samples);
}

void TimeLine::CountPlace(std::uint32_t region, std::uint64_t pc) noexcept {
  if (!begun_) return;
  Candidate* set = SetOf(region, pc);
  Candidate* place = nullptr;
  Candidate* weakest = nullptr;  // Of those without a row
  for (std::size_t i = 0; i < kWays; ++i) {
    Candidate& one = set[i];
    if (one.samples != 0 && one.pc == pc && one.region == region) {
      place = &one;
      break;
    }
    if (!one.record && (!weakest || one.samples < weakest->samples)) weakest = &one;
  }
  if (!place) {
    if (!weakest) return;  // four hotter places share the set
    if (weakest->samples != 0) {
      --weakest->samples;  // it gives way when it was met less often than others of its set
      return;
    }
    *weakest = {pc, region, 1, nullptr};
    return;
  }
  if (place->samples != ~std::uint32_t{0}) ++place->samples;
  if (!rows_made_) return;
  const std::uint64_t at_ns = Since(place_ns_, start_ns_);
  // A new row begins with this sample: when the earlier ones were taken is not known.
  if (!place->record) {
    if (place->samples < kLeastSamples) return;
    if (place_rows_ < spool::kMaxPlaceSliceRows) {
      place->record = spool_.AddPlaceSlices(region, pc, 0);
      if (!place->record) return;
      ++place_rows_;
    } else {
      if (place->samples < coldest_ + kLead) return;
      Candidate* victim = nullptr;
      for (auto& other_set : g_places) {
        for (Candidate& other : other_set) {
          if (other.record && (!victim || other.samples < victim->samples)) victim = &other;
        }
      }
      if (!victim) return;
      // Remembered so that most places are refused without this search.
      coldest_ = victim->samples;
      if (place->samples < coldest_ + kLead) return;
      place->record = victim->record;
      victim->record = nullptr;
      spool::MovePlace(*place->record, region, pc);
    }
  }
  // A full row counts no further samples, so that its sum is that of its slices.
  if (!spool::AddStretch(*place->record, kPlaceSliceNs, at_ns, at_ns, std::uint32_t{1})) return;
  StoreLive(place->record->samples, place->record->samples + 1);
}

void TimeLine::Clear() noexcept {
  rows_ = place_rows_ = remembered_ = next_slot_ = 0;
  begun_ = rows_made_ = false;
  start_ns_ = sweep_ns_ = place_ns_ = coldest_ = 0;
  further_run_ns_ = further_samples_ = further_from_ns_ = 0;
}

}  // namespace csink
