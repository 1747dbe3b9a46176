#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "symbolizer/report/html/row_sums.h"
#include "symbolizer/report/html/sample_rows.h"

/// File: the tree of call paths with the functions that were inlined at each call and sample.

namespace csink::report {

/// Adds the nodes of a report to the page: those of Report::call_tree, and below each the functions
/// that were inlined where it called or was sampled. One node of the report may be several of the
/// page, one for each place that calls from other inlined code.
class InlinedPaths {
 public:
  /// Adds the paths of all callers. `report` must have been built with BuildOptions::keep_addresses
  /// and have a tree of call paths.
  InlinedPaths(const Report& report, SampleRows& page);

  /// The page's node of a place: an index into Profile::places.
  std::uint32_t NodeOf(std::size_t place);

 private:
  /// The child of `parent` for a function, or for an inlined one (`inlined` is not kNone).
  std::uint32_t Child(std::uint32_t parent, std::uint32_t function, std::uint32_t inlined);
  /// The node for a node of the report's tree, without inlined functions above it.
  std::uint32_t Plain(std::uint32_t node);
  /// The node below that of a caller for a node of the report's tree.
  std::uint32_t Below(std::uint32_t caller, std::uint32_t node);
  /// The innermost node for the functions that were inlined at a location in `base`.
  std::uint32_t WithInlined(std::uint32_t base, std::uint32_t location);

  const Report& report_;
  SampleRows& page_;
  Interned<PageInlined> inlined_;
  std::unordered_map<std::uint64_t, std::uint32_t> index_;
  std::vector<std::uint32_t> base_of_;  ///< By caller: its function's node
  std::vector<std::uint32_t>
      node_of_;  ///< By caller: the innermost function that was inlined there
};

}  // namespace csink::report
