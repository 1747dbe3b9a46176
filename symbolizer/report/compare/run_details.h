#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "symbolizer/report/data/run_facts.h"
#include "symbolizer/report/tables/report.h"
#include "symbolizer/report/wording/library_classes.h"

/// File: what a search for causes needs to know of one run, beside its tables. Taken from a report
/// or from a JSON report.

namespace csink::report {

/// Shares are those of the run's first event, 0..1.
struct RunDetails {
  double wall_seconds = 0;
  double user_seconds = 0;
  double system_seconds = 0;
  /// Threads with CPU time, and the processors that the main process may use; 0: not known.
  double threads = 0;
  double processors = 0;
  RunFactsSum facts;

  /// A place where threads were blocked; not those of idle groups, no joins, and no waits for work
  /// (poll, accept, receive, signal) of threads that no other waits for.
  struct Wait {
    std::string kind;  ///< WordFor(WaitKind)
    std::string call;
    std::string function;
    std::string module;
    std::string file;
    std::uint32_t line = 0;
    double seconds = 0;
  };
  bool has_waits = false;
  std::vector<Wait> waits;

  /// Samples by the innermost function, inlined or not. Empty without rows of inlined functions.
  struct Source {
    std::string function;
    std::string module;
    double share = 0;
    double inlined = 0;  ///< The part of it in inlined copies
  };
  std::vector<Source> sources;

  /// Samples in or below functions of each class of IsByChain; meaningful if has_chains.
  bool has_chains = false;
  std::array<double, kLibraryClasses> chain_shares{};
};

RunDetails DetailsOf(const Report& report);
/// The same of a parsed JSON report, which is not trusted.
RunDetails ParseDetails(const nlohmann::json& json);

}  // namespace csink::report
