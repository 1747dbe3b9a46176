#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "profil/reading/model/profile.h"
#include "symbolizer/report/verdict/verdict.h"

/// File: the second line of the verdict, which says how far call chains can be trusted. It is
/// computed from the ends of chains that the agent has counted (spool::ChainEnd), and from nothing
/// else.

namespace csink::report {

/// Chains of one module that ended in the same way.
struct ModuleChains {
  std::string module;  ///< Base name; may contain any bytes
  std::uint64_t chains = 0;
};

/// Chains that ended in the same way.
struct ChainEndCount {
  spool::ChainEnd end = spool::ChainEnd::kUnknown;
  std::uint64_t chains = 0;
  std::uint32_t copied_bytes = 0;     ///< The largest part of a stack that was copied; 0: unknown
  std::vector<ModuleChains> modules;  ///< The code at which they ended, largest first
};

/// How far the call chains of samples, or of looks at blocked threads, can be trusted.
struct ChainGrade {
  bool of_looks = false;
  spool::ChainWay way = spool::ChainWay::kUnknown;  ///< Of most chains
  /// By the share of chains that are complete or end in a known place, with the limits of
  /// Verdict::grade. nullopt: too many ends were not checked, or nothing was recorded.
  std::optional<Grade> grade;
  std::uint64_t chains = 0;       ///< 0: only `cut` is known (spools of older agents)
  std::uint64_t reach_start = 0;  ///< Reach the start of a thread
  std::uint64_t known_end = 0;    ///< End in a known place
  std::uint64_t unchecked = 0;    ///< May be complete
  std::uint64_t cut = 0;
  std::vector<ChainEndCount> ends;  ///< By the number of chains, largest first
};

/// nullopt: the profile has no such chains.
std::optional<ChainGrade> GradeChains(const Profile& profile, bool of_looks);

/// The word of an end in JSON (docs/report.schema.json).
const char* WordFor(spool::ChainEnd end);
/// The same for the way in which chains were found.
const char* WordFor(spool::ChainWay way);
/// The line of the verdict. Names in it are safe for a terminal.
std::string ChainLine(const ChainGrade& grade);

}  // namespace csink::report
