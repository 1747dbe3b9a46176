#pragma once

#include <cstddef>

#include "compat/utils/options.h"
#include "compat/utils/tool.h"

namespace csink::utils::cost {

extern const Tool kTool;

struct Settings {
  std::size_t iterations = 100'000;  // as in the manual of PAPI 3.5; papi_cost 7.0 has 1,000,000
  std::size_t bins = 100;
  bool percentiles = false;
  bool deviations = false;
  bool distribution = false;
};

/// Reads the options. False, with a message: wrong use.
bool ReadSettings(const Arguments& arguments, Settings& settings);

}  // namespace csink::utils::cost
