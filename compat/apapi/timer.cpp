#include "compat/apapi/timer.h"

#include <atomic>
#include <limits>

#include "compat/apapi/set_sampling.h"
#include "compat/apapi/settings.h"

/// File: APAPI's timers over IntervalSampler (compat/apapi/interval), whose thread reads and calls
/// back. Each function is allowed in one state alone (InState). A thread that hangs in a read is
/// left behind with its SetSampling, which it shares; the timer and its set then keep their last
/// values.

namespace csink::apapi {

namespace {

constexpr long kSecondNs = 1'000'000'000;
/// Whether a thread of any timer hangs; never reset, since such a thread may hang for ever.
std::atomic<bool> g_any_abandoned{false};

}  // namespace

std::uint64_t TimerObject::interval_ns() const noexcept {
  // Longer intervals count as this one (146 years): their nanoseconds would not fit into 64 bits.
  constexpr time_t kMostSeconds = std::numeric_limits<std::int64_t>::max() / kSecondNs / 2;
  const time_t seconds = std::min<time_t>(open.interval.tv_sec, kMostSeconds);
  return static_cast<std::uint64_t>(seconds) * kSecondNs +
         static_cast<std::uint64_t>(open.interval.tv_nsec);
}

bool TimerObject::Configure(time_t sec, long nsec, void (*measure)(void**, int), void** measure_arg,
                            apapi_eventset* set) {
  if (sec < 0 || nsec < 0 || nsec >= kSecondNs || (sec == 0 && nsec == 0)) {
    Warn("the interval of a timer must be above 0, and its nanoseconds below 1,000,000,000");
    return false;
  }
  open.interval = {sec, nsec};
  open.measure = measure;
  open.measure_arg = measure_arg;
  open.set = set;
  open.interrupt = 0;
  // Statistics begin anew whenever the parameters are set.
  if (set != nullptr) ObjectOf(set)->Reset(interval_ns());
  return true;
}

int TimerObject::InitStart() {
  // A timer without events only calls back.
  if (open.set == nullptr || open.set->num_events == 0) return PAPI_OK;
  if (ObjectOf(open.set)->abandoned) {
    Warn(std::string("component ") + open.set->cmp_name +
         " does not respond: an earlier read has not returned");
    return -1;
  }
  const int code = PAPI_start(open.set->EventSet);
  if (code != PAPI_OK) {
    Warn(std::string("the events of component ") + open.set->cmp_name +
         " cannot be started: " + PapiError(code));
    return -1;
  }
  // PAPI_start and PAPI_stop must come in pairs, whatever the client calls in between.
  counting = true;
  return PAPI_OK;
}

int TimerObject::Start() {
  EventSetObject* set = open.set ? ObjectOf(open.set) : nullptr;
  const char* name = set ? open.set->cmp_name : "timer";
  // Shared with the thread: a hanging thread keeps it alive after the timer.
  const auto what = std::make_shared<SetSampling>(set, open.measure, open.measure_arg);
  sampler = std::make_unique<IntervalSampler>(what, interval_ns(),
                                              (std::string("apapi/") + name).c_str());
  sampling = what;
  // The state changes before the thread exists: its first callback may already call
  // APAPI_callstop_timer.
  open.state = APAPI_TIMER_STATE_STARTED;
  if (const auto started = sampler->Start(); !started) {
    open.state = APAPI_TIMER_STATE_READY;
    sampler.reset();
    sampling.reset();
    Warn(std::string("the timer of ") + name + " cannot be started: " + started.error().what);
    return -1;
  }
  // Clients of upstream's library may look at the thread's handle.
  open.thread = sampler->thread();
  Tell(std::string("timer of ") + name + " started, interval " + std::to_string(interval_ns()) +
       " ns");
  return PAPI_OK;
}

int TimerObject::Join() {
  const auto end = sampler->Wait();
  if (!end) {
    Warn(std::string("the thread of a timer cannot be joined: ") + end.error().what);
    return -1;
  }
  // Also for an abandoned thread: the values measured before can be read.
  open.state = APAPI_TIMER_STATE_DONE;
  // PAPI_stop is not called then: it might wait for the same device.
  if (*end == IntervalSampler::End::kAbandoned) {
    abandoned = true;
    g_any_abandoned = true;
    if (open.set != nullptr) ObjectOf(open.set)->abandoned = true;
    Warn(std::string("component ") + (open.set ? open.set->cmp_name : "timer") +
         " does not respond: the read is abandoned, and the values are those of the previous "
         "measurement");
    return PAPI_OK;
  }
  StopCounting();
  return PAPI_OK;
}

void TimerObject::StopCounting() {
  if (counting && open.set != nullptr && !abandoned) PAPI_stop(open.set->EventSet, nullptr);
  counting = false;
}

}  // namespace csink::apapi

using csink::apapi::AtEdge;
using csink::apapi::TimerObject;

namespace {

/// Runs `body` if the timer is in the given state; otherwise -1.
template <class F>
int InState(apapi_timer* timer, APAPI_timer_state state, F body) noexcept {
  return AtEdge([&] {
    if (timer == nullptr || timer->state != state) return -1;
    return body(*csink::apapi::ObjectOf(timer));
  });
}

}  // namespace

int APAPI_create_timer(apapi_timer** timer, time_t sec, long nsec, void (*measure)(void**, int),
                       void** measure_arg, apapi_eventset* set) {
  return AtEdge([&] {
    if (timer == nullptr) return -1;
    *timer = nullptr;
    auto object = std::make_unique<TimerObject>();
    object->open.state = APAPI_TIMER_STATE_READY;
    // Not used; a client that looks at the structure finds a valid mutex.
    pthread_mutex_init(&object->open.mutex, nullptr);
    if (!object->Configure(sec, nsec, measure, measure_arg, set)) return -1;
    *timer = &object.release()->open;
    return PAPI_OK;
  });
}

int APAPI_change_timer(apapi_timer* timer, time_t sec, long nsec, void (*measure)(void**, int),
                       void** measure_arg, apapi_eventset* set) {
  return InState(timer, APAPI_TIMER_STATE_READY, [&](TimerObject& object) {
    // The old set was started by APAPI_initstart_timer and would count on.
    if (set != timer->set) object.StopCounting();
    return object.Configure(sec, nsec, measure, measure_arg, set) ? PAPI_OK : -1;
  });
}

int APAPI_reset_timer(apapi_timer* timer, time_t sec, long nsec, void (*measure)(void**, int),
                      void** measure_arg, apapi_eventset* set) {
  return InState(timer, APAPI_TIMER_STATE_DONE, [&](TimerObject& object) {
    // NULL keeps the set, as upstream's.
    apapi_eventset* wanted = set ? set : timer->set;
    if (!object.Configure(sec, nsec, measure, measure_arg, wanted)) return -1;
    // The thread has ended or was left behind, so this does not wait.
    object.sampler.reset();
    object.sampling.reset();
    object.abandoned = false;
    timer->state = APAPI_TIMER_STATE_READY;
    return PAPI_OK;
  });
}

int APAPI_initstart_timer(apapi_timer* timer) {
  return InState(timer, APAPI_TIMER_STATE_READY, [](TimerObject& t) { return t.InitStart(); });
}

int APAPI_start_timer(apapi_timer* timer) {
  return InState(timer, APAPI_TIMER_STATE_READY, [](TimerObject& t) { return t.Start(); });
}

int APAPI_callstop_timer(apapi_timer* timer) {
  return InState(timer, APAPI_TIMER_STATE_STARTED, [](TimerObject& t) {
    t.sampler->Finish();
    return PAPI_OK;
  });
}

int APAPI_interrupt_timer(apapi_timer* timer) {
  return InState(timer, APAPI_TIMER_STATE_STARTED, [](TimerObject& t) {
    // Upstream's field, for clients that look at it. The sampler has its own flag.
    t.open.interrupt = 1;
    t.sampler->Interrupt();
    return t.Join();
  });
}

int APAPI_join_timer(apapi_timer* timer) {
  return InState(timer, APAPI_TIMER_STATE_STARTED, [](TimerObject& t) { return t.Join(); });
}

int APAPI_stop_timer(apapi_timer* timer) {
  const int code = APAPI_callstop_timer(timer);
  // Only a timer that was STARTED has something to join.
  return code == PAPI_OK ? APAPI_join_timer(timer) : code;
}

int APAPI_destroy_timer(apapi_timer** timer) {
  if (timer == nullptr || *timer == nullptr) return PAPI_OK;
  // Fails unless the timer is STARTED; otherwise there is no thread to end.
  APAPI_interrupt_timer(*timer);
  TimerObject* object = csink::apapi::ObjectOf(*timer);
  // A READY timer may have been started by APAPI_initstart_timer.
  object->StopCounting();
  pthread_mutex_destroy(&object->open.mutex);
  delete object;
  *timer = nullptr;
  return PAPI_OK;
}

int csink_apapi_get_health(const apapi_timer* timer, csink_apapi_health* health) {
  if (timer == nullptr || health == nullptr) return -1;
  const auto* object = csink::apapi::ObjectOf(timer);
  health->missed = object->sampler ? object->sampler->missed() : 0;
  health->failed_reads = object->sampler ? object->sampler->failed() : 0;
  // The sampler counts reads that failed as a whole.
  if (object->sampling) health->failed_reads += object->sampling->partial();
  health->abandoned = object->abandoned ? 1 : 0;
  health->lower_bound = object->sampling && object->sampling->lost() ? 1 : 0;
  return PAPI_OK;
}

int csink_apapi_any_abandoned(void) { return csink::apapi::g_any_abandoned ? 1 : 0; }
