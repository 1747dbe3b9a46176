#include <algorithm>
#include <tuple>

#include "symbolizer/report/formats/formats.h"
#include "symbolizer/report/formats/parts/facts.h"
#include "symbolizer/report/formats/parts/json_text.h"
#include "symbolizer/report/formats/parts/paths.h"
#include "symbolizer/report/formats/parts/strings.h"

/// File: writes V8's CPU profiles, the type Profile in the domain Profiler of the Chrome DevTools
/// protocol: a tree of nodes, and a list of samples with the times between them.

namespace csink::report {
namespace {

/// The samples of one line in one node.
struct Tick {
  std::uint32_t node = 0;
  std::uint32_t line = 0;
  std::uint64_t samples = 0;
};

/// Writes one event. Times are microseconds: of a clock its own time, of another event one for each
/// event.
class CpuProfile {
 public:
  CpuProfile(const Report& report, const FormatOptions& options, Sink& sink)
      : report_(report),
        profile_(report.profile),
        json_(sink),
        spots_(report),
        paths_(report, spots_, PathDetail::kFunctions, options.inlines),
        call_frames_(paths_.functions().size()) {
    const auto events = ChosenEvents(report, options);
    if (events.empty()) {
      // A profile without events is a valid file with the root alone.
      self_.resize(paths_.nodes().size());
    } else {
      event_ = events[0];
      self_ = SelfOfNodes(report, paths_, event_);
      FindTicks();
    }
    total_ = TotalsOfNodes(paths_, self_);
    for (const std::uint32_t node : paths_.Preorder()) {
      // Callers without samples of this event are left out.
      if (IsUsed(node)) order_.push_back(node);
    }
  }

  void Write() {
    FindChildren();
    json_.BeginObject();
    json_.Key("nodes").BeginArray();
    json_.NewLine();
    json_.BeginObject();
    json_.Member("id", 1);
    json_.Key("callFrame")
        .Raw(R"json({"functionName":"(root)","scriptId":"0","url":"","lineNumber":-1,)json"
             R"json("columnNumber":-1})json");
    json_.Member("hitCount", 0);
    Children(0);
    json_.EndObject();
    for (const std::uint32_t node : order_) Node(node);
    json_.EndArray();
    json_.NewLine();
    json_.Member("startTime", 0);
    json_.NewLine();
    json_.Member("endTime", Microseconds(Sum()));
    json_.NewLine();
    Samples();
    json_.NewLine();
    Deltas();
    json_.NewLine();
    std::vector<std::string> facts = FactLines(report_);
    facts.push_back(Unit());
    json_.Key("csink").BeginObject();
    json_.Key("facts").List(facts);
    json_.EndObject();
    json_.EndObject();
    json_.End();
  }

 private:
  /// Whether the node or one below it has samples of the event.
  bool IsUsed(std::uint32_t node) const {
    return total_[node].weight != 0 || total_[node].samples != 0;
  }
  /// Readers take id 0 for none.
  static std::uint64_t IdOf(std::uint32_t node) { return std::uint64_t{node} + 1; }
  bool IsClock() const {
    return !profile_.events.empty() && profile_.events[event_].kind == EventClass::kClock;
  }
  /// A weight in the unit of the format. An event that is no clock counts as a microsecond.
  std::uint64_t Microseconds(std::uint64_t weight) const {
    return IsClock() ? weight / 1000 : weight;
  }
  /// The unit in words: the format knows no other than microseconds.
  std::string Unit() const {
    if (profile_.events.empty()) return "no event was sampled";
    return "times: microseconds of " + profile_.events[event_].name +
           (IsClock() ? "" : ", one for each event") +
           "; made from histograms, the order of samples is not that of time";
  }
  std::uint64_t Sum() const { return total_[0].weight; }

  /// The samples of each line, where they are in the file of the node's function.
  void FindTicks() {
    for (std::size_t i = 0; i < profile_.places.size(); ++i) {
      const std::uint64_t samples = profile_.places[i].counts[event_].samples;
      const PathStep& leaf = paths_.LeafOf(i);
      const std::uint32_t node = paths_.OfPlace(i);
      if (samples == 0 || leaf.line == 0 || leaf.file != paths_.FunctionOf(node).file) continue;
      ticks_.push_back({node, leaf.line, samples});
    }
    std::sort(ticks_.begin(), ticks_.end(), [](const Tick& a, const Tick& b) {
      return std::tie(a.node, a.line) < std::tie(b.node, b.line);
    });
  }
  /// The children of each node, in the order of order_.
  void FindChildren() {
    first_child_.resize(paths_.nodes().size() + 1);
    for (const std::uint32_t node : order_) ++first_child_[paths_.nodes()[node].parent + 1];
    for (std::size_t i = 1; i < first_child_.size(); ++i) first_child_[i] += first_child_[i - 1];
    std::vector<std::uint32_t> next(first_child_.begin(), first_child_.end() - 1);
    children_.resize(order_.size());
    for (const std::uint32_t node : order_) children_[next[paths_.nodes()[node].parent]++] = node;
  }
  /// The list of a node's children.
  void Children(std::uint32_t node) {
    if (first_child_[node] == first_child_[node + 1]) return;
    json_.Key("children").BeginArray();
    for (std::uint32_t i = first_child_[node]; i < first_child_[node + 1]; ++i) {
      json_.Value(IdOf(children_[i]));
    }
    json_.EndArray();
  }
  /// The member "callFrame" of a function's nodes. Made once for each function, because many nodes
  /// have it.
  const std::string& CallFrame(std::uint32_t node) {
    const std::uint32_t index = paths_.steps()[paths_.nodes()[node].step].function;
    std::string& text = call_frames_[index];
    if (!text.empty()) return text;
    const PathFunction& function = paths_.functions()[index];
    std::string_view url = function.file;
    if (url.empty() && function.module != kNoModule) url = spots_.ModuleName(function.module);
    // Lines of the protocol begin at 0, those of position ticks at 1. -1: unknown.
    JsonWriter<std::string, CleanStrings> json(text);
    json.BeginObject();
    json.Member("functionName", function.name);
    json.Member("scriptId", std::to_string(scripts_.Id(url)));
    json.Member("url", url);
    json.Member("lineNumber", static_cast<std::int64_t>(function.line) - 1);
    json.Member("columnNumber", -1);
    json.EndObject();
    return text;
  }
  /// One node: its function, its samples, their lines and its children.
  void Node(std::uint32_t node) {
    json_.NewLine();
    json_.BeginObject();
    json_.Member("id", IdOf(node));
    json_.Key("callFrame").Raw(CallFrame(node));
    json_.Member("hitCount", self_[node].samples);
    Ticks(node);
    Children(node);
    json_.EndObject();
  }
  /// The samples of a node by line. Places of one line differ in their addresses.
  void Ticks(std::uint32_t node) {
    auto tick = std::lower_bound(ticks_.begin(), ticks_.end(), node,
                                 [](const Tick& a, std::uint32_t b) { return a.node < b; });
    if (tick == ticks_.end() || tick->node != node) return;
    json_.Key("positionTicks").BeginArray();
    while (tick != ticks_.end() && tick->node == node) {
      const std::uint32_t line = tick->line;
      std::uint64_t samples = 0;
      for (; tick != ticks_.end() && tick->node == node && tick->line == line; ++tick) {
        samples += tick->samples;
      }
      json_.BeginObject();
      json_.Member("line", line);
      json_.Member("ticks", samples);
      json_.EndObject();
    }
    json_.EndArray();
  }
  /// Two samples for each node. The first comes where the time of the node before it ends, the
  /// second after the node's own time: readers that count the time before a sample to the sample,
  /// and readers that count it to the sample before, come to the same sums.
  void Samples() {
    json_.Key("samples").BeginArray();
    for (const std::uint32_t node : order_) {
      if (self_[node].weight == 0) continue;
      json_.Value(IdOf(node));
      json_.Value(IdOf(node));
    }
    json_.EndArray();
  }
  /// Whole microseconds, as the protocol demands. Sums are rounded, not each difference, so that
  /// the total is right to one microsecond.
  void Deltas() {
    std::uint64_t sum = 0;
    json_.Key("timeDeltas").BeginArray();
    for (const std::uint32_t node : order_) {
      const std::uint64_t weight = self_[node].weight;
      if (weight == 0) continue;
      const std::uint64_t before = Microseconds(sum);
      // Saturates where the sum of all does.
      sum = sum + weight < sum ? ~std::uint64_t{0} : sum + weight;
      json_.Value(0);
      json_.Value(Microseconds(sum) - before);
    }
    json_.EndArray();
  }

  const Report& report_;
  const Profile& profile_;
  CleanJson json_;
  const Spots spots_;
  const Paths paths_;
  std::size_t event_ = 0;
  std::vector<EventCount> self_, total_;    ///< By node
  std::vector<std::uint32_t> order_;        ///< Nodes with samples, parents first
  std::vector<std::uint32_t> first_child_;  ///< By node: index into children_
  std::vector<std::uint32_t> children_;
  std::vector<Tick> ticks_;               ///< Sorted by node and line
  std::vector<std::string> call_frames_;  ///< By function; empty: not made yet
  Strings scripts_;                       ///< Numbers of source files
};

}  // namespace

/// V8's CPU profile of one event; an event that is no clock takes a microsecond.
Result<void> WriteCpuProfile(const Report& report, const FormatOptions& options, Sink& sink) {
  CpuProfile(report, options, sink).Write();
  return {};
}

}  // namespace csink::report
