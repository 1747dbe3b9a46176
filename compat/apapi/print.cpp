// APAPI_print_apapi_eventset: upstream's text, but with as many decimals as a value needs.
#include <bit>
#include <cmath>
#include <cstdio>

#include "compat/apapi/include/apapi.h"

namespace {

constexpr const char* kLabels[APAPI_FIELDS] = {"min", "max", "avg", "acc"};

/// Number of decimals: 1 for values from 1000 on and for whole numbers; otherwise enough for five
/// significant digits, at most nine.
int DecimalsOf(long double value) noexcept {
  const long double size = std::fabs(value);
  if (!(size > 0) || size >= 1000) return 1;
  int decimals = 1;
  for (long double scaled = size; scaled < 1000 && decimals < 9; scaled *= 10) ++decimals;
  // Removes zeros at the end.
  while (decimals > 1) {
    const long double shorter =
        std::round(size * std::pow(10.0L, decimals - 1)) / std::pow(10.0L, decimals - 1);
    const long double full =
        std::round(size * std::pow(10.0L, decimals)) / std::pow(10.0L, decimals);
    if (std::fabs(full - shorter) > std::pow(10.0L, -decimals) / 2) break;
    --decimals;
  }
  return decimals;
}

/// One line for each statistic that is kept. The bits of `wanted` are in the order of the fields.
void PrintStatistics(APAPI_stats wanted, const long double* values, double factor) {
  for (int field = 0; field < APAPI_FIELDS; ++field) {
    if ((static_cast<unsigned>(wanted) >> field & 1u) == 0) continue;
    // Statistics are kept undivided.
    const long double value = values[field] / factor;
    std::printf("    %s: %20.*Lf\n", kLabels[field], DecimalsOf(value), value);
  }
}

/// By data type, as upstream prints them.
void PrintRaw(int data_type, long long value) {
  switch (data_type) {
    case PAPI_DATATYPE_UINT64:
      std::printf("%llu", static_cast<unsigned long long>(value));
      return;
    case PAPI_DATATYPE_FP64:
      std::printf("%f", std::bit_cast<double>(value));
      return;
    case PAPI_DATATYPE_BIT64:
      std::printf("%llX", static_cast<unsigned long long>(value));
      return;
    default:
      std::printf("%lld", value);
  }
}

/// Prints "  energy Ws 1000000000.000000". Factors below 0.001 are printed with %g, because %f
/// would show them as 0.
void PrintKind(const char* type, const char* unit, double factor) {
  const bool small = factor != 0 && std::fabs(factor) < 0.001;
  std::printf(small ? "  %s %s %g" : "  %s %s %f", type, unit, factor);
}

/// An event with its last raw sample, then value0 and value1 with their statistics.
void PrintEvent(const apapi_eventset& set, int event) {
  const apapi_event_ops& ops = set.event_ops[event];
  std::printf("%s ", ops.event_name);
  PrintRaw(ops.data_type, set.current_samples[event]);
  std::printf("\n");
  if (ops.value0 != APAPI_STAT_NO) {
    PrintKind(ops.value0_type, ops.value0_unit, ops.value0_prefix);
    std::printf("\n");
    PrintStatistics(ops.value0, set.values0 + event * APAPI_FIELDS, ops.value0_prefix);
  }
  if (ops.value1 != APAPI_STAT_NO) {
    PrintKind(ops.value1_type, ops.value1_unit, ops.value1_prefix);
    // Undivided, unlike the statistics below it.
    std::printf(" %Lf\n", set.last_values1[event]);
    PrintStatistics(ops.value1, set.values1 + event * APAPI_FIELDS, ops.value1_prefix);
  }
  std::printf("\n");
}

}  // namespace

void APAPI_print_apapi_eventset(apapi_eventset* set) {
  if (set == nullptr) return;
  std::printf("%s: %d events\n------\n", set->cmp_name, set->num_events);
  for (int event = 0; event < set->num_events; ++event) PrintEvent(*set, event);
  std::printf("------\n\n");
}
