#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profil/critical/analysis.h"

/// File: what holds a run up, by function.

namespace csink::report {

/// A function with its shares of the critical path.
struct CriticalRow {
  std::string function;
  std::string file;        ///< Of the line with most samples; empty: not known
  std::uint32_t line = 0;  ///< 0: not known
  critical::PlaceShares shares;
};

/// The room's answer with names.
struct CriticalTable {
  critical::Analysis analysis;    ///< Its places are those of `rows`, which have their shares
  std::vector<CriticalRow> rows;  ///< The largest part of the path first
};

}  // namespace csink::report
