#include <algorithm>

#include "core/version/number.h"
#include "profil/reading/model/saturating.h"
#include "symbolizer/report/formats/formats.h"
#include "symbolizer/report/formats/parts/facts.h"
#include "symbolizer/report/formats/parts/json_text.h"
#include "symbolizer/report/formats/parts/paths.h"
#include "symbolizer/report/formats/parts/sample_owner.h"

/// File: writes speedscope's own format (file-format-schema.json of the npm package `speedscope`):
/// a table of frames, and "sampled" profiles with a list of stacks and a list of weights.

namespace csink::report {
namespace {

/// Writes a profile for each event, and for each thread if there are several.
class Speedscope {
 public:
  Speedscope(const Report& report, const FormatOptions& options, Sink& sink)
      : report_(report),
        profile_(report.profile),
        events_(ChosenEvents(report, options)),
        json_(sink),
        spots_(report),
        paths_(report, spots_, PathDetail::kFunctions, options.inlines),
        rank_of_(paths_.Ranks()),
        weight_of_(paths_.nodes().size()) {}

  void Write() {
    const std::vector<std::string> verdict = VerdictLines(report_);
    // speedscope shows the name above the graph; it has no other place for text.
    const std::string name =
        report_.command + (verdict.empty() ? "" : "; verdict " + verdict.front());
    json_.BeginObject();
    json_.Member("$schema", "https://www.speedscope.app/file-format-schema.json");
    json_.NewLine();
    json_.Member("exporter", "csink " CSINK_VERSION);
    json_.NewLine();
    json_.Member("name", name);
    json_.NewLine();
    json_.Member("activeProfileIndex", 0);
    json_.NewLine();
    json_.Key("csink").BeginObject();
    json_.Key("facts").List(FactLines(report_));
    json_.EndObject();
    json_.NewLine();
    json_.Key("shared").BeginObject();
    json_.Key("frames").List(paths_.functions(), [&](const PathFunction& f) { Frame(f); });
    json_.EndObject();
    json_.NewLine();
    json_.Key("profiles").BeginArray();
    const std::vector<SampleOwner> owners = SampleOwners(report_);
    for (const std::size_t event : events_) {
      const std::string& event_name = profile_.events[event].name;
      // First all threads together, which is what the viewer opens with.
      for (const SampleOwner& owner : owners) AddWeights(owner, event);
      WriteProfile(event, event_name + (owners.size() > 1 ? ", all threads" : ""));
      // With one thread, its profile would be the same once more.
      if (owners.size() < 2) continue;
      for (const SampleOwner& owner : owners) {
        AddWeights(owner, event);
        if (nodes_.empty()) continue;  // No samples of this event
        WriteProfile(event, event_name + ", " + owner.name + " " + std::to_string(owner.tid) +
                                " of " + owner.program + " " + std::to_string(owner.pid));
      }
    }
    json_.NewLine();
    json_.EndArray();
    json_.EndObject();
    json_.End();
  }

 private:
  /// A frame, one for each function. speedscope takes two frames for two functions, so a frame has
  /// the function's hottest line, not one line for each address.
  void Frame(const PathFunction& function) {
    json_.NewLine();
    json_.BeginObject();
    json_.Member("name", function.name);
    if (!function.file.empty()) {
      json_.Member("file", function.file);
      if (function.line != 0) json_.Member("line", function.line);
    } else if (function.module != kNoModule) {
      json_.Member("file", spots_.ModuleName(function.module));
    }
    json_.EndObject();
  }
  /// Adds the owner's weights to those that the next profile has.
  void AddWeights(const SampleOwner& owner, std::size_t event) {
    for (const std::uint32_t place : owner.places) {
      const std::uint64_t weight = profile_.places[place].counts[event].weight;
      if (weight == 0) continue;
      const std::uint32_t node = paths_.OfPlace(place);
      // Each node once, although many places may have the same stack.
      if (weight_of_[node] == 0) nodes_.push_back(node);
      AddTo(weight_of_[node], weight);
    }
  }
  /// Writes the weights that were added, and forgets them.
  void WriteProfile(std::size_t event, const std::string& name) {
    // Stacks with a common beginning stand side by side, so that the view in the order of time
    // shows them as one block.
    std::sort(nodes_.begin(), nodes_.end(),
              [&](std::uint32_t a, std::uint32_t b) { return rank_of_[a] < rank_of_[b]; });
    const bool is_clock = profile_.events[event].kind == EventClass::kClock;
    json_.NewLine();
    json_.BeginObject();
    json_.Member("type", "sampled");
    json_.Member("name", name);
    json_.Member("unit", is_clock ? "nanoseconds" : "none");
    json_.Member("startValue", 0);
    json_.NewLine();
    std::uint64_t sum = 0;
    json_.Key("samples").List(nodes_, [&](std::uint32_t node) {
      Stack(node);
      AddTo(sum, weight_of_[node]);
    });
    json_.NewLine();
    json_.Key("weights").List(nodes_, [&](std::uint32_t node) {
      json_.Value(weight_of_[node]);
      weight_of_[node] = 0;
    });
    json_.NewLine();
    // The viewer has no times: the profile is as long as the sum of its weights.
    json_.Member("endValue", sum);
    json_.EndObject();
    nodes_.clear();
  }
  /// A list of frames, outermost first.
  void Stack(std::uint32_t node) {
    stack_.clear();
    for (; node != 0; node = paths_.nodes()[node].parent) {
      stack_.push_back(paths_.steps()[paths_.nodes()[node].step].function);
    }
    std::reverse(stack_.begin(), stack_.end());
    json_.List(stack_);
  }

  const Report& report_;
  const Profile& profile_;
  const std::vector<std::size_t> events_;
  CleanJson json_;
  const Spots spots_;
  const Paths paths_;
  const std::vector<std::uint32_t> rank_of_;  ///< By node: its place in the preorder
  std::vector<std::uint64_t> weight_of_;      ///< By node; 0 but for nodes_
  std::vector<std::uint32_t> nodes_;          ///< With weights in the next profile
  std::vector<std::uint32_t> stack_;
};

}  // namespace

/// A profile for each event and thread, with lists of frames and weights in events (ns for a
/// clock).
Result<void> WriteSpeedscope(const Report& report, const FormatOptions& options, Sink& sink) {
  Speedscope(report, options, sink).Write();
  return {};
}

}  // namespace csink::report
