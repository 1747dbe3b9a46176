#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "compat/utils/measuring/countable.h"
#include "compat/utils/measuring/operations.h"
#include "compat/utils/measuring/statistics.h"
#include "compat/utils/options.h"
#include "compat/utils/tool.h"

namespace csink::utils::cost {

/// papi_cost's options, help and man page.
extern const Tool kTool;

/// What the command line asks for.
struct Settings {
  std::size_t iterations = 100'000;  // as in the manual of PAPI 3.5; papi_cost 7.0 has 1,000,000
  std::size_t bins = 100;            ///< -b: parts of the distribution
  bool percentiles = false;          ///< -p
  bool deviations = false;           ///< -s
  bool distribution = false;         ///< -d
};

/// Reads the options. Returns false, with a message, on wrong use: another operand than
/// TESTS_QUIET, or a number out of range.
bool ReadSettings(const Arguments& arguments, Settings& settings);

/// The clock that measures the costs (PAPI_get_real_cyc), and what it costs itself.
struct Clock {
  double cycles_per_ns = 0;    ///< 0: unknown
  double overhead_cycles = 0;  ///< mean cost of the measuring loop itself

  /// Cycles as ns; 0: the rate is unknown.
  double Ns(double cycles) const { return cycles_per_ns > 0 ? cycles / cycles_per_ns : 0; }
};

/// The costs of one operation, sorted, in cycles. `costs` points into the array of the measurement,
/// which the next operation overwrites.
struct Measured {
  Operation operation;   ///< What was measured
  std::string name;      ///< "PAPI_read"
  std::string title;     ///< in the text: "PAPI_read (2 counters)"
  std::size_t counters;  ///< Counters of the set
  std::span<const long long> costs;
};

/// The text on stdout: what is measured, and each operation in the layout of papi-tools 7.0.
void PrintHead(const Choice& choice, const Clock& clock);
void PrintMeasured(const Measured& measured, const Settings& settings, const Clock& clock);

/// The same as an object for --json. The costs must be sorted: percentiles are taken by rank.
nlohmann::ordered_json MeasuredJson(const Measured& measured, const Settings& settings,
                                    const Clock& clock);

}  // namespace csink::utils::cost
