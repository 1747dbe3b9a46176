#include "compat/atime/energy/numbers.h"

#include <papi.h>

#include <bit>
#include <cstdio>

#include "compat/apapi_client/sample.h"

/// File: numbers as text, the same in all reports: 15 digits for programs, 6 for people.

namespace csink::atime {
namespace {

// A value of PAPI is 64 bits whose meaning is the event's data type.
std::string Bits(long long bits, int data_type) {
  switch (data_type) {
    case PAPI_DATATYPE_FP64:
      return Number(std::bit_cast<double>(bits));
    case PAPI_DATATYPE_UINT64:
    case PAPI_DATATYPE_BIT64:
      return std::to_string(static_cast<unsigned long long>(bits));
    default:
      return std::to_string(bits);
  }
}

}  // namespace

std::string Number(long double value) {
  char text[64];
  std::snprintf(text, sizeof(text), "%.15Lg", value);
  return text;
}

std::string ShortNumber(double value) {
  char text[64];
  std::snprintf(text, sizeof(text), "%.6g", value);
  return text;
}

std::string Seconds(long long ns) {
  char text[48];
  // The sign separately: -0.5 s has no sign in its whole seconds.
  const char* sign = ns < 0 ? "-" : "";
  const long long size = ns < 0 ? -ns : ns;
  std::snprintf(text, sizeof(text), "%s%lld.%09lld", sign, size / 1'000'000'000,
                size % 1'000'000'000);
  return text;
}

// RFC 4180, section 2: commas, quotes and line ends need quotes, and quotes are doubled.
std::string CsvField(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + "\"";
}

csink_apapi_event_times TimesOf(const apapi_eventset& set, int event) noexcept {
  csink_apapi_event_times times = {};
  csink_apapi_get_event_times(&set, event, &times);
  return times;
}

csink_apapi_event_losses LossesOf(const apapi_eventset& set, int event) noexcept {
  csink_apapi_event_losses losses = {};
  csink_apapi_get_event_losses(&set, event, &losses);
  return losses;
}

long long MeasuredNs(const apapi_eventset& set, int event) noexcept {
  const csink_apapi_event_times times = TimesOf(set, event);
  return times.last_time - times.first_time - LossesOf(set, event).unknown_ns;
}

std::string RawValue(const apapi_eventset& set, int event) {
  return Bits(set.current_counters[event], set.event_ops[event].data_type);
}

std::string LastValue0(const apapi_eventset& set, int event, unsigned long long samples) {
  const apapi_event_ops& ops = set.event_ops[event];
  // A counter that accumulates (max_sample != 0) has no difference before the second sample.
  const bool differs = ops.max_sample != 0;
  if (samples < (differs ? 2 : 1)) return {};
  return Number(apapi::Sample(set, event) / ops.value0_prefix);
}

std::string LastValue1(const apapi_eventset& set, int event, unsigned long long samples) {
  const apapi_event_ops& ops = set.event_ops[event];
  // value1 is computed from two samples; NOP computes none.
  if (samples < 2 || ops.op1 == APAPI_OP1_NOP) return {};
  // The stored value is undivided; the operations have the divisor.
  return Number(set.last_values1[event] / ops.value1_prefix);
}

}  // namespace csink::atime
