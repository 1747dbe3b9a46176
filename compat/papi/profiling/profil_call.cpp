#include <utility>
#include <vector>

#include "compat/papi/boundary/debug.h"
#include "compat/papi/profiling/set_profiler.h"
#include "compat/papi/sets/event_set_table.h"

/// File: PAPI_profil and PAPI_sprofil. A call checks everything, makes the histogram, opens the
/// event's counter for the way in which it will be sampled (ring, handler of the set, or software
/// timer), and enters the event in the set's SetProfiler, which does the rest.
/// Source: the manual of PAPI 3.5 and the man pages of 7.0.

namespace csink::papi {
namespace {

constexpr int kKnownFlags = PAPI_PROFIL_RANDOM | PAPI_PROFIL_WEIGHTED | PAPI_PROFIL_COMPRESS |
                            PAPI_PROFIL_BUCKETS | PAPI_PROFIL_FORCE_SW | PAPI_PROFIL_DATA_EAR |
                            PAPI_PROFIL_INST_EAR;
/// The overflow vector has 64 bits.
constexpr std::size_t kMaxSoftwareEvents = 64;
constexpr int kAddressFlags = PAPI_PROFIL_DATA_EAR | PAPI_PROFIL_INST_EAR;

/// The histogram's options of the flags. PAPI_EINVAL: unknown flags, several bucket sizes, or
/// addresses that cannot be had.
int OptionsOf(int flags, HistogramOptions* options) {
  if (flags & ~kKnownFlags) return PAPI_EINVAL;
  if ((flags & kAddressFlags) == kAddressFlags) return PAPI_EINVAL;
  // The data and instruction addresses come from the counter; a timer has none.
  if ((flags & PAPI_PROFIL_FORCE_SW) && (flags & kAddressFlags)) return PAPI_EINVAL;
  switch (flags & PAPI_PROFIL_BUCKETS) {
    case 0:
    case PAPI_PROFIL_BUCKET_16:
      options->width = BucketWidth::k16;
      break;
    case PAPI_PROFIL_BUCKET_32:
      options->width = BucketWidth::k32;
      break;
    case PAPI_PROFIL_BUCKET_64:
      options->width = BucketWidth::k64;
      break;
    default:
      return PAPI_EINVAL;
  }
  options->drop_random = flags & PAPI_PROFIL_RANDOM;
  options->weighted = flags & PAPI_PROFIL_WEIGHTED;
  options->compress = flags & PAPI_PROFIL_COMPRESS;
  return PAPI_OK;
}

/// The buffers stay the caller's and must live until profiling is switched off.
Result<std::shared_ptr<CallerHistogram>> MakeHistogram(const ProfilCall& call,
                                                       const HistogramOptions& options) {
  std::vector<HistogramRegion> regions;
  for (int i = 0; i < call.region_count; ++i) {
    const PAPI_sprofil_t& region = call.regions[i];
    regions.push_back({region.pr_base, region.pr_size,
                       reinterpret_cast<std::uintptr_t>(region.pr_off), region.pr_scale});
  }
  auto made = CallerHistogram::Make(regions, options);
  if (!made) return made.error();
  return std::shared_ptr<CallerHistogram>(std::move(*made));
}

/// The sampler of a set is always a SetProfiler: no other class implements SetSampler.
SetProfiler* ProfilerOf(const EventSet& set) noexcept {
  return static_cast<SetProfiler*>(set.sampler());
}

/// Threshold 0. The counter is opened anew without sampling; one that the timer reads never had
/// any.
int SwitchOff(EventSet& set, int event_code) {
  SetProfiler* profiler = ProfilerOf(set);
  const ProfiledEvent* event = profiler ? profiler->Find(event_code) : nullptr;
  if (!event) {
    return Complain(PAPI_EINVAL, "the event is not profiled; the threshold must be above 0");
  }
  if (event->by_handler) {
    if (const int code = set.SampleByHandler(event_code, 0); code != PAPI_OK) return code;
  } else if (!event->by_software) {
    std::size_t position = 0;
    int code = set.SampledPosition(event_code, &position);
    if (code == PAPI_OK) code = set.SampleByRing(position, {});
    if (code != PAPI_OK) return code;
  }
  if (!profiler->OnRemove(event_code)) set.set_sampler(nullptr);
  return PAPI_OK;
}

/// PAPI_OK: the event can be profiled together with the set's other profiled events.
int CheckCompany(const EventSet& set, const ProfiledEvent& wanted, std::size_t position) {
  const SetProfiler* profiler = ProfilerOf(set);
  if (!profiler) return PAPI_OK;
  for (const ProfiledEvent& other : profiler->events()) {
    // The entry that this call replaces.
    if (other.event_code == wanted.event_code) continue;
    if (other.by_software != wanted.by_software) {
      return Complain(PAPI_ECNFLCT,
                      "hardware and forced software profiling exclude each other in one set");
    }
    std::size_t others = 0;
    if (!wanted.by_software && set.SampledPosition(other.event_code, &others) == PAPI_OK &&
        others == position) {
      return Complain(PAPI_ECNFLCT, "another event of the set is profiled on the same counter");
    }
  }
  if (wanted.by_software && profiler->events().size() == kMaxSoftwareEvents &&
      !profiler->Find(wanted.event_code)) {
    return Complain(PAPI_ECOUNT, "at most 64 events of a set can be profiled by software");
  }
  return PAPI_OK;
}

/// Opens the counter for the way in which `event` is profiled: with the period of the set's handler
/// or of a ring, or, for the timer, as it is. An error leaves the set as it was.
int OpenFor(EventSet& set, const ProfiledEvent& event, std::size_t position) {
  if (event.by_software) return PAPI_OK;
  if (event.by_handler) return set.SampleByHandler(event.event_code, event.threshold);
  SamplingRequest request;
  request.delivery = SamplingRequest::Delivery::kRing;
  request.period = event.threshold;
  request.data_address = event.by_data_address;
  request.exact_pc = event.exact_pc;
  return set.SampleByRing(position, request);
}

/// Opens the counter without sampling again. An error leaves the set as it was.
int CloseFor(EventSet& set, const ProfiledEvent& event, std::size_t position) {
  if (event.by_software) return PAPI_OK;
  if (event.by_handler) return set.SampleByHandler(event.event_code, 0);
  return set.SampleByRing(position, {});
}

/// Changes the sampling of the event's counter from that of its former profile, if it has one, to
/// that of `event`. An error leaves the former profile as it was.
int Resample(EventSet& set, const ProfiledEvent& event, std::size_t position) {
  SetProfiler* profiler = ProfilerOf(set);
  const ProfiledEvent* before = profiler ? profiler->Find(event.event_code) : nullptr;
  if (!before ||
      (before->by_handler == event.by_handler && before->by_software == event.by_software)) {
    return OpenFor(set, event, position);
  }
  // The former way is ended first: PrepareOverflow would otherwise keep the ring's sampling for a
  // counter that the handler samples, and SampleByRing does not touch the handler's events.
  if (const int code = CloseFor(set, *before, position); code != PAPI_OK) return code;
  const int code = OpenFor(set, event, position);
  if (code == PAPI_OK || OpenFor(set, *before, position) == PAPI_OK) return code;
  // The kernel refuses now what it granted before. The counter is not sampled, so the entry must
  // go: PAPI_start would map a ring for it, and fail.
  if (!profiler->OnRemove(event.event_code)) set.set_sampler(nullptr);
  return code;
}

/// PAPI_OK: the set's target can be profiled in this way. Checked here, because an error of
/// PAPI_start would come too late for the program.
int CheckTarget(const EventSet& set, bool by_software) {
  const SetOptions& options = set.options();
  if (by_software && !options.CountsCaller()) {
    return Complain(PAPI_EINVAL,
                    "forced software profiling needs an event set that counts its own thread");
  }
  if (!by_software && options.inherit == PAPI_INHERIT_ALL) {
    return Complain(PAPI_ENOSUPP,
                    "the kernel has no ring buffer for inherited events; use PAPI_PROFIL_FORCE_SW "
                    "to profile the thread itself");
  }
  return PAPI_OK;
}

int SwitchOn(EventSet& set, const ProfilCall& call) {
  HistogramOptions options;
  if (const int code = OptionsOf(call.flags, &options); code != PAPI_OK) {
    return Complain(code, "these flags of PAPI_profil are unknown or exclude each other");
  }
  ProfiledEvent event;
  event.event_code = call.event_code;
  event.threshold = static_cast<std::uint64_t>(call.threshold);
  event.by_software = call.flags & PAPI_PROFIL_FORCE_SW;
  event.by_data_address = call.flags & PAPI_PROFIL_DATA_EAR;
  event.exact_pc = call.flags & PAPI_PROFIL_INST_EAR;
  if (const int able = CheckTarget(set, event.by_software); able != PAPI_OK) return able;
  // `position` stays 0 for a derived event by software, which has no counter of its own and needs
  // none.
  std::size_t position = 0;
  int code = set.SampledPosition(call.event_code, &position);
  // The timer evaluates the value of a derived event; no counter of its own is needed.
  const bool derived_by_software = event.by_software && set.IndexOf(call.event_code) >= 0;
  if (code != PAPI_OK && !derived_by_software) return code;
  // PAPI_sprofil may have the manual's catch-all region, whose buffer is smaller than a bucket.
  if (call.alone && call.regions[0].pr_size < static_cast<std::size_t>(options.width)) {
    return Complain(PAPI_EINVAL, "the profile buffer is too small for one bucket");
  }
  auto histogram = MakeHistogram(call, options);
  if (!histogram) return Complain(histogram.error());
  event.histogram = std::move(*histogram);

  // A handler gets the interrupted address alone, so sampling of other addresses needs a ring.
  event.by_handler = !event.by_software && (call.flags & kAddressFlags) == 0 &&
                     set.NeedsHandledSampling(position, event.threshold);
  code = CheckCompany(set, event, position);
  if (code == PAPI_OK) code = Resample(set, event, position);
  if (code != PAPI_OK) return code;
  if (!ProfilerOf(set)) set.set_sampler(std::make_unique<SetProfiler>(set));
  ProfilerOf(set)->Put(std::move(event));
  return PAPI_OK;
}

}  // namespace

int Profil(int handle, const ProfilCall& call) {
  EventSet* set = Sets().Find(handle);
  if (!set) return PAPI_ENOEVST;
  // A set without a component has no events, so the event is what is wrong (not PAPI_ENOCMP).
  if (set->component() < 0) return Complain(PAPI_ENOEVNT, "the event is not in the set");
  if (set->running()) return PAPI_EISRUN;
  if (call.threshold < 0) {
    return Complain(PAPI_EINVAL, "a threshold must be above 0, or 0 to stop profiling");
  }
  if (call.threshold == 0) return SwitchOff(*set, call.event_code);
  if (!call.regions || call.region_count <= 0) {
    return Complain(PAPI_EINVAL, "PAPI_sprofil needs at least one region");
  }
  return SwitchOn(*set, call);
}

}  // namespace csink::papi
