#include "symbolizer/report/data/run_facts.h"

#include "symbolizer/report/json/groups.h"

/// File: the calls and the surroundings of a run, in the JSON report, for later comparisons.

namespace csink::report {

Json RunFactsJson(const Report& report) {
  const RunFactsSum sum = SumOfRunFacts(report.profile);
  if (!sum.known) return nullptr;
  const auto call = [&](double value) { return sum.calls_known ? Json(value) : Json(nullptr); };
  return {{"minor_faults", sum.minor_faults},
          {"major_faults", sum.major_faults},
          {"preemptions", sum.preemptions},
          {"voluntary_switches", sum.voluntary_switches},
          {"max_resident_bytes", sum.max_resident_bytes},
          {"read_calls", call(sum.read_calls)},
          {"write_calls", call(sum.write_calls)},
          {"read_bytes", call(sum.read_bytes)},
          {"written_bytes", call(sum.written_bytes)},
          {"surroundings", sum.surroundings}};
}

}  // namespace csink::report
