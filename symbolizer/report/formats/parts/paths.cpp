#include "symbolizer/report/formats/parts/paths.h"

#include <algorithm>
#include <tuple>

#include "profil/reading/model/saturating.h"
#include "symbolizer/report/tables/callers.h"

namespace csink::report {
namespace {

/// Starts of functions that are identified by name and module alone. No code begins there.
constexpr std::uint64_t kByName = ~std::uint64_t{0};
/// The same for modules that stand for callers.
constexpr std::uint64_t kIsModule = ~std::uint64_t{0} - 1;

/// The samples of one line in one function.
struct LineVote {
  std::uint32_t function = 0;
  std::string_view file;
  std::uint32_t line = 0;
  std::uint64_t samples = 0;
};

}  // namespace

Paths::Paths(const Report& report, const Spots& spots, PathDetail detail, bool inlines)
    : report_(report), spots_(spots), detail_(detail), inlines_(inlines) {
  const Profile& profile = report.profile;
  const std::size_t most = profile.places.size() + profile.callers.size();
  nodes_.reserve(most + 1);
  // Node 0 is the root, which has no function.
  nodes_.push_back({});
  // The most that can be needed: one node for each caller and place, unless inlined functions are
  // frames.
  children_.reserve(most);
  // Before the tree is made: the paths of all callers are made of the steps of their spots.
  for (std::uint32_t spot = 0; spot < spots.all().size(); ++spot) AddSteps(spot);
  std::vector<std::uint32_t> node_of;
  FollowCallers(node_of);
  for (std::size_t i = 0; i < profile.places.size(); ++i) {
    const Place& place = profile.places[i];
    std::uint32_t parent = 0;
    if (!node_of.empty()) {
      parent = node_of[place.caller];
    } else if (detail_ == PathDetail::kFunctions) {
      const std::uint32_t module = place.address.module;
      parent = Child(0, PlainStep(spots_.ModuleName(module), module));
    }
    of_place_.push_back(Descend(parent, spots_.OfPlace(i)));
  }
  FindHottestLines();
}

void Paths::AddSteps(std::uint32_t spot) {
  const std::vector<Frame> frames = spots_.FramesOf(spot);
  Range range{static_cast<std::uint32_t>(step_ids_.size()), 0};
  // Frames are innermost first, paths outermost first.
  for (std::size_t i = frames.size(); i-- > 0;) {
    if (frames[i].is_inlined && !inlines_) continue;
    const auto depth = static_cast<std::uint32_t>(frames.size() - 1 - i);
    const std::uint32_t function = AddFunction(spot, frames[i]);
    const PathStep step{function, spot, depth, frames[i].file, frames[i].line};
    if (i == 0 || !inlines_) leaf_of_spot_.push_back(step);
    // One step for each address and frame.
    if (detail_ == PathDetail::kAddresses) {
      step_ids_.push_back(static_cast<std::uint32_t>(steps_.size()));
      steps_.push_back(step);
      continue;
    }
    // Here steps have the numbers of functions.
    if (function == steps_.size()) steps_.push_back(step);
    step_ids_.push_back(function);
  }
  range.end = static_cast<std::uint32_t>(step_ids_.size());
  steps_of_spot_.push_back(range);
}

std::uint32_t Paths::AddFunction(std::uint32_t spot, const Frame& frame) {
  const Spot& at = spots_.all()[spot];
  // Most spots belong to the function of the spot before: places are sorted by address. Comparing
  // takes less time than copying the name into a key.
  if (!inlines_ && last_spot_ != kNoSpot) {
    const Spot& last = spots_.all()[last_spot_];
    if (last.code.module == at.code.module && last.function == at.function &&
        last.location->source == at.location->source &&
        last.location->function_vaddr == at.location->function_vaddr) {
      return last_function_;
    }
  }
  FunctionKey key{at.code.module, kByName, std::string(frame.function)};
  if (!inlines_) key = KeyOf(at.code.module, report_.profile.modules[at.code.module], *at.location);
  const auto next = static_cast<std::uint32_t>(functions_.size());
  const auto [it, is_new] = function_ids_.emplace(std::move(key), next);
  if (is_new) {
    const std::uint64_t vaddr = frame.is_inlined ? 0 : at.location->function_vaddr;
    functions_.push_back({frame.function, at.code.module, vaddr, frame.file, frame.line});
  }
  last_spot_ = spot;
  last_function_ = it->second;
  return it->second;
}

std::uint32_t Paths::PlainStep(std::string_view name, std::uint32_t module) {
  const auto next = static_cast<std::uint32_t>(functions_.size());
  const auto [it, is_new] =
      function_ids_.emplace(FunctionKey{module, kIsModule, std::string(name)}, next);
  if (is_new) {
    functions_.push_back({name, module, 0, {}, 0});
    steps_.push_back({next, kNoSpot, 0, {}, 0});
  }
  if (detail_ == PathDetail::kFunctions) return it->second;
  // Only kCutName comes here with PathDetail::kAddresses: its step is behind those of all spots.
  return static_cast<std::uint32_t>(steps_.size() - 1);
}

std::uint32_t Paths::Child(std::uint32_t parent, std::uint32_t step) {
  const std::uint64_t key = std::uint64_t{parent} << 32 | step;
  const auto [it, is_new] = children_.emplace(key, static_cast<std::uint32_t>(nodes_.size()));
  if (is_new) nodes_.push_back({parent, step});
  return it->second;
}

std::uint32_t Paths::Descend(std::uint32_t node, std::uint32_t spot) {
  const Range range = steps_of_spot_[spot];
  for (std::uint32_t i = range.begin; i < range.end; ++i) node = Child(node, step_ids_[i]);
  return node;
}

void Paths::FollowCallers(std::vector<std::uint32_t>& node_of) {
  const Profile& profile = report_.profile;
  node_of.resize(profile.callers.size());
  // One pass is enough, because parents come first among the callers.
  for (std::size_t i = 1; i < profile.callers.size(); ++i) {
    const Caller& caller = profile.callers[i];
    const std::uint32_t parent =
        caller.IsCut() ? Child(0, PlainStep(kCutName, kNoModule)) : node_of[caller.parent];
    node_of[i] = caller.IsEmpty() ? parent : Descend(parent, spots_.OfCaller(i));
  }
}

void Paths::FindHottestLines() {
  const Profile& profile = report_.profile;
  if (profile.events.empty()) return;
  // By samples of the first event alone, so that a function has the same line in all events.
  std::vector<LineVote> votes;
  for (std::size_t i = 0; i < profile.places.size(); ++i) {
    const PathStep& leaf = LeafOf(i);
    if (leaf.line == 0) continue;
    votes.push_back({leaf.function, leaf.file, leaf.line, profile.places[i].counts[0].samples});
  }
  const auto position = [](const LineVote& vote) {
    return std::tuple(vote.function, vote.line, vote.file);
  };
  std::sort(votes.begin(), votes.end(),
            [&](const LineVote& a, const LineVote& b) { return position(a) < position(b); });
  std::vector<std::uint64_t> most(functions_.size());
  for (std::size_t i = 0; i < votes.size();) {
    LineVote sum = votes[i];
    for (++i; i < votes.size() && position(votes[i]) == position(sum); ++i) {
      AddTo(sum.samples, votes[i].samples);
    }
    // Of equal lines the first in the order of positions, so that the same profile gives the same
    // file.
    if (sum.samples <= most[sum.function]) continue;
    most[sum.function] = sum.samples;
    functions_[sum.function].file = sum.file;
    functions_[sum.function].line = sum.line;
  }
}

std::vector<std::uint32_t> Paths::Preorder() const {
  // The children of each node, one after another: counted, then placed.
  std::vector<std::uint32_t> first(nodes_.size() + 1);
  for (std::size_t i = 1; i < nodes_.size(); ++i) ++first[nodes_[i].parent + 1];
  for (std::size_t i = 1; i < first.size(); ++i) first[i] += first[i - 1];
  std::vector<std::uint32_t> next(first.begin(), first.end() - 1);
  std::vector<std::uint32_t> children(nodes_.size() - 1);
  for (std::uint32_t i = 1; i < nodes_.size(); ++i) children[next[nodes_[i].parent]++] = i;

  std::vector<std::uint32_t> order;
  // Nodes to visit, the next one last. Not recursive: a damaged spool may have very deep stacks.
  std::vector<std::uint32_t> open = {0};
  while (!open.empty()) {
    const std::uint32_t node = open.back();
    open.pop_back();
    if (node != 0) order.push_back(node);
    for (std::uint32_t i = first[node + 1]; i-- > first[node];) open.push_back(children[i]);
  }
  return order;
}

std::vector<std::uint32_t> Paths::Ranks() const {
  const std::vector<std::uint32_t> order = Preorder();
  std::vector<std::uint32_t> ranks(nodes_.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) ranks[order[i]] = i;
  return ranks;
}

std::vector<EventCount> SelfOfNodes(const Report& report, const Paths& paths, std::size_t event) {
  std::vector<EventCount> self(paths.nodes().size());
  for (std::size_t i = 0; i < report.profile.places.size(); ++i) {
    AddTo(self[paths.OfPlace(i)], report.profile.places[i].counts[event]);
  }
  return self;
}

std::vector<EventCount> TotalsOfNodes(const Paths& paths, const std::vector<EventCount>& self) {
  std::vector<EventCount> totals = self;
  // Parents come before their children, so one pass from the end adds up whole subtrees.
  for (std::size_t i = totals.size(); i-- > 1;) AddTo(totals[paths.nodes()[i].parent], totals[i]);
  return totals;
}

}  // namespace csink::report
