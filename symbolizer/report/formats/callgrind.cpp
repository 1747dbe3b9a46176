#include <algorithm>
#include <map>
#include <unordered_map>

#include "core/version/number.h"
#include "symbolizer/report/data/function_key.h"
#include "symbolizer/report/formats/formats.h"
#include "symbolizer/report/formats/parts/call_graph.h"
#include "symbolizer/report/formats/parts/clean.h"
#include "symbolizer/report/formats/parts/facts.h"

/// File: writes callgrind's format (valgrind's manual, "Callgrind Format Specification"): costs for
/// each instruction and line, calls with inclusive costs, and names replaced by numbers.

namespace csink::report {
namespace {

/// callgrind's own name for an unknown file.
constexpr char kUnknownFile[] = "???";

/// Writes a name with its number: "(1) name" at the first use, then "(1)" ("Name compression" of
/// the format). Objects, files and functions are numbered separately.
class Names {
 public:
  explicit Names(Sink& sink) : sink_(sink) {}
  /// `name` must outlive this object, which keeps the view as key.
  void Write(std::string_view key, std::string_view name) {
    const auto [it, is_new] = ids_.emplace(name, ids_.size() + 1);
    sink_ << key << "=(" << std::uint64_t{it->second} << ')';
    if (is_new) sink_ << ' ' << CleanName(name);
    sink_ << '\n';
  }

 private:
  Sink& sink_;
  std::unordered_map<std::string_view, std::uint64_t> ids_;
};

/// Writes the profile function by function: its costs by address and line, and behind each address
/// the calls from it.
class Callgrind {
 public:
  Callgrind(const Report& report, const FormatOptions& options, Sink& sink)
      : report_(report),
        events_(ChosenEvents(report, options)),
        sink_(sink),
        spots_(report),
        graph_(MakeCallGraph(report, spots_)),
        objects_(sink),
        files_(sink),
        functions_(sink) {
    // Before anything is written: calls name the file of functions that come later.
    for (const CallFunction& function : graph_.functions) file_of_.push_back(FileOf(function));
  }

  void Write() {
    Header();
    std::size_t edge = 0;
    std::vector<std::size_t> first_edge(spots_.all().size() + 1);  // Edges are sorted by spot
    for (std::size_t spot = 0; spot < spots_.all().size(); ++spot) {
      first_edge[spot] = edge;
      while (edge < graph_.edges.size() && graph_.edges[edge].caller == spot) ++edge;
    }
    first_edge.back() = edge;
    for (std::uint32_t i = 0; i < graph_.functions.size(); ++i) {
      sink_ << '\n';
      NameOf(i, "ob", "fl", "fn");
      // The file to which the following lines belong: "fl" sets the function's own, "fi" and "fe"
      // change it.
      std::string_view file = file_of_[i];
      // Calls from an address stand behind its costs, and the edges of a spot are neighbours.
      for (const std::uint32_t spot : graph_.functions[i].spots) {
        Costs(spot, i, file);
        for (std::size_t e = first_edge[spot]; e < first_edge[spot + 1]; ++e) {
          Call(graph_.edges[e]);
        }
      }
    }
    sink_ << "\ntotals:";
    for (const std::size_t event : events_) sink_ << ' ' << report_.profile.events[event].weight;
    sink_ << '\n';
  }

 private:
  /// kcachegrind treats ':' as the end of a name.
  std::string EventName(std::size_t event) const {
    return CleanName(report_.profile.events[event].name, " :=");
  }
  /// The lines before the first function. "positions" and "events" say what numbers each cost line
  /// has.
  void Header() {
    sink_ << "# callgrind format\nversion: 1\ncreator: csink " << CSINK_VERSION
          << "\npid: " << std::uint64_t{report_.pid}
          << "\ncmd: " << CleanName(report_.command, {}, ' ') << "\npart: 1\n\n";
    for (const std::string& line : FactLines(report_)) sink_ << "desc: " << line << '\n';
    sink_ << "desc: Sampled: the number of calls of a function is not known; calls= counts the "
             "samples below the call\n"
             "\n"
             "positions: instr line\n";
    for (const std::size_t event : events_) {
      const EventTotals& totals = report_.profile.events[event];
      const bool is_clock = totals.kind == EventClass::kClock;
      sink_ << "event: " << EventName(event) << " : " << CleanName(totals.name)
            << (is_clock ? " (ns of CPU time)\n" : "\n");
    }
    sink_ << "events:";
    if (events_.empty()) sink_ << " none";  // Readers require at least one event
    for (const std::size_t event : events_) sink_ << ' ' << EventName(event);
    sink_ << "\nsummary:";
    for (const std::size_t event : events_) sink_ << ' ' << report_.profile.events[event].weight;
    sink_ << '\n';
  }
  /// The function's own file: the file of most of its spots, ignoring inlined code.
  std::string_view FileOf(const CallFunction& function) const {
    std::map<std::string_view, std::size_t> files;
    for (const std::uint32_t spot : function.spots) {
      // The last frame is the function itself; the frames before it were inlined.
      const std::string_view file = spots_.FramesOf(spot).back().file;
      if (!file.empty()) ++files[file];
    }
    const auto most = std::max_element(files.begin(), files.end(),
                                       [](auto& a, auto& b) { return a.second < b.second; });
    return most == files.end() ? std::string_view(kUnknownFile) : most->first;
  }
  /// Writes object, file and name of a function with the keys for a definition or for a call.
  void NameOf(std::uint32_t function, const char* object_key, const char* file_key,
              const char* function_key) {
    // The first spot stands for all: they have one name, and one module except for code of a JIT.
    const Spot& spot = spots_.all()[graph_.functions[function].spots[0]];
    const Module& module = report_.profile.modules[spot.code.module];
    const bool has_path = !module.path.empty() && !module.is_anonymous;
    const bool is_jit = spot.location->source == symbolizer::NameSource::kPerfMap;
    objects_.Write(object_key, is_jit     ? std::string_view(kJitModule)
                               : has_path ? std::string_view(module.path)
                                          : spots_.ModuleName(spot.code.module));
    files_.Write(file_key, file_of_[function]);
    functions_.Write(function_key, spot.function);
  }
  /// Instruction address and line, as "positions: instr line" announces.
  void Position(std::uint32_t spot) {
    sink_ << "0x";
    sink_.Hex(spots_.all()[spot].address)
        << ' ' << std::uint64_t{spots_.all()[spot].location->line};
  }
  /// The costs of all events, behind a position.
  void Numbers(const std::vector<EventCount>& counts) {
    for (const std::size_t event : events_) sink_ << ' ' << counts[event].weight;
    sink_ << '\n';
  }
  /// Costs of one address, after a change of the file if its line is in another one. `file` is the
  /// current file.
  void Costs(std::uint32_t spot, std::uint32_t function, std::string_view& file) {
    // The spot is a call alone: no sample is there.
    if (graph_.self[spot].empty()) return;
    const std::string& line_file = spots_.all()[spot].location->file;
    const std::string_view wanted = line_file.empty() ? file_of_[function] : line_file;
    if (wanted != file) files_.Write(wanted == file_of_[function] ? "fe" : "fi", wanted);
    file = wanted;
    Position(spot);
    Numbers(graph_.self[spot]);
  }
  /// A call and its inclusive costs.
  void Call(const CallEdge& edge) {
    // How often a call was made is not known; the number of samples below it stands in.
    const std::size_t first = events_.empty() ? 0 : events_[0];
    NameOf(edge.callee, "cob", "cfi", "cfn");
    // Readers ignore a call line with 0 calls.
    sink_ << "calls=" << std::max<std::uint64_t>(1, edge.inclusive[first].samples) << " 0x";
    sink_.Hex(graph_.functions[edge.callee].begin) << " 0\n";
    Position(edge.caller);
    Numbers(edge.inclusive);
  }

  const Report& report_;
  const std::vector<std::size_t> events_;
  Sink& sink_;
  const Spots spots_;
  const CallGraph graph_;
  std::vector<std::string_view> file_of_;  ///< By function
  Names objects_, files_, functions_;
};

}  // namespace

/// Costs by address and line, and calls with inclusive costs. The number of calls is that of the
/// samples below them.
Result<void> WriteCallgrind(const Report& report, const FormatOptions& options, Sink& sink) {
  Callgrind(report, options, sink).Write();
  return {};
}

}  // namespace csink::report
