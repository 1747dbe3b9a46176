#pragma once

#include "core/counting/counters/counter_set.h"
#include "core/counting/overflow/set_overflow.h"
#include "core/util/result.h"

namespace csink::papi {

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
  /// An event that was given to EventSet::SampleByHandler has overflowed. Signals: safe.
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

}  // namespace csink::papi
