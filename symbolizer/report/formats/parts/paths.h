#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "symbolizer/report/data/function_key.h"
#include "symbolizer/report/formats/parts/spots.h"

/// File: the call paths of a report as one tree. Shared by the writers whose readers expect a tree
/// or lists of frames (speedscope, cpuprofile, Firefox Profiler, SVG).

namespace csink::report {

/// A function on paths. Without --inlines, functions are told apart as in the report's tables
/// (function_key.h). With --inlines all copies of a name in one module are one function.
struct PathFunction {
  /// As shown: a demangled name, kCutName, or the name of a module where it stands for the callers.
  std::string_view name;
  std::uint32_t module = kNoModule;  ///< Index into Profile::modules; kNoModule: none
  std::uint64_t vaddr = 0;           ///< Start in the file's own addresses; 0: unknown
  /// The line with most samples of the first event; without samples the first line that was seen.
  /// Empty and 0: unknown.
  std::string_view file;
  std::uint32_t line = 0;
};

/// No spot: the step stands for callers that are not known, or for a module.
inline constexpr std::uint32_t kNoSpot = 0xffffffff;

/// One frame of a path.
struct PathStep {
  std::uint32_t function = 0;  ///< Index into Paths::functions
  /// With PathDetail::kAddresses the spot of the frame, or kNoSpot. Else the first spot of the
  /// function.
  std::uint32_t spot = kNoSpot;
  std::uint32_t depth = 0;  ///< Number of functions around it at the spot; 0: it was not inlined
  std::string_view file;    ///< Source position of the spot in this function; empty: unknown
  std::uint32_t line = 0;   ///< 0: unknown
};

/// One node of the tree: a path from the root to a step.
struct PathNode {
  std::uint32_t parent = 0;  ///< Smaller than the node's own index
  std::uint32_t step = 0;    ///< Index into Paths::steps; of no meaning for the root, node 0
};

/// Whether two addresses of one function are one step or two.
enum class PathDetail { kFunctions, kAddresses };

/// The tree of all paths. A cut stack begins with kCutName. In a report without stacks a path is
/// one function, below its module if the detail is kFunctions.
/// Owns:    functions, steps and nodes. Names refer to the report and to `spots`, which must
///          outlive it.
/// Threads: const functions from any thread.
class Paths {
 public:
  /// Time and memory grow with the number of places and callers, not with the depth of stacks.
  Paths(const Report& report, const Spots& spots, PathDetail detail, bool inlines);

  const std::vector<PathFunction>& functions() const { return functions_; }
  const std::vector<PathStep>& steps() const { return steps_; }
  /// Node 0 is the root. Parents come before their children.
  const std::vector<PathNode>& nodes() const { return nodes_; }
  /// Node of a place, by index into Profile::places.
  std::uint32_t OfPlace(std::size_t place) const { return of_place_[place]; }
  /// Source position of a place in the innermost function. A file is empty, a line 0 if unknown.
  const PathStep& LeafOf(std::size_t place) const { return leaf_of_spot_[spots_.OfPlace(place)]; }
  const PathFunction& FunctionOf(std::uint32_t node) const {
    return functions_[steps_[nodes_[node].step].function];
  }
  /// The nodes below the root, each behind its parent and before the parent's next child: samples
  /// in this order draw each node as one block.
  std::vector<std::uint32_t> Preorder() const;
  /// By node: its place in Preorder(), for sorting some of the nodes; 0 for the root.
  std::vector<std::uint32_t> Ranks() const;

 private:
  /// The functions around a sampled address or a call, outermost first, as a part of step_ids_.
  struct Range {
    std::uint32_t begin = 0, end = 0;
  };
  void AddSteps(std::uint32_t spot);
  std::uint32_t AddFunction(std::uint32_t spot, const Frame& frame);
  /// A function without a spot, such as kCutName, as a step.
  std::uint32_t PlainStep(std::string_view name, std::uint32_t module);
  std::uint32_t Child(std::uint32_t parent, std::uint32_t step);
  std::uint32_t Descend(std::uint32_t node, std::uint32_t spot);
  void FollowCallers(std::vector<std::uint32_t>& node_of);
  /// Sets PathFunction::file and line.
  void FindHottestLines();

  const Report& report_;
  const Spots& spots_;
  const PathDetail detail_;
  const bool inlines_;
  std::vector<PathFunction> functions_;
  std::vector<PathStep> steps_;
  std::vector<PathNode> nodes_;
  std::vector<std::uint32_t> of_place_;
  std::vector<std::uint32_t> step_ids_;
  std::vector<Range> steps_of_spot_;
  std::vector<PathStep> leaf_of_spot_;
  /// The result of the last AddFunction.
  std::uint32_t last_spot_ = kNoSpot, last_function_ = 0;
  std::unordered_map<FunctionKey, std::uint32_t, FunctionKeyHash> function_ids_;
  std::unordered_map<std::uint64_t, std::uint32_t> children_;
};

/// Samples and weight of one event, by node.
std::vector<EventCount> SelfOfNodes(const Report& report, const Paths& paths, std::size_t event);
/// The sums over each node and everything below it, from the result of SelfOfNodes.
std::vector<EventCount> TotalsOfNodes(const Paths& paths, const std::vector<EventCount>& self);

}  // namespace csink::report
