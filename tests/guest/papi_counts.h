#pragma once

#include <papi.h>

#include <initializer_list>
#include <string>
#include <vector>

#include "tests/guest/checked.h"

/// File: the parts of papi_counts, and what they share. They see papi.h alone.

namespace guest {

/// The names under which one and the same count can be had: a set takes each event once.
inline const std::vector<std::string>& NamesOfInstructions() {
  static const std::vector<std::string> names = {
      "perf::INSTRUCTIONS",         "arm_ac57::INST_RETIRED",     "perf_raw::r8",
      "perf::INSTRUCTIONS:u=1:k=0", "arm_ac57::INST_RETIRED:u=1", "perf_raw::r8:u=1",
      "perf::INSTRUCTIONS:u=1",     "arm_ac57::INST_RETIRED:k=0", "perf_raw::r8:k=0",
  };
  return names;
}

/// A set of these events; PAPI_NULL and a check that fails if one is refused.
inline int SetOf(std::initializer_list<const char*> names) {
  int set = PAPI_NULL;
  int code = PAPI_create_eventset(&set);
  for (const char* name : names) {
    if (code == PAPI_OK) code = PAPI_add_named_event(set, name);
    if (code != PAPI_OK) {
      Check(false, name, "not added: %s", PAPI_strerror(code));
      return PAPI_NULL;
    }
  }
  return set;
}

inline void Destroy(int set) {
  const bool gone = PAPI_cleanup_eventset(set) == PAPI_OK && PAPI_destroy_eventset(&set) == PAPI_OK;
  if (!gone) Check(false, "the set", "is not destroyed");
}

inline int CodeOf(const char* name) {
  int code = 0;
  const int result = PAPI_event_name_to_code(name, &code);
  if (result != PAPI_OK) Check(false, name, "%s", PAPI_strerror(result));
  return code;
}

void CheckCounting();
void CheckCapability(bool user_reads);
void CheckMultiplex();
void CheckChildren();
void CheckLongCounts();
void CheckOverflows();
void CheckProfiles();
/// With kernel.perf_event_max_sample_rate at 1,000.
void CheckThrottled();
void MeasureReads();
/// Before the library has been initialised: with presets of its own.
void CheckRates();

}  // namespace guest
