#include <unordered_map>

#include "profil/reading/model/saturating.h"
#include "symbolizer/report/formats/formats.h"
#include "symbolizer/report/formats/parts/clean.h"
#include "symbolizer/report/formats/parts/facts.h"
#include "symbolizer/report/formats/parts/spots.h"
#include "symbolizer/report/tables/callers.h"

/// File: writes folded stacks: "main;solve;kernel 12345", one line for each stack, root first. The
/// format is documented at the head of Brendan Gregg's flamegraph.pl; speedscope, inferno and
/// others read it, too.

namespace csink::report {
namespace {

/// Sums weights by stack. Stacks with a common beginning share nodes: 200,000 stacks become text
/// only when they are written. Node 0 is the root, which has no name.
class StackTree {
 public:
  StackTree() { nodes_.push_back({}); }

  /// The node for a name below `parent`; a new one at its first use.
  std::uint32_t Child(std::uint32_t parent, std::string_view name) {
    // Names are compared by text, not by function: two functions of one name are one in this
    // format.
    const auto [named, is_new_name] =
        name_ids_.emplace(name, static_cast<std::uint32_t>(names_.size()));
    if (is_new_name) names_.push_back(name);
    const std::uint64_t key = std::uint64_t{parent} << 32 | named->second;
    const auto [it, is_new] = children_.emplace(key, static_cast<std::uint32_t>(nodes_.size()));
    if (is_new) nodes_.push_back({parent, named->second, 0});
    return it->second;
  }
  void Add(std::uint32_t node, std::uint64_t weight) { AddTo(nodes_[node].weight, weight); }

  void Write(Sink& sink) const {
    std::vector<std::string> clean;
    for (const std::string_view name : names_) {
      // ';' separates functions in this format.
      clean.push_back(CleanName(name, ";", ':'));
      if (clean.back().empty()) clean.back() = "[unnamed]";
    }
    std::vector<std::uint32_t> path;
    for (const Node& leaf : nodes_) {
      // A node that only other stacks pass through.
      if (leaf.weight == 0) continue;
      path.clear();
      for (const Node* node = &leaf; node != &nodes_[0]; node = &nodes_[node->parent]) {
        path.push_back(node->name);
      }
      for (std::size_t i = path.size(); i-- > 0;) {
        sink << clean[path[i]] << (i == 0 ? ' ' : ';');
      }
      sink << leaf.weight << '\n';
    }
  }

 private:
  struct Node {
    std::uint32_t parent = 0;
    std::uint32_t name = 0;
    std::uint64_t weight = 0;
  };
  std::vector<Node> nodes_;
  std::vector<std::string_view> names_;
  std::unordered_map<std::string_view, std::uint32_t> name_ids_;
  std::unordered_map<std::uint64_t, std::uint32_t> children_;
};

/// Makes the tree of stacks from the profile's tree of callers: callers first, then one leaf for
/// each place.
class Folder {
 public:
  Folder(const Report& report, bool inlines)
      : report_(report), spots_(report), inlines_(inlines), node_of_(FollowCallers()) {}

  StackTree Fold(std::size_t event) {
    const Profile& profile = report_.profile;
    for (std::size_t i = 0; i < profile.places.size(); ++i) {
      const Place& place = profile.places[i];
      const std::uint64_t weight = place.counts[event].weight;
      if (weight == 0) continue;
      tree_.Add(Descend(ParentOf(place), spots_.OfPlace(i)), weight);
    }
    return std::move(tree_);
  }

 private:
  /// One pass is enough, because parents come first among the callers.
  std::vector<std::uint32_t> FollowCallers() {
    const Profile& profile = report_.profile;
    std::vector<std::uint32_t> node_of(profile.callers.size());
    for (std::size_t i = 1; i < profile.callers.size(); ++i) {
      const Caller& caller = profile.callers[i];
      const std::uint32_t parent =
          caller.IsCut() ? tree_.Child(0, kCutName) : node_of[caller.parent];
      node_of[i] = caller.IsEmpty() ? parent : Descend(parent, spots_.OfCaller(i));
    }
    return node_of;
  }
  std::uint32_t ParentOf(const Place& place) {
    // Without stacks, the module takes the place of the callers, so that a flame graph has two
    // levels.
    if (!node_of_.empty()) return node_of_[place.caller];
    return tree_.Child(0, spots_.ModuleName(place.address.module));  // The profile has no stacks
  }
  /// The node of a spot's functions below `node`: one function, or with --inlines one for each
  /// frame.
  std::uint32_t Descend(std::uint32_t node, std::uint32_t spot) {
    if (!inlines_) return tree_.Child(node, spots_.all()[spot].function);
    const std::vector<Frame> frames = spots_.FramesOf(spot);
    // Frames are innermost first, folded stacks outermost first.
    for (std::size_t i = frames.size(); i-- > 0;) node = tree_.Child(node, frames[i].function);
    return node;
  }

  const Report& report_;
  const Spots spots_;
  const bool inlines_;
  StackTree tree_;
  std::vector<std::uint32_t> node_of_;
};

}  // namespace

/// One line a stack with the weight of one event; without stacks "module;function".
Result<void> WriteFolded(const Report& report, const FormatOptions& options, Sink& sink) {
  // The format has no comments, so the verdict is a stack of weight 0, which readers ignore.
  const auto verdict = VerdictLines(report);
  if (!verdict.empty()) sink << "[verdict " << CleanName(verdict[0], ";", ',') << "] 0\n";
  const auto events = ChosenEvents(report, options);
  if (events.empty()) return {};
  Folder folder(report, options.inlines);
  folder.Fold(events[0]).Write(sink);
  return {};
}

}  // namespace csink::report
