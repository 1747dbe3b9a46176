#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "compat/utils/measuring/countable.h"
#include "compat/utils/measuring/operations.h"
#include "compat/utils/measuring/statistics.h"
#include "compat/utils/papi_cost/tool.h"

namespace csink::utils::cost {

/// The clock that measures the costs.
struct Clock {
  double cycles_per_ns = 0;
  double overhead_cycles = 0;  ///< mean cost of the measuring loop itself

  /// Cycles as ns; 0: the rate is unknown.
  double Ns(double cycles) const { return cycles_per_ns > 0 ? cycles / cycles_per_ns : 0; }
};

/// The costs of one operation, sorted, in cycles.
struct Measured {
  Operation operation;
  std::string name;   ///< "PAPI_read"
  std::string title;  ///< in the text: "PAPI_read (2 counters)"
  std::size_t counters;
  std::span<const long long> costs;
};

void PrintHead(const Choice& choice, const Clock& clock);
void PrintMeasured(const Measured& measured, const Settings& settings, const Clock& clock);

nlohmann::ordered_json MeasuredJson(const Measured& measured, const Settings& settings,
                                    const Clock& clock);

}  // namespace csink::utils::cost
