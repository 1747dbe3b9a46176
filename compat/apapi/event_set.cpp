#include "compat/apapi/event_set.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "compat/apapi/interval/energy_counters.h"

/// File: what an event set computes. The arithmetic of one event is EventValues
/// (compat/apapi/interval); here its results go into the arrays that clients read directly.

namespace csink::apapi {

namespace {

// How the 64 bits of a value are read. Unknown types of a newer PAPI count as signed.
ValueType TypeOf(int data_type) noexcept {
  switch (data_type) {
    case PAPI_DATATYPE_UINT64:
      return ValueType::kUnsigned;
    case PAPI_DATATYPE_FP64:
      return ValueType::kFloating;
    case PAPI_DATATYPE_BIT64:
      return ValueType::kBits;
    default:
      return ValueType::kSigned;
  }
}

// The update period of the component's energy counters; 0: not known.
long long UpdateNsOf(const char* component) noexcept {
  constexpr std::pair<const char*, long long> kPeriods[] = {{"rapl", kRaplUpdateNs},
                                                            {"powercap", kRaplUpdateNs},
                                                            {"nvml", kNvmlUpdateNs},
                                                            {"cray_pm", kCrayUpdateNs}};
  for (const auto& [name, ns] : kPeriods) {
    if (std::strcmp(component, name) == 0) return ns;
  }
  return 0;
}

// APAPI's numbers of operations are those of IntervalOperation; APAPI_STAT_ALL (-1) becomes all
// four bits.
ValueRule RuleOf(const char* component, const apapi_event_ops& ops,
                 long long shortest_ns) noexcept {
  return {.type = TypeOf(ops.data_type),
          .operation = static_cast<IntervalOperation>(ops.op1),
          .fields0 = static_cast<unsigned>(ops.value0) & kAllFields,
          .fields1 = static_cast<unsigned>(ops.value1) & kAllFields,
          .largest = ops.max_sample,
          .shortest_ns = shortest_ns,
          .has_steps = ops.max_sample != 0 && IsJoules(ops.value0_unit),
          .update_ns = UpdateNsOf(component)};
}

}  // namespace

EventSetObject::~EventSetObject() {
  // A thread that hangs in PAPI_read still uses PAPI's set; to destroy the set would wait for that
  // read.
  if (open.EventSet == PAPI_NULL || abandoned) return;
  PAPI_cleanup_eventset(open.EventSet);
  PAPI_destroy_eventset(&open.EventSet);
}

// The vectors keep their sizes from here on, so the pointers in `open` stay valid.
void EventSetObject::Arrange() {
  const std::size_t n = ops.size() - 1;  // the last entry ends the list
  for (const int i : {0, 1}) {
    counters[i].resize(n);
    samples[i].resize(n);
  }
  largest.resize(n);
  last_values1.resize(n);
  times.resize(n);
  losses.resize(n);
  values0.resize(n * APAPI_FIELDS);
  values1.resize(n * APAPI_FIELDS);
  for (std::size_t i = 0; i < n; ++i) {
    largest[i] = ops[i].max_sample;
    // Copies of what is in `ops`: APAPI's structure has both.
    operations.push_back(ops[i].op1);
    stats0.push_back(ops[i].value0);
    stats1.push_back(ops[i].value1);
  }
  open.num_events = static_cast<int>(n);
  open.max_counters = largest.data();
  open.last_values1 = last_values1.data();
  open.values0 = values0.data();
  open.values1 = values1.data();
  open.values_op1 = operations.data();
  open.values0_stats = stats0.data();
  open.values1_stats = stats1.data();
  open.event_ops = ops.data();
  Reset();
}

void EventSetObject::Reset(std::uint64_t interval_ns) {
  for (const int i : {0, 1}) {
    std::fill(counters[i].begin(), counters[i].end(), 0);
    std::fill(samples[i].begin(), samples[i].end(), 0);
  }
  std::fill(last_values1.begin(), last_values1.end(), 0);
  std::fill(values0.begin(), values0.end(), 0);
  std::fill(values1.begin(), values1.end(), 0);
  // Measured swaps these pointers.
  open.current_counters = counters[0].data();
  open.previous_counters = counters[1].data();
  open.current_samples = samples[0].data();
  open.previous_samples = samples[1].data();
  open.count = open.current_time = open.previous_time = open.first_time = open.last_time = 0;
  // Objects with the state of a new series; their number never changes, so nothing is allocated
  // later.
  values.clear();
  // Half of an interval: rates of shorter ones, as the last one of a run, are not in the extremes.
  const auto shortest_ns = static_cast<long long>(interval_ns / 2);
  csink_apapi_event_times none = {};
  none.counted_share = 1;
  std::fill(times.begin(), times.end(), none);
  std::fill(losses.begin(), losses.end(), csink_apapi_event_losses{});
  for (int i = 0; i < open.num_events; ++i) {
    values.emplace_back(RuleOf(open.cmp_name, open.event_ops[i], shortest_ns));
  }
}

void EventSetObject::Failed() noexcept {
  for (csink_apapi_event_times& time : times) {
    time.is_current = 0;
    ++time.failed;
  }
}

void EventSetObject::Measured(const long long* raw, const int* codes, long long now_ns) noexcept {
  // The structure has pointers to both measurements. Swapping them makes the old values "previous"
  // without a copy.
  std::swap(open.current_counters, open.previous_counters);
  std::swap(open.current_samples, open.previous_samples);
  open.previous_time = open.current_time;
  open.current_time = open.last_time = now_ns;
  if (open.count++ == 0) open.first_time = now_ns;
  for (std::size_t i = 0; i < values.size(); ++i) {
    EventValues& event = values[i];
    csink_apapi_event_times& time = times[i];
    const bool begins = codes[i] == PAPI_ECLOST;
    time.is_current = codes[i] == PAPI_OK || begins ? 1 : 0;
    if (!time.is_current) {
      ++time.failed;
      // After the swap the current place has the value before the last one.
      open.current_counters[i] = open.previous_counters[i];
      open.current_samples[i] = open.previous_samples[i];
      continue;
    }
    // 0 at the first measurement, which begins the first interval.
    time.interval_ns = time.samples++ != 0 ? now_ns - time.last_time : 0;
    if (time.samples == 1) time.first_time = now_ns;
    time.last_time = now_ns;
    if (begins) {
      ++losses[i].anew;
      losses[i].unknown_ns += std::exchange(time.interval_ns, 0);
      event.Begin(raw[i]);
    } else {
      event.Add(raw[i], time.interval_ns);
    }
    open.current_counters[i] = raw[i];
    open.current_samples[i] = event.value0();
    open.last_values1[i] = event.value1();
    event.statistics0().Store(event.rule().fields0, open.values0 + i * APAPI_FIELDS);
    event.statistics1().Store(event.rule().fields1, open.values1 + i * APAPI_FIELDS);
  }
}

}  // namespace csink::apapi

int csink_apapi_get_event_times(const apapi_eventset* set, int event,
                                csink_apapi_event_times* times) {
  if (set == nullptr || times == nullptr || event < 0 || event >= set->num_events) return -1;
  // ObjectOf takes no const set, and nothing is changed.
  *times = csink::apapi::ObjectOf(const_cast<apapi_eventset*>(set))
               ->times[static_cast<std::size_t>(event)];
  return PAPI_OK;
}

int csink_apapi_get_event_losses(const apapi_eventset* set, int event,
                                 csink_apapi_event_losses* losses) {
  if (set == nullptr || losses == nullptr || event < 0 || event >= set->num_events) return -1;
  // ObjectOf takes no const set, and nothing is changed.
  *losses = csink::apapi::ObjectOf(const_cast<apapi_eventset*>(set))
                ->losses[static_cast<std::size_t>(event)];
  return PAPI_OK;
}
