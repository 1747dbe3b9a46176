#pragma once

#include <cstdint>
#include <vector>

#include "symbolizer/report/formats/spots.h"

/// File: functions, their addresses and their callers, as callgrind and gprof need them.

namespace csink::report {

/// All samples below one call: from one address in the caller to one function.
struct CallEdge {
  std::uint32_t caller = 0;           ///< Spot of the call
  std::uint32_t callee = 0;           ///< Function
  std::vector<EventCount> inclusive;  ///< One per event; a stack counts once, however often the
                                      ///< edge is in it
};

struct CallFunction {
  std::vector<std::uint32_t> spots;  ///< By address
  std::uint64_t begin = 0;           ///< Address of its first instruction; 0: not known
};

struct CallGraph {
  std::vector<CallFunction> functions;
  std::vector<std::uint32_t> function_of;     ///< By spot
  std::vector<std::vector<EventCount>> self;  ///< By spot; empty: nothing was sampled there
  std::vector<CallEdge> edges;  ///< By caller's spot, then by function; each with samples below
};

/// Time and memory grow with the number of places and callers, not with the depth of stacks.
CallGraph MakeCallGraph(const Report& report, const Spots& spots);

}  // namespace csink::report
