#pragma once

#include <cstddef>

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

}  // namespace csink::utils::cost
