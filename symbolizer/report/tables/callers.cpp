#include "symbolizer/report/tables/callers.h"

#include <algorithm>
#include <unordered_map>

#include "profil/reading/model/saturating.h"
#include "symbolizer/report/data/function_key.h"
#include "symbolizer/report/tables/cells.h"

/// File: makes the tree of call paths and each function's direct callers from the profile's tree of
/// callers (Profile::callers). That tree has one node for each return address; here nodes of one
/// function are one. Callers are visited once, parents first; each place then adds its counts to
/// one node and to one pair (function, direct caller). A last pass from the leaves sums up the
/// subtrees.

namespace csink::report {
namespace {

/// The root of the tree.
constexpr std::uint32_t kAll = 0;
/// No function: that of the root, and of callers that stand for unknown ones.
constexpr std::uint32_t kNobody = 0xffffffff;

/// Assigns numbers to the functions of callers and samples: indices into Report::call_functions.
/// They are not FunctionRow::ids, because functions that only called others have no row there.
class Functions {
 public:
  Functions(Report& report, const Names& names) : report_(report), names_(names) {}

  /// The number of the function at an address; a new one at its first use.
  std::uint32_t At(const CodeAddress& address) {
    const Module& module = report_.profile.modules[address.module];
    const symbolizer::Location& location = names_.Of(address);
    const FunctionKey key = KeyOf(address.module, module, location);
    const auto known = index_.find(key);
    if (known != index_.end()) return known->second;
    const bool nameless = IsNameless(module, location);
    return Add(key,
               nameless                    ? std::string(kAnonymousCode)
               : location.function.empty() ? DisplayName(module)
                                           : location.function,
               DisplayName(module));
  }
  /// The number of a name that is no function: kCutName, kUnknownCaller.
  std::uint32_t Special(const char* name) {
    const FunctionKey key{kNoModule, 0, name};
    const auto known = index_.find(key);
    return known != index_.end() ? known->second : Add(key, name, "");
  }

 private:
  /// A new number. The key must not be known yet.
  std::uint32_t Add(FunctionKey key, std::string name, std::string module) {
    const auto id = static_cast<std::uint32_t>(report_.call_functions.size());
    index_.emplace(std::move(key), id);
    report_.call_functions.push_back({std::move(name), std::move(module), {}});
    return id;
  }
  Report& report_;
  const Names& names_;
  std::unordered_map<FunctionKey, std::uint32_t, FunctionKeyHash> index_;
};

/// Builds the tree of call paths in Report::call_tree.
class Tree {
 public:
  explicit Tree(Report& report) : report_(report) {
    report.call_tree.push_back({kAll, kNobody, NoCells(), NoCells()});
  }
  /// The child of `parent` for `function`; added if it is new.
  std::uint32_t Child(std::uint32_t parent, std::uint32_t function) {
    auto& nodes = report_.call_tree;
    // Deep recursion would fill the tree with nodes that say the same.
    if (nodes[parent].function == function) return parent;  // Direct recursion is one node
    const std::uint64_t key = std::uint64_t{parent} << 32 | function;
    const auto [it, is_new] = index_.emplace(key, static_cast<std::uint32_t>(nodes.size()));
    if (is_new) nodes.push_back({parent, function, NoCells(), NoCells()});
    return it->second;
  }
  /// Computes totals and shares. Backwards, because children come behind their parents, so each
  /// node is complete before it is added to its parent.
  void Finish() {
    auto& nodes = report_.call_tree;
    for (std::size_t i = nodes.size(); i-- > 0;) {
      CallNode& node = nodes[i];
      for (std::size_t e = 0; e < node.self.size(); ++e) {
        AddTo(node.total[e], node.self[e]);
        if (i != kAll) AddTo(nodes[node.parent].total[e], node.total[e]);
      }
      FinishCells(report_, node.self);
      FinishCells(report_, node.total);
    }
  }

 private:
  /// One empty cell for each event.
  std::vector<Cell> NoCells() const { return std::vector<Cell>(report_.profile.events.size()); }
  Report& report_;
  std::unordered_map<std::uint64_t, std::uint32_t> index_;
};

/// The tree's node for each of the profile's callers. One pass is enough, because parents come
/// before their children. The outermost caller of a stack that was cut hangs below a node kCutName,
/// because its own callers are unknown; a caller that stands for unknown ones alone is that node.
std::vector<std::uint32_t> NodesOfCallers(const Profile& profile,
                                          const std::vector<std::uint32_t>& function_of,
                                          Functions& functions, Tree& tree) {
  std::vector<std::uint32_t> node_of(profile.callers.size(), kAll);
  for (std::size_t i = 1; i < profile.callers.size(); ++i) {
    const Caller& caller = profile.callers[i];
    std::uint32_t parent = node_of[caller.parent];
    if (caller.IsCut()) parent = tree.Child(kAll, functions.Special(kCutName));
    node_of[i] = caller.IsEmpty() ? parent : tree.Child(parent, function_of[i]);
  }
  return node_of;
}

/// The heaviest caller first; by name where weights are equal, because the sums come from a hash
/// table.
void SortByWeight(std::vector<NamedCells>& rows) {
  std::stable_sort(rows.begin(), rows.end(), [](const NamedCells& a, const NamedCells& b) {
    if (const int order = CompareWeight(a.events, b.events)) return order < 0;
    return a.function < b.function;
  });
}

/// Direct recursion is a run of callers of one function. For each caller: the outermost one of its
/// run, which is itself where the function did not call itself.
std::vector<std::uint32_t> OutermostOfRuns(const Profile& profile,
                                           const std::vector<std::uint32_t>& function_of) {
  std::vector<std::uint32_t> outermost(profile.callers.size());
  for (std::uint32_t i = 1; i < outermost.size(); ++i) {
    const Caller& caller = profile.callers[i];
    const bool is_inner = !caller.IsEmpty() && !caller.IsCut() && caller.parent != 0 &&
                          function_of[caller.parent] == function_of[i];
    outermost[i] = is_inner ? outermost[caller.parent] : i;
  }
  return outermost;
}

/// Sums by (function of the sample, function of its direct caller). Functions of samples are
/// counted by FunctionRow::id, callers by index into Report::call_functions.
class DirectCallers {
 public:
  void Add(const Report& report, std::uint32_t function, std::uint32_t caller,
           const std::vector<EventCount>& counts) {
    auto& cells = sums_[std::uint64_t{function} << 32 | caller];
    cells.resize(report.profile.events.size());
    AddCounts(cells, counts);
  }
  /// Fills FunctionRow::callers. The sums are moved, so that this is called once.
  void MoveTo(Report& report) {
    // Rows were sorted after they got their ids.
    std::vector<FunctionRow*> row_of(report.functions.size());
    for (FunctionRow& row : report.functions) row_of[row.id] = &row;
    for (auto& [key, cells] : sums_) {
      FinishCells(report, cells);
      const NamedCells& caller = report.call_functions[key & 0xffffffff];
      row_of[key >> 32]->callers.push_back({caller.function, caller.module, std::move(cells)});
    }
    for (FunctionRow& row : report.functions) SortByWeight(row.callers);
  }

 private:
  std::unordered_map<std::uint64_t, std::vector<Cell>> sums_;
};

}  // namespace

CallNodes AddCallers(Report& report, const Names& names,
                     const std::vector<std::uint32_t>& function_of_place) {
  const Profile& profile = report.profile;
  if (profile.callers.empty()) return {};
  Functions functions(report, names);
  Tree tree(report);
  // Each return address is named once, however many paths go through it.
  std::vector<std::uint32_t> function_of(profile.callers.size(), kNobody);
  for (std::size_t i = 1; i < profile.callers.size(); ++i) {
    const Caller& caller = profile.callers[i];
    if (!caller.IsEmpty()) function_of[i] = functions.At(CallSite(caller));
  }
  std::vector<std::uint32_t> node_of = NodesOfCallers(profile, function_of, functions, tree);
  const auto outermost = OutermostOfRuns(profile, function_of);
  // The direct caller is known if the stack has one, even if the stack was cut further out. That of
  // a function that called itself is the caller of its outermost call, as in the tree.
  const auto caller_of = [&](std::uint32_t function, std::uint32_t caller) {
    if (caller != 0 && function_of[caller] == function) {
      const Caller& last = profile.callers[outermost[caller]];
      if (last.IsCut()) return functions.Special(kCutName);
      caller = last.parent;
    }
    const bool is_known = caller != 0 && !profile.callers[caller].IsEmpty();
    return is_known ? function_of[caller] : functions.Special(kUnknownCaller);
  };
  DirectCallers direct;
  std::vector<std::uint32_t> node_of_place;
  node_of_place.reserve(profile.places.size());
  for (std::size_t i = 0; i < profile.places.size(); ++i) {
    const Place& place = profile.places[i];
    const std::uint32_t function = functions.At(place.address);
    const std::uint32_t node = tree.Child(node_of[place.caller], function);
    AddCounts(report.call_tree[node].self, place.counts);
    node_of_place.push_back(node);
    direct.Add(report, function_of_place[i], caller_of(function, place.caller), place.counts);
  }
  tree.Finish();
  direct.MoveTo(report);
  return {std::move(node_of_place), std::move(node_of)};
}

}  // namespace csink::report
