#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "core/counting/counter_set.h"
#include "core/overflow/set_overflow.h"
#include "core/util/result.h"

namespace csink::papi {

class EventSet;

/// The seam between an event set and the code that samples it (PAPI_profil and PAPI_sprofil): the
/// event set opens the counters and tells the sampler when they run; the sampler maps the rings,
/// drains them and fills histograms. One sampler a set; it lives until the last event's profiling
/// is switched off, or the set is cleaned up.
/// Threads: every call comes from the thread that uses the set.
/// Signals: OnHit, OnRead and OnCountsSet must be safe, because an overflow handler may read and
///          reset its set. The others are not.
class SetSampler {
 public:
  virtual ~SetSampler() = default;

  /// The counters are open and still disabled; `counters.fd(i)` are those that will run, and
  /// `counters.counted_tid()` is the thread that they count. `counters` stays valid until OnStop.
  /// An error leaves the set stopped and is the result of PAPI_start.
  virtual Result<void> OnStart(CounterSet& counters) = 0;
  /// The counters are disabled: what is drained afterwards is complete. Also called after an
  /// OnStart whose set could not be started.
  virtual void OnStop() noexcept = 0;
  /// PAPI_read, PAPI_read_ts and PAPI_accum of the running set: histograms are to be complete.
  virtual void OnRead() noexcept = 0;
  /// The counts of the set were reset (nullptr) or set to counts[].
  virtual void OnCountsSet(const long long* counts) noexcept = 0;
  /// An event that was given to HandledSampling has overflowed. Signals: safe.
  virtual void OnHit(int event_code, const OverflowHit& hit) noexcept = 0;
  /// True if the sampler samples that PAPI event.
  virtual bool Samples(int event_code) const noexcept = 0;
  /// The set no longer contains that PAPI event. Its counter, if it is still there for another
  /// event, is not sampled any more. Other counters may have moved to lower indices. Returns false
  /// if nothing is left to sample; the set then destroys the sampler.
  virtual bool OnRemove(int event_code) noexcept = 0;
  /// In a forked child: mappings and descriptors count the parent; forgets them without a message.
  virtual void ForgetAfterFork() noexcept = 0;
};

/// What a sampler may ask of an event set: the calls behind PAPI_profil. `event_code` is a PAPI
/// event of the set. All fail with a PAPI code, and leave the set as it was. Only while the set is
/// stopped (otherwise PAPI_EISRUN). Threads: as EventSet. Signals: none is safe.

/// The counter that a PAPI event is read from. PAPI_ENOEVNT: not in the set; PAPI_EINVAL: a derived
/// event that one counter does not show.
int SampledPosition(const EventSet& set, int event_code, std::size_t* position);

/// Opens the counter at `position` anew with (or, kNone, without) sampling. PAPI_ECNFLCT: it
/// already delivers overflows in another way.
int SetSampling(EventSet& set, std::size_t position, const SamplingRequest& request);

/// Whether samples of the counter at `position` could come so often that the kernel throttles the
/// event, which a ring alone cannot notice in time, and an overflow handler can be had.
/// `threshold`: counts between two samples; of a clock: ns. False for targets other than the
/// caller, for inherited and multiplexed sets, for components other than perf_event, where kernel
/// mode is counted, and beyond the first 64 counters.
bool NeedsHandledSampling(const EventSet& set, std::size_t position, std::uint64_t threshold);

/// Delivers each `threshold`-th count of a PAPI event to the sampler's OnHit; 0: no more. Errors as
/// SetSampling.
int HandledSampling(EventSet& set, int event_code, std::uint64_t threshold);

/// Hands the set its sampler (state PAPI_PROFILING), or with nullptr takes it away.
void SetSetSampler(EventSet& set, std::unique_ptr<SetSampler> sampler);
SetSampler* GetSetSampler(const EventSet& set) noexcept;

}  // namespace csink::papi
