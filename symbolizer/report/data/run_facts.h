#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "profil/reading/model/profile.h"

/// File: what a run recorded of its calls and its surroundings (spool::RunFactsRecord), of all its
/// processes together.

namespace csink::report {

/// Sums over the processes whose record is known. A process that used little CPU time, or was
/// killed, has none.
struct RunFactsSum {
  bool known = false;        ///< At least one process has a record
  bool calls_known = false;  ///< Each of these records has the calls and bytes
  double minor_faults = 0;
  double major_faults = 0;
  double preemptions = 0;
  double voluntary_switches = 0;
  double max_resident_bytes = 0;  ///< The largest process
  double read_calls = 0;
  double write_calls = 0;
  double read_bytes = 0;
  double written_bytes = 0;
  /// Of the process that used most CPU time; names as in agent/results/run_facts.h
  std::map<std::string, std::string> surroundings;
};

/// The numbers of a process go on over exec, so that its last image has those of all.
RunFactsSum SumOfRunFacts(const Profile& profile);

}  // namespace csink::report
