#pragma once

#include <optional>
#include <string>
#include <vector>

/// File: what a report says of an earlier run. baseline.h makes it.

namespace csink::report {

/// One function in two runs. Shares are of the compared event's whole weight, 0..1.
struct ChangeRow {
  std::string function;
  std::string module;
  std::optional<double> share;  ///< None: the function has no samples now
  std::optional<double> was;    ///< None: it had none then
  double change = 0;            ///< share - was, with nothing as 0
  double low = -1;              ///< 95 % interval of the change
  double high = 1;
  bool significant = false;  ///< See Compare
};

struct Comparison {
  std::string baseline;  ///< As it was named
  std::string command;   ///< Of the earlier run
  std::string event;     ///< What was compared; empty: the runs have no event in common
  double effective_samples = 0;
  double was_effective_samples = 0;
  double cpu_seconds = 0;            ///< User and system
  double was_cpu_seconds = 0;        ///< Likewise, then
  std::optional<double> ratio;       ///< cpu_seconds / was_cpu_seconds
  std::vector<ChangeRow> functions;  ///< The largest change first
};

}  // namespace csink::report
