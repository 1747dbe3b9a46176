/// File: the rate calls of PAPI 7.0 and of 3.5, which use the same counters. The first call on a
/// thread starts them and reports zeros. A later call takes the counts since the previous one, so
/// that nothing is counted twice or lost, and adds them to totals for 3.5, whose calls report since
/// the first call.

#include <algorithm>
#include <array>

#include "compat/papi/boundary/c_boundary.h"
#include "compat/papi/events/event_names.h"
#include "compat/papi/highlevel/high_level.h"
#include "compat/papi/highlevel/thread_counters.h"
#include "core/counting/system/cycle_clock.h"

using csink::papi::AtCBoundary;
using csink::papi::Complain;
using csink::papi::CountersUse;
using csink::papi::ThreadCounters;

namespace {

/// What a call reports; all zero at the first call.
struct Reading {
  double real_s = 0, cpu_s = 0;  ///< Since the previous call
  std::array<long long, 3> counts = {};
  double real_s_of_all = 0, cpu_s_of_all = 0;  ///< Since the first call
  std::array<long long, 3> totals = {};
};

double Seconds(std::uint64_t from_ns, std::uint64_t to_ns) noexcept {
  return static_cast<double>(to_ns - from_ns) * 1e-9;
}

/// After the counters have started, so that the first interval does not contain their start.
void Begin(ThreadCounters::Rates& rates) noexcept {
  rates = {};
  rates.first_real_ns = rates.last_real_ns = csink::RealNs();
  rates.first_virt_ns = rates.last_virt_ns = csink::ThreadNs();
}

void Advance(ThreadCounters::Rates& rates, Reading& reading) noexcept {
  // Read after the counts, so an interval of the counts and one of the clocks differ by the same
  // small time at both ends.
  const std::uint64_t real_ns = csink::RealNs(), virt_ns = csink::ThreadNs();
  reading.real_s = Seconds(rates.last_real_ns, real_ns);
  reading.cpu_s = Seconds(rates.last_virt_ns, virt_ns);
  reading.real_s_of_all = Seconds(rates.first_real_ns, real_ns);
  reading.cpu_s_of_all = Seconds(rates.first_virt_ns, virt_ns);
  rates.last_real_ns = real_ns;
  rates.last_virt_ns = virt_ns;
  for (std::size_t i = 0; i < reading.counts.size(); ++i) {
    reading.totals[i] = rates.totals[i] += reading.counts[i];
  }
}

/// 0 where no time or no cycle has passed.
float Rate(double amount, double per) noexcept {
  return per > 0 ? static_cast<float>(amount / per) : 0.0F;
}

/// The PAPI version whose function was called.
enum class Abi : bool { k70, k35 };

int StartLibrary(Abi abi) noexcept {
  return csink::papi::StartLibrary(abi == Abi::k35 ? PAPI_HIGH_LEVEL_INITED
                                                   : PAPI_LOW_LEVEL_INITED);
}

/// 7.0's calls give threads numbers; 3.5's only change PAPI_is_initialized.
int StartRate(Abi abi, CountersUse use, std::span<const int> events, ThreadCounters& counters) {
  const int code = counters.Start(events, use);
  if (code != PAPI_OK) return code;
  abi == Abi::k35 ? csink::papi::SayHighLevel() : csink::papi::NumberThreads();
  Begin(counters.rates);
  return PAPI_OK;
}

/// The counters of a thread belong to the function that started them until they are stopped.
int CountsSomethingElse() noexcept {
  return Complain(PAPI_EINVAL, "this thread already counts for another function or another event");
}

/// Starts `events` for `use` at the first call and reads them at later calls.
int Measure(Abi abi, CountersUse use, std::span<const int> events, Reading& reading) {
  ThreadCounters* counters = nullptr;
  int code = StartLibrary(abi);
  if (code == PAPI_OK) code = ThreadCounters::Get(&counters);
  if (code != PAPI_OK) return code;
  if (!counters->running()) return StartRate(abi, use, events, *counters);
  if (counters->use() != use || !counters->Holds(events)) {
    return CountsSomethingElse();
  }
  code = counters->Take(reading.counts.data());
  if (code == PAPI_OK) Advance(counters->rates, reading);
  return code;
}

/// All results must have a place: PAPI's calls have no optional ones.
template <class... P>
int CheckPlaces(P*... places) noexcept {
  if (((places != nullptr) && ...)) return PAPI_OK;
  return Complain(PAPI_EINVAL, "a pointer to a result is null");
}

struct Answers {
  float* real_s;
  float* cpu_s;
  long long* count;
  float* rate;
};

/// Stores the results. 7.0's functions return times and counts since the previous call, 3.5's since
/// the first call. The rate is always that since the previous call: per second of CPU time, or per
/// cycle (per_cycle).
void Tell(const Reading& reading, Abi abi, bool per_cycle, const Answers& out) noexcept {
  const bool as_35 = abi == Abi::k35;
  *out.real_s = static_cast<float>(as_35 ? reading.real_s_of_all : reading.real_s);
  *out.cpu_s = static_cast<float>(as_35 ? reading.cpu_s_of_all : reading.cpu_s);
  *out.count = as_35 ? reading.totals[0] : reading.counts[0];
  const double count = static_cast<double>(reading.counts[0]);
  *out.rate = per_cycle ? Rate(count, static_cast<double>(reading.counts[1]))
                        : Rate(count * 1e-6, reading.cpu_s);
}

/// The rate of one event, in millions a second of CPU time.
int FloatingPoint(Abi abi, CountersUse use, int event, const Answers& out) {
  Reading reading;
  const int code = Measure(abi, use, {&event, 1}, reading);
  if (code == PAPI_OK) Tell(reading, abi, false, out);
  return code;
}

/// PAPI_ipc: instructions a cycle.
int Instructions(Abi abi, const Answers& out) {
  static constexpr int kEvents[] = {PAPI_TOT_INS, PAPI_TOT_CYC};
  Reading reading;
  const int code = Measure(abi, CountersUse::kIpc, kEvents, reading);
  if (code == PAPI_OK) Tell(reading, abi, true, out);
  return code;
}

int NotOneOfThese() noexcept {
  return Complain(PAPI_ENOEVNT,
                  "the event is not one of the three events that this function counts");
}

/// The events of PAPI_epc: the event, core cycles and reference cycles (if the machine has them).
/// If the event is one of the two cycles itself, it is counted once.
struct EventsOfEpc {
  EventsOfEpc() noexcept = default;
  explicit EventsOfEpc(int event) noexcept : events{event} {
    core = Place(PAPI_TOT_CYC);
    if (csink::papi::CheckEvent(PAPI_REF_CYC) == PAPI_OK) reference = Place(PAPI_REF_CYC);
    // CheckEvent has left a message.
    Complain(PAPI_OK, {});  // a machine without reference cycles is not an error
  }
  /// The events of a set that is counting.
  explicit EventsOfEpc(std::span<const csink::papi::SetEvent> counted) noexcept {
    count = static_cast<int>(std::min(counted.size(), events.size()));
    for (int i = 0; i < count; ++i) {
      const int code = events[static_cast<std::size_t>(i)] =
          counted[static_cast<std::size_t>(i)].code;
      if (code == PAPI_TOT_CYC) core = i;
      if (code == PAPI_REF_CYC) reference = i;
    }
  }
  // The place of an event, which is appended if it is not there yet.
  int Place(int code) noexcept {
    for (int i = 0; i < count; ++i) {
      if (events[static_cast<std::size_t>(i)] == code) return i;
    }
    events[static_cast<std::size_t>(count)] = code;
    return count++;
  }

  std::array<int, 3> events = {};
  int count = 1;
  int core = 0;
  int reference = -1;  ///< -1: not counted, because this machine has none
};

}  // namespace

namespace {

/// The events that PAPI_epc counts. Only the first call looks them up; later calls take them from
/// the running set.
int EventsFor(int event, EventsOfEpc* wanted) {
  if (event == 0) event = PAPI_TOT_INS;
  ThreadCounters* counters = ThreadCounters::Running();
  if (counters && counters->use() == CountersUse::kEpc) {
    *wanted = EventsOfEpc(counters->set().events());
    return wanted->events[0] == event ? PAPI_OK : CountsSomethingElse();
  }
  if (csink::papi::CheckEvent(event) != PAPI_OK) return PAPI_ENOEVNT;
  *wanted = EventsOfEpc(event);
  return PAPI_OK;
}

}  // namespace

int PAPI_flips(float* rtime, float* ptime, long long* flpins, float* mflips) {
  return AtCBoundary([&] {
    const int code = CheckPlaces(rtime, ptime, flpins, mflips);
    if (code != PAPI_OK) return code;
    return FloatingPoint(Abi::k35, CountersUse::kFlips, PAPI_FP_INS,
                         {rtime, ptime, flpins, mflips});
  });
}

int PAPI_flops(float* rtime, float* ptime, long long* flpops, float* mflops) {
  return AtCBoundary([&] {
    const int code = CheckPlaces(rtime, ptime, flpops, mflops);
    if (code != PAPI_OK) return code;
    return FloatingPoint(Abi::k35, CountersUse::kFlops, PAPI_FP_OPS,
                         {rtime, ptime, flpops, mflops});
  });
}

int PAPI_flips_rate(int event, float* rtime, float* ptime, long long* flpins, float* mflips) {
  return AtCBoundary([&] {
    const int code = CheckPlaces(rtime, ptime, flpins, mflips);
    if (code != PAPI_OK) return code;
    if (event != PAPI_FP_INS && event != PAPI_VEC_SP && event != PAPI_VEC_DP) {
      return NotOneOfThese();
    }
    return FloatingPoint(Abi::k70, CountersUse::kFlips, event, {rtime, ptime, flpins, mflips});
  });
}

int PAPI_flops_rate(int event, float* rtime, float* ptime, long long* flpops, float* mflops) {
  return AtCBoundary([&] {
    const int code = CheckPlaces(rtime, ptime, flpops, mflops);
    if (code != PAPI_OK) return code;
    if (event != PAPI_FP_OPS && event != PAPI_SP_OPS && event != PAPI_DP_OPS) {
      return NotOneOfThese();
    }
    return FloatingPoint(Abi::k70, CountersUse::kFlops, event, {rtime, ptime, flpops, mflops});
  });
}

int PAPI_ipc(float* rtime, float* ptime, long long* ins, float* ipc) {
  return AtCBoundary([&] {
    const int code = CheckPlaces(rtime, ptime, ins, ipc);
    return code == PAPI_OK ? Instructions(Abi::k70, {rtime, ptime, ins, ipc}) : code;
  });
}

int PAPI_ipc_35(float* rtime, float* ptime, long long* ins, float* ipc) {
  return AtCBoundary([&] {
    const int code = CheckPlaces(rtime, ptime, ins, ipc);
    return code == PAPI_OK ? Instructions(Abi::k35, {rtime, ptime, ins, ipc}) : code;
  });
}

int PAPI_epc(int event, float* rtime, float* ptime, long long* ref, long long* core, long long* evt,
             float* epc) {
  return AtCBoundary([&]() -> int {
    int code = CheckPlaces(rtime, ptime, ref, core, evt, epc);
    if (code != PAPI_OK) return code;
    if (code = StartLibrary(Abi::k70); code != PAPI_OK) return code;
    EventsOfEpc wanted;
    if (code = EventsFor(event, &wanted); code != PAPI_OK) return code;
    Reading reading;
    code = Measure(Abi::k70, CountersUse::kEpc,
                   {wanted.events.data(), static_cast<std::size_t>(wanted.count)}, reading);
    if (code != PAPI_OK) return code;
    // -1: this machine has no reference cycles; 0 is stored.
    const auto count = [&](int place) {
      return place < 0 ? 0 : reading.counts[static_cast<std::size_t>(place)];
    };
    *ref = count(wanted.reference);
    *core = count(wanted.core);
    *evt = count(0);
    *rtime = static_cast<float>(reading.real_s);
    *ptime = static_cast<float>(reading.cpu_s);
    *epc = Rate(static_cast<double>(*evt), static_cast<double>(*core));
    return PAPI_OK;
  });
}

int PAPI_rate_stop(void) {
  return AtCBoundary([] {
    ThreadCounters* counters = ThreadCounters::Running();
    if (counters == nullptr || counters->use() == CountersUse::kCounters) {
      return Complain(PAPI_ENOEVNT, "no rate is being measured on this thread");
    }
    return counters->Stop(nullptr);
  });
}
