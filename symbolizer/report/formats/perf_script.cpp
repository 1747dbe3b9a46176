#include <cstdio>
#include <string>
#include <vector>

#include "symbolizer/report/formats/formats.h"
#include "symbolizer/report/formats/parts/clean.h"
#include "symbolizer/report/formats/parts/facts.h"
#include "symbolizer/report/formats/parts/paths.h"
#include "symbolizer/report/formats/parts/sample_list.h"
#include "symbolizer/report/formats/parts/spots.h"
#include "symbolizer/report/tables/callers.h"

/// File: writes text in the default format of `perf script`
/// (tools/perf/Documentation/perf-script.txt; process_event and sample__fprintf_callchain in
/// Linux): a line "comm pid/tid [cpu] time: period event:", one line for each frame, innermost
/// first, then an empty line.

namespace csink::report {
namespace {

/// Writes one entry for each sample.
class PerfScript {
 public:
  PerfScript(const Report& report, const FormatOptions& options, Sink& sink)
      : report_(report), profile_(report.profile), spots_(report), options_(options), sink_(sink) {
    for (const Module& module : profile_.modules) {
      paths_.push_back(CleanName(module.path.empty() || module.is_anonymous ? "" : module.path));
      if (paths_.back().empty()) {
        paths_.back() = spots_.ModuleName(static_cast<std::uint32_t>(paths_.size() - 1));
      }
    }
    lines_.resize(spots_.all().size());
  }

  void Write() {
    const std::vector<std::size_t> events = ChosenEvents(report_, options_);
    const std::vector<SampleOwner> owners = SampleOwners(report_);
    const RunClock clock(profile_);
    // Readers that count records, and those that take the time between two for the cost, find the
    // same shares.
    const SampleList list =
        ListSamples(report_, clock, owners, events, RankOfPlaces(), Spread::kEven);
    Comments(list);
    std::vector<std::string> comms, names(profile_.events.size());
    for (const SampleOwner& owner : owners) {
      // Blanks and ':' in the name would be taken for separators.
      comms.push_back(CleanName(owner.name, " :"));
      if (comms.back().empty()) comms.back() = "unknown";
    }
    for (const std::size_t event : events) {
      names[event] = CleanName(profile_.events[event].name, " ");
    }
    for (const ListedSample& sample : list.records) {
      const SampleOwner& owner = owners[sample.owner];
      sink_ << comms[sample.owner] << ' ' << std::uint64_t{owner.pid} << '/'
            << std::uint64_t{owner.tid} << ' ' << Seconds(sample.time_ns) << ": " << sample.weight
            << ' ' << names[sample.event] << ":\n";
      Stack(sample.place, profile_.places[sample.place]);
      sink_ << '\n';
    }
  }

 private:
  void Comments(const SampleList& list) {
    sink_ << "# ========\n";
    for (const std::string& line : FactLines(report_)) sink_ << "# " << line << '\n';
    sink_ << "# " << list.Describe() << "\n# ========\n#\n";
  }
  /// Places in the order of their call paths, so that a chart over time shows each as one block.
  std::vector<std::uint32_t> RankOfPlaces() const {
    const Paths paths(report_, spots_, PathDetail::kFunctions, false);
    const std::vector<std::uint32_t> rank_of_node = paths.Ranks();
    std::vector<std::uint32_t> ranks;
    for (std::size_t i = 0; i < profile_.places.size(); ++i) {
      ranks.push_back(rank_of_node[paths.OfPlace(i)]);
    }
    return ranks;
  }
  /// With nine decimals, as `perf script --ns`: several threads have samples in one microsecond.
  static std::string Seconds(std::uint64_t ns) {
    char text[40];
    std::snprintf(text, sizeof text, "%llu.%09llu",
                  static_cast<unsigned long long>(ns / 1'000'000'000),
                  static_cast<unsigned long long>(ns % 1'000'000'000));
    return text;
  }
  /// The frames of an entry, innermost first.
  void Stack(std::size_t i, const Place& place) {
    sink_ << LinesOf(spots_.OfPlace(i));
    for (std::uint32_t c = place.caller; c != 0; c = profile_.callers[c].parent) {
      const Caller& caller = profile_.callers[c];
      if (!caller.IsEmpty()) sink_ << LinesOf(spots_.OfCaller(c));
      if (caller.IsCut()) sink_ << "\t               0 " << kCutName << " ([unknown])\n";
    }
  }
  /// Cached, because the same callers occur in many stacks.
  const std::string& LinesOf(std::uint32_t index) {
    std::string& lines = lines_[index];
    if (!lines.empty()) return lines;
    const Spot& spot = spots_.all()[index];
    char address[32];
    std::snprintf(address, sizeof address, "\t%16llx ",
                  static_cast<unsigned long long>(spot.address));
    for (const Frame& frame : spots_.FramesOf(index)) {
      if (frame.is_inlined && !options_.inlines) continue;
      lines += address + CleanName(frame.function);
      if (!frame.is_inlined && spot.location->function_vaddr != 0 &&
          spot.location->function_vaddr <= spot.address) {
        char offset[32];
        std::snprintf(
            offset, sizeof offset, "+0x%llx",
            static_cast<unsigned long long>(spot.address - spot.location->function_vaddr));
        lines += offset;
      }
      lines += frame.is_inlined ? " (inlined)\n" : " (" + paths_[spot.code.module] + ")\n";
    }
    return lines;
  }

  const Report& report_;
  const Profile& profile_;
  const Spots spots_;
  const FormatOptions& options_;
  Sink& sink_;
  std::vector<std::string> paths_;  ///< By module
  std::vector<std::string> lines_;  ///< By spot
};

}  // namespace

/// One entry for each sample, by time (sample_list.h).
Result<void> WritePerfScript(const Report& report, const FormatOptions& options, Sink& sink) {
  PerfScript(report, options, sink).Write();
  return {};
}

}  // namespace csink::report
