#include "symbolizer/report/html/inlined_paths.h"

namespace csink::report {

InlinedPaths::InlinedPaths(const Report& report, SampleRows& page)
    : report_(report), page_(page), inlined_(page.inlined) {
  // The root stands for no function.
  page_.nodes.push_back({0, kNone});
  const std::vector<Caller>& callers = report.profile.callers;
  base_of_.assign(callers.size(), 0);
  node_of_.assign(callers.size(), 0);
  // One pass is enough: the parents of callers come before them.
  for (std::uint32_t i = 1; i < callers.size(); ++i) {
    base_of_[i] = Below(callers[i].parent, report.addresses.node_of_caller[i]);
    node_of_[i] = callers[i].IsEmpty() ? base_of_[i]
                                       : WithInlined(base_of_[i], report.addresses.of_caller[i]);
  }
}

std::uint32_t InlinedPaths::NodeOf(std::size_t place) {
  const std::uint32_t base =
      Below(report_.profile.places[place].caller, report_.addresses.node_of_place[place]);
  return WithInlined(base, report_.addresses.of_place[place]);
}

std::uint32_t InlinedPaths::Child(std::uint32_t parent, std::uint32_t function,
                                  std::uint32_t inlined) {
  const std::uint64_t frame = inlined == kNone ? function : report_.call_functions.size() + inlined;
  const auto [it, is_new] = index_.emplace(std::uint64_t{parent} << 32 | frame,
                                           static_cast<std::uint32_t>(page_.nodes.size()));
  if (is_new) page_.nodes.push_back({parent, function, false, inlined});
  return it->second;
}

std::uint32_t InlinedPaths::Plain(std::uint32_t node) {
  if (node == 0) return 0;
  const CallNode& known = report_.call_tree[node];
  return Child(Plain(known.parent), known.function, kNone);
}

std::uint32_t InlinedPaths::Below(std::uint32_t caller, std::uint32_t node) {
  const std::uint32_t above = report_.addresses.node_of_caller[caller];
  // Direct recursion is one node, without what was inlined between the calls.
  if (node == above) return base_of_[caller];
  const CallNode& known = report_.call_tree[node];
  // The outermost caller of a stack that was cut hangs below a node that no caller has.
  return Child(known.parent == above ? node_of_[caller] : Plain(known.parent), known.function,
               kNone);
}

std::uint32_t InlinedPaths::WithInlined(std::uint32_t base, std::uint32_t location) {
  const auto& inlined = report_.addresses.locations[location].inlined;
  const std::uint32_t function = page_.nodes[base].frame;
  if (function == kNone) return base;
  std::uint32_t node = base;
  // Location::inlined has the innermost function first.
  for (std::size_t i = inlined.size(); i-- > 0;) {
    node = Child(node, function,
                 inlined_.Of({inlined[i].function, report_.call_functions[function].module}));
  }
  return node;
}

}  // namespace csink::report
