#include "compat/ms_common/field_rules.h"

#include <algorithm>
#include <atomic>
#include <limits>

#include "compat/apapi_client/sample.h"
#include "compat/ms_common/include/ms_common_apapi.h"

/// File: what fills the fields of libmeasure's structures. The rules are tables (CpuRules and the
/// others); Bind finds their events in an event set once, so that a sample only copies numbers.

namespace csink::ms {
namespace {

constexpr std::string_view kAnyGpu = "nvml:::*:";
// Where rapl is disabled, load has its events without energies.
constexpr std::string_view kRapl = "rapl:::", kLoad = "load:::";

/// The event name of a rule, with the prefix of the first GPU in place of "nvml:::*:"; "" without a
/// GPU.
std::string NameIn(const FieldRule& rule, const std::string& gpu) {
  if (!rule.event.starts_with(kAnyGpu)) return rule.event;
  return gpu.empty() ? std::string() : gpu + rule.event.substr(kAnyGpu.size());
}

/// The number before division. Statistics have APAPI_FIELDS numbers an event.
long double Number(const apapi_eventset* set, int event, Source source) noexcept {
  const long double* values0 = set->values0 + event * APAPI_FIELDS;
  const long double* values1 = set->values1 + event * APAPI_FIELDS;
  switch (source) {
    case Source::kLast0:
      return apapi::Sample(*set, event);
    case Source::kLast1:
      return set->last_values1[event];
    case Source::kMax0:
      return values0[APAPI_MAX];
    case Source::kAvg0:
      return values0[APAPI_AVG];
    case Source::kAcc0:
      return values0[APAPI_ACC];
    case Source::kAvg1:
      return values1[APAPI_AVG];
    case Source::kAcc1:
      return values1[APAPI_ACC];
  }
  return 0;
}

/// value0 and value1 have factors of their own.
bool IsOfValue1(Source source) noexcept {
  return source == Source::kLast1 || source == Source::kAvg1 || source == Source::kAcc1;
}

/// Whole part, limited to the range of the type: negative temperatures become 0, 5 TiB in kiB the
/// largest value.
template <class Integer>
Integer Whole(long double value) noexcept {
  constexpr long double kMost = std::numeric_limits<Integer>::max();
  // Also for NaN.
  if (!(value > 0)) return 0;
  return value >= kMost ? std::numeric_limits<Integer>::max() : static_cast<Integer>(value);
}

/// Atomic: another thread of the program may read the *_cur fields during the measurement.
template <class Value>
void Store(char* place, Value value) noexcept {
  std::atomic_ref<Value>(*reinterpret_cast<Value*>(place)).store(value, std::memory_order_relaxed);
}

/// Converts one number of the set and stores it in the structure.
void FillOne(const BoundRule& bound, const apapi_eventset* set, char* measurement) noexcept {
  const FieldRule& rule = *bound.rule;
  const apapi_event_ops& ops = set->event_ops[bound.event];
  // A prefix of 0 gives infinity or NaN, which Whole limits as well.
  const double prefix = IsOfValue1(rule.source) ? ops.value1_prefix : ops.value0_prefix;
  const long double value = Number(set, bound.event, rule.source) / (prefix * rule.scale);
  char* place = measurement + rule.offset;
  switch (rule.type) {
    case FieldRule::Type::kDouble:
      return Store(place, static_cast<double>(value));
    case FieldRule::Type::kUint32:
      return Store(place, Whole<std::uint32_t>(value));
    case FieldRule::Type::kUint64:
      return Store(place, Whole<std::uint64_t>(value));
  }
}

}  // namespace

const std::vector<ResourceRules>& AllRules() {
  // In libmeasure's order of resources: ms_alloc_measurement's lists have it.
  static const std::vector<ResourceRules> rules = {CpuRules(), GpuRules(), FpgaRules(),
                                                   ServerRules(), MicRules()};
  return rules;
}

std::vector<BoundRule> Bind(const ResourceRules& rules, apapi_eventset* set) {
  // Rules of GPUs name no card; the card is chosen for each set.
  const std::string gpu =
      rules.resource == GPU ? FirstGpuPrefix(set, GpuPrefixes()) : std::string();
  std::vector<BoundRule> bound;
  for (const FieldRule& rule : rules.fields) {
    std::string name = NameIn(rule, gpu);
    int event = APAPI_apapi_eventset_find_event(set, name.data());
    if (event < 0 && name.starts_with(kRapl)) {
      name.replace(0, kRapl.size(), kLoad);
      event = APAPI_apapi_eventset_find_event(set, name.data());
    }
    // An event that the set does not have leaves its field 0, as calloc has made it.
    if (event >= 0) bound.push_back({&rule, event});
  }
  return bound;
}

void Fill(const std::vector<BoundRule>& rules, const apapi_eventset* set, bool each_sample_only,
          void* measurement) noexcept {
  for (const BoundRule& bound : rules) {
    // The last call fills all fields, those of each sample too: they then show the last sample.
    if (bound.rule->each_sample || !each_sample_only) {
      FillOne(bound, set, static_cast<char*>(measurement));
    }
  }
}

}  // namespace csink::ms
