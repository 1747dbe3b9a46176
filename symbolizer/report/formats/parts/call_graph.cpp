#include "symbolizer/report/formats/parts/call_graph.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>

#include "profil/reading/model/saturating.h"
#include "symbolizer/report/data/function_key.h"

/// File: computes inclusive samples of calls. SumUp adds up the samples below each caller in one
/// pass from the end, because parents come before their children. EdgeWalk then visits the tree of
/// callers depth first with an explicit stack and keeps the edges of the current path: an edge that
/// is already on the path (recursion) is not counted again, so that no stack counts twice for one
/// edge.

namespace csink::report {
namespace {

/// Adds `counts` to `sums`. Either may be empty: no samples.
void AddAll(std::vector<EventCount>& sums, const std::vector<EventCount>& counts) {
  if (sums.size() < counts.size()) sums.resize(counts.size());
  for (std::size_t i = 0; i < counts.size(); ++i) AddTo(sums[i], counts[i]);
}

/// Numbers the functions and sorts their spots by address.
void GatherFunctions(const Report& report, const Spots& spots, CallGraph& graph) {
  std::unordered_map<FunctionKey, std::uint32_t, FunctionKeyHash> index;
  for (std::uint32_t i = 0; i < spots.all().size(); ++i) {
    const Spot& spot = spots.all()[i];
    const Module& module = report.profile.modules[spot.code.module];
    const auto [it, is_new] = index.emplace(KeyOf(spot.code.module, module, *spot.location),
                                            static_cast<std::uint32_t>(graph.functions.size()));
    if (is_new) graph.functions.push_back({{}, spot.location->function_vaddr});
    graph.functions[it->second].spots.push_back(i);
    graph.function_of.push_back(it->second);
  }
  for (CallFunction& function : graph.functions) {
    std::sort(function.spots.begin(), function.spots.end(), [&](auto a, auto b) {
      const Spot& left = spots.all()[a];
      const Spot& right = spots.all()[b];
      return std::tie(left.address, a) < std::tie(right.address, b);
    });
  }
}

/// Lists by key in one array (counting sort): the items of key k are order[begin[k]..begin[k + 1]),
/// in rising order. Two arrays take less memory than a vector for each caller.
struct Buckets {
  std::vector<std::uint32_t> begin, order;
  template <class KeyOfItem>
  Buckets(std::size_t keys, std::size_t items, KeyOfItem key) : begin(keys + 1), order(items) {
    for (std::size_t i = 0; i < items; ++i) ++begin[key(i) + 1];
    for (std::size_t k = 0; k < keys; ++k) begin[k + 1] += begin[k];
    std::vector<std::uint32_t> next(begin.begin(), begin.end() - 1);
    for (std::size_t i = 0; i < items; ++i) order[next[key(i)]++] = static_cast<std::uint32_t>(i);
  }
};

/// Walks the tree of callers from the outermost callers inwards, and tracks the edges of the
/// current path.
class EdgeWalk {
 public:
  EdgeWalk(const Profile& profile, const Spots& spots, CallGraph& graph)
      : profile_(profile),
        spots_(spots),
        graph_(graph),
        total_(profile.callers.size()),
        children_(profile.callers.size(), profile.callers.size(),
                  [&](std::size_t i) { return profile.callers[i].parent; }),
        places_(profile.callers.size(), profile.places.size(),
                [&](std::size_t i) { return profile.places[i].caller; }) {}

  /// Fills CallGraph::edges.
  void Run() {
    SumUp();
    for (std::uint32_t root = 1; root < profile_.callers.size(); ++root) {
      const Caller& caller = profile_.callers[root];
      // A caller without a parent begins a stack. Empty ones stand for unknown callers and have no
      // edges.
      if (caller.parent == 0 && !caller.IsEmpty()) Walk(root);
    }
  }

 private:
  struct Step {
    std::uint32_t node;
    std::uint32_t next;  ///< Next child to visit
  };
  /// Computes total_.
  void SumUp() {
    for (const Place& place : profile_.places) AddAll(total_[place.caller], place.counts);
    for (std::size_t i = profile_.callers.size(); i-- > 1;) {
      const std::uint32_t parent = profile_.callers[i].parent;
      if (parent != 0) AddAll(total_[parent], total_[i]);
    }
  }
  /// Visits the subtree of a root. No recursion: a stack may be as deep as the program's recursion.
  void Walk(std::uint32_t root) {
    std::vector<Step> path;
    Enter(root, path);
    while (!path.empty()) {
      Step& step = path.back();
      if (step.next < children_.begin[step.node + 1]) {
        Enter(children_.order[step.next++], path);
      } else {
        Leave(step.node);
        path.pop_back();
      }
    }
  }
  /// The key of the edge from a caller to the function of a spot.
  std::uint64_t EdgeInto(std::uint32_t caller, std::uint32_t spot) const {
    return std::uint64_t{spots_.OfCaller(caller)} << 32 | graph_.function_of[spot];
  }
  /// Puts the edge to `node` on the path, and adds the edges from it to sampled places.
  void Enter(std::uint32_t node, std::vector<Step>& path) {
    path.push_back({node, children_.begin[node]});
    const std::uint32_t parent = profile_.callers[node].parent;
    if (parent != 0) {
      const std::uint64_t edge = EdgeInto(parent, spots_.OfCaller(node));
      if (active_[edge]++ == 0) Add(edge, total_[node]);
    }
    // A place is the end of its stack. Its edge counts unless the same edge is further out on the
    // path.
    for (std::uint32_t i = places_.begin[node]; i < places_.begin[node + 1]; ++i) {
      const std::uint32_t place = places_.order[i];
      const std::uint64_t edge = EdgeInto(node, spots_.OfPlace(place));
      const auto active = active_.find(edge);
      if (active == active_.end() || active->second == 0) Add(edge, profile_.places[place].counts);
    }
  }
  /// Takes the edge to `node` off the path.
  void Leave(std::uint32_t node) {
    const std::uint32_t parent = profile_.callers[node].parent;
    if (parent != 0) --active_[EdgeInto(parent, spots_.OfCaller(node))];
  }
  /// Adds samples to an edge. Callers without samples below them are skipped: they belong to other
  /// marks, to a live process, or to a damaged spool.
  void Add(std::uint64_t edge, const std::vector<EventCount>& counts) {
    if (counts.empty()) return;
    const auto [it, is_new] = index_.emplace(edge, graph_.edges.size());
    if (is_new) {
      graph_.edges.push_back(
          {static_cast<std::uint32_t>(edge >> 32), static_cast<std::uint32_t>(edge), {}});
    }
    AddAll(graph_.edges[it->second].inclusive, counts);
  }

  const Profile& profile_;
  const Spots& spots_;
  CallGraph& graph_;
  /// By caller: samples in it and in the functions that it called
  std::vector<std::vector<EventCount>> total_;
  Buckets children_, places_;
  /// Edges of the current path, and how often each occurs in it
  std::unordered_map<std::uint64_t, std::uint32_t> active_;
  std::unordered_map<std::uint64_t, std::size_t> index_;
};

}  // namespace

CallGraph MakeCallGraph(const Report& report, const Spots& spots) {
  const Profile& profile = report.profile;
  CallGraph graph;
  GatherFunctions(report, spots, graph);
  graph.self.resize(spots.all().size());
  for (std::size_t i = 0; i < profile.places.size(); ++i) {
    AddAll(graph.self[spots.OfPlace(i)], profile.places[i].counts);
  }
  if (!profile.callers.empty()) EdgeWalk(profile, spots, graph).Run();
  // By the spot of the call, so that writers find the edges of a spot as one range.
  std::sort(graph.edges.begin(), graph.edges.end(), [](const CallEdge& a, const CallEdge& b) {
    return std::tie(a.caller, a.callee) < std::tie(b.caller, b.callee);
  });
  return graph;
}

}  // namespace csink::report
