#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "compat/papi/include/papi.h"
#include "compat/papi/profiling/caller_histogram.h"
#include "compat/papi/profiling/ring_profiler.h"
#include "compat/papi/sets/set_sampler.h"
#include "core/counting/overflow/set_overflow.h"
#include "core/counting/signals/thread_tick.h"

namespace csink::papi {

class EventSet;

/// One profiled event of a set.
struct ProfiledEvent {
  int event_code = 0;            ///< The PAPI event
  std::uint64_t threshold = 0;   ///< Counts between two hits
  bool by_software = false;      ///< PAPI_PROFIL_FORCE_SW
  bool by_handler = false;       ///< The set's overflow handler delivers its hits (SampleByHandler)
  bool by_data_address = false;  ///< PAPI_PROFIL_DATA_EAR
  bool exact_pc = false;         ///< PAPI_PROFIL_INST_EAR
  std::shared_ptr<CallerHistogram> histogram;  ///< The rings have shares, too
};

/// The profiling of one event set. Three ways (docs/design/overflow.md): rings, drained every 100
/// ms of the counted thread's CPU time, at PAPI_read and at PAPI_stop; the set's overflow handler
/// for events that the kernel might throttle, because a ring would be drained too late; a software
/// timer for PAPI_PROFIL_FORCE_SW. The first two may be mixed in one set, the timer not.
/// Owns:    its rings, timer and a reference to the histograms. The buckets belong to the program.
/// Threads: as SetSampler. Signals: its own tick and overflow handlers, OnHit, OnRead and
///          OnCountsSet.
class SetProfiler final : public SetSampler {
 public:
  explicit SetProfiler(const EventSet& set) noexcept : set_(set) {}
  ~SetProfiler() override { OnStop(); }

  /// Adds an event, or replaces the entry of the same event.
  void Put(ProfiledEvent event);
  /// Removes an event. False: the event was not profiled.
  bool Erase(int event_code) noexcept;
  /// The entry of an event; nullptr: it is not profiled. Valid until the next Put or Erase.
  const ProfiledEvent* Find(int event_code) const noexcept;
  const std::vector<ProfiledEvent>& events() const noexcept { return events_; }
  /// Whether the set is profiled by the timer: all its events are, or none (CheckCompany in
  /// profil_call.cpp).
  bool by_software() const noexcept { return !events_.empty() && events_.front().by_software; }

  Result<void> OnStart(CounterSet& counters) override;
  void OnStop() noexcept override;
  void OnRead() noexcept override { rings_.Drain(); }
  void OnCountsSet(const long long* counts) noexcept override {
    if (overflow_.prepared()) overflow_.CountsSet(counts);
  }
  void OnHit(int event_code, const OverflowHit& hit) noexcept override;
  bool Samples(int event_code) const noexcept override { return Find(event_code) != nullptr; }
  bool OnRemove(int event_code) noexcept override;
  void ForgetAfterFork() noexcept override;

 private:
  /// The counter of an event now: removing events moves counters.
  std::size_t CounterOf(const ProfiledEvent& event) const noexcept;
  /// Maps a ring for each event without a handler and starts the tick that drains them. Errors:
  /// those of RingProfiler::Map; nothing is mapped then.
  Result<void> MapRings(CounterSet& counters);
  /// Arms the profiled events for the software timer, with a SetOverflow of its own.
  Result<void> ArmTimer(CounterSet& counters);
  /// ThreadTick's and SetOverflow's calls; `self` is the SetProfiler. Signals: safe.
  static void Tick(void* self, std::uint64_t missed, void* context) noexcept;
  static void OnOverflow(void* self, const OverflowHit& hit) noexcept;
  /// One line on stderr where samples were lost or an event was throttled since the last report.
  void ReportLosses() noexcept;

  /// The set that owns this object.
  const EventSet& set_;
  std::vector<ProfiledEvent> events_;
  RingProfiler rings_{RealKernel()};
  ThreadTick tick_;
  SetOverflow overflow_;
  /// The losses of which the user has been told.
  RingLosses reported_;
};

/// The arguments of PAPI_profil, which has one region, and of PAPI_sprofil.
struct ProfilCall {
  const PAPI_sprofil_t* regions;
  int region_count;
  int event_code;
  int threshold;
  int flags;
  bool alone;  ///< PAPI_profil: the manual's catch-all region of one byte is an error
};

/// Switches the profiling of an event on, or off with threshold 0. The buffers of the regions stay
/// the caller's and must live until profiling is switched off. The library must be started. Errors:
/// those of PAPI_profil as papi.h documents them, with a message; the set is then as it was.
/// Threads: as EventSet. Signals: not safe.
int Profil(int handle, const ProfilCall& call);

}  // namespace csink::papi
