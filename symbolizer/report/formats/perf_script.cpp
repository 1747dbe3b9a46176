#include <algorithm>

#include "symbolizer/report/formats/formats.h"
#include "symbolizer/report/formats/parts/clean.h"
#include "symbolizer/report/formats/parts/facts.h"
#include "symbolizer/report/formats/parts/sample_owner.h"
#include "symbolizer/report/formats/parts/spots.h"
#include "symbolizer/report/tables/callers.h"

/// File: writes text in the default format of `perf script`
/// (tools/perf/Documentation/perf-script.txt; process_event and sample__fprintf_callchain in
/// Linux): a line "comm pid/tid [cpu] time: period event:", one line for each frame, innermost
/// first, then an empty line.

namespace csink::report {
namespace {

/// Writes one entry for each place and event.
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
    Comments();
    for (const std::size_t event : ChosenEvents(report_, options_)) {
      const std::string name = CleanName(profile_.events[event].name, " ");
      for (std::size_t i = 0; i < profile_.places.size(); ++i) {
        const Place& place = profile_.places[i];
        if (place.counts[event].samples == 0) continue;
        Head(place);
        // The period of the entry is the sum of the samples' periods, which readers like
        // stackcollapse-perf.pl add up.
        sink_ << place.counts[event].weight << ' ' << name << ":\n";
        Stack(i, place);
        sink_ << '\n';
      }
    }
  }

 private:
  void Comments() {
    sink_ << "# ========\n";
    for (const std::string& line : FactLines(report_)) sink_ << "# " << line << '\n';
    sink_ << "# Made from histograms: one entry for each place, call chain and thread. The period "
             "of an entry is the sum\n"
             "# of its samples, and the time is only the order in this file.\n"
             "# ========\n"
             "#\n";
  }
  /// The beginning of an entry's first line. Without a kept thread, the main program's process
  /// stands in. The time has six decimals and counts entries in microseconds, so that all times
  /// differ.
  void Head(const Place& place) {
    const SampleOwner owner = OwnerOf(report_, place.thread);
    // Blanks and ':' in the name would be taken for separators.
    std::string comm = CleanName(owner.name, " :");
    if (comm.empty()) comm = "unknown";
    const std::string order = std::to_string(entries_++);
    sink_ << comm << ' ' << std::uint64_t{owner.pid} << '/' << std::uint64_t{owner.tid} << ' '
          << (order.size() > 6 ? order.substr(0, order.size() - 6) : "0") << '.'
          << std::string(order.size() < 6 ? 6 - order.size() : 0, '0')
          << (order.size() > 6 ? order.substr(order.size() - 6) : order) << ": ";
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
  std::uint64_t entries_ = 0;
};

}  // namespace

/// One entry for each place, call chain, mark and thread. Its period is the sum of the samples'
/// periods.
Result<void> WritePerfScript(const Report& report, const FormatOptions& options, Sink& sink) {
  PerfScript(report, options, sink).Write();
  return {};
}

}  // namespace csink::report
