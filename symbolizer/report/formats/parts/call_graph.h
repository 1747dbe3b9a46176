#pragma once

#include <cstdint>
#include <vector>

#include "symbolizer/report/formats/parts/spots.h"

/// File: functions, their addresses and their callers, as callgrind and gprof need them. Spots are
/// numbered as in Spots::all(), functions as in CallGraph::functions.

namespace csink::report {

/// All samples below one call: from one address in the caller to one function.
struct CallEdge {
  /// Spot of the call.
  std::uint32_t caller = 0;
  /// Function that was called.
  std::uint32_t callee = 0;
  /// Samples in the callee and in what it called, one for each event. A stack counts once, however
  /// often the edge is in it.
  std::vector<EventCount> inclusive;
};

/// One function; function_key.h decides which spots belong to it.
struct CallFunction {
  /// Its spots, sorted by address. Never empty.
  std::vector<std::uint32_t> spots;
  /// Address of its first instruction in the file's own address space. 0 if it is not known.
  std::uint64_t begin = 0;
};

/// The graph of a profile. Without stacks there are no edges.
struct CallGraph {
  /// In the order in which spots mention them.
  std::vector<CallFunction> functions;
  std::vector<std::uint32_t> function_of;     ///< By spot
  std::vector<std::vector<EventCount>> self;  ///< By spot; empty: nothing was sampled there
  /// By caller's spot, then by function. Each has samples below it.
  std::vector<CallEdge> edges;
};

/// Computes the graph. `spots` is that of `report`. Time and memory grow with the number of places
/// and callers, not with the depth of stacks: each caller is entered and left once.
CallGraph MakeCallGraph(const Report& report, const Spots& spots);

}  // namespace csink::report
