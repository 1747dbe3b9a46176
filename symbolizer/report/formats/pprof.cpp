#include <algorithm>
#include <array>
#include <map>

#include "core/util/hex.h"
#include "symbolizer/report/formats/clean.h"
#include "symbolizer/report/formats/facts.h"
#include "symbolizer/report/formats/formats.h"
#include "symbolizer/report/formats/gzip.h"
#include "symbolizer/report/formats/layout.h"
#include "symbolizer/report/formats/proto.h"
#include "symbolizer/report/formats/strings.h"
#include "symbolizer/report/formats/value_scale.h"
#include "symbolizer/report/tables/callers.h"
#include "symbolizer/report/wording/shorten.h"

/// File: writes pprof's profile.proto, compressed with gzip. Field numbers and their meaning:
/// proto/profile.proto of github.com/google/pprof.

namespace csink::report {
namespace {

namespace profile_field {
constexpr std::uint32_t kSampleType = 1, kSample = 2, kMapping = 3, kLocation = 4, kFunction = 5,
                        kString = 6, kTimeNanos = 9, kDurationNanos = 10, kPeriodType = 11,
                        kPeriod = 12, kComment = 13, kDefaultSampleType = 14;
}
namespace value_type_field {
constexpr std::uint32_t kType = 1, kUnit = 2;
}
namespace sample_field {
constexpr std::uint32_t kLocation = 1, kValue = 2, kLabel = 3;
}
namespace label_field {
constexpr std::uint32_t kKey = 1, kText = 2, kNumber = 3;
}
namespace mapping_field {
constexpr std::uint32_t kId = 1, kStart = 2, kLimit = 3, kOffset = 4, kFile = 5, kBuildId = 6,
                        kHasFunctions = 7, kHasFiles = 8, kHasLines = 9, kHasInlines = 10;
}
namespace location_field {
constexpr std::uint32_t kId = 1, kMapping = 2, kAddress = 3, kLine = 4;
}
namespace line_field {
constexpr std::uint32_t kFunction = 1, kLine = 2;
}
namespace function_field {
constexpr std::uint32_t kId = 1, kName = 2, kSystemName = 3, kFile = 4;
}

/// Writes the messages in any order, which the format allows: each is complete when it is written,
/// so only the tables of strings and functions are in memory. Numbers of locations, mappings and
/// functions begin at 1, because 0 means "none".
class Pprof {
 public:
  Pprof(const Report& report, const FormatOptions& options, Sink& sink)
      : report_(report),
        profile_(report.profile),
        events_(ChosenEvents(report, options)),
        inlines_(options.inlines),
        spots_(report),
        layout_(report, spots_),
        gzip_(sink),
        cut_location_(spots_.all().size() + 1) {}

  Result<void> Write() {
    Types();
    Samples();
    Mappings();
    Locations();
    Functions();
    About();
    for (const std::string_view text : strings_.texts()) {
      Emit(message_.Bytes(profile_field::kString, CleanName(text, {}, ' ')));
    }
    return gzip_.Finish();
  }

 private:
  /// Writes a field of the top message and clears it for the next one.
  void Emit(ProtoMessage& message) {
    gzip_.Write(message.bytes());
    message.Clear();
  }
  ProtoMessage ValueType(std::string type, std::string unit) {
    ProtoMessage message;
    message.Number(value_type_field::kType, strings_.Keep(std::move(type)));
    message.Number(value_type_field::kUnit, strings_.Keep(std::move(unit)));
    return message;
  }
  /// "cpu" for the first clock event, as in pprof's own CPU profiles; else the event's name, such
  /// as "cycles:u".
  std::string TypeName(std::size_t event) const {
    const auto is_clock = [&](std::size_t e) {
      return profile_.events[e].kind == EventClass::kClock;
    };
    const auto first = std::find_if(events_.begin(), events_.end(), is_clock);
    const bool is_cpu = first != events_.end() && *first == event;
    return is_cpu ? "cpu" : profile_.events[event].name;
  }
  std::string UnitName(std::size_t event) const {
    return profile_.events[event].kind == EventClass::kClock ? "nanoseconds" : "count";
  }
  /// Sample types: two for each event, its samples and its weights. Also the period and the type
  /// that pprof shows by default.
  void Types() {
    for (const std::size_t event : events_) {
      const std::string samples = events_.size() == 1 ? "samples" : TypeName(event) + "_samples";
      Emit(message_.Message(profile_field::kSampleType, ValueType(samples, "count")));
      Emit(message_.Message(profile_field::kSampleType,
                            ValueType(TypeName(event), UnitName(event))));
      scales_.push_back(
          {ScaleOf(event, &EventCount::samples), ScaleOf(event, &EventCount::weight)});
    }
    if (events_.empty()) return;
    const EventTotals& event = profile_.events[events_[0]];
    std::uint64_t period = event.period;
    // In frequency mode there is no period; the mean weight stands in.
    if (period == 0 && event.samples != 0) period = event.weight / event.samples;
    Emit(message_.Message(profile_field::kPeriodType,
                          ValueType(TypeName(events_[0]), UnitName(events_[0]))));
    Emit(message_.Number(profile_field::kPeriod, ClampToSigned(period)));
    Emit(message_.Number(profile_field::kDefaultSampleType, strings_.Keep(TypeName(events_[0]))));
  }
  /// By how many bits the event's values are shifted so that pprof's sums fit into 63 bits.
  unsigned ScaleOf(std::size_t event, std::uint64_t EventCount::*value) const {
    WideSum sum;
    for (const Place& place : profile_.places) sum.Add(place.counts[event].*value);
    return sum.ShiftForSigned();
  }

  /// One sample for each place with its callers, innermost first.
  void Samples() {
    for (std::size_t i = 0; i < profile_.places.size(); ++i) {
      const Place& place = profile_.places[i];
      ProtoMessage values;
      bool any = false;
      for (std::size_t e = 0; e < events_.size(); ++e) {
        const EventCount& count = place.counts[events_[e]];
        any = any || count.samples != 0 || count.weight != 0;
        values.Varint(count.samples >> scales_[e].samples);
        values.Varint(count.weight >> scales_[e].weight);
      }
      // Places without samples of the chosen events are left out.
      if (!any) continue;
      ProtoMessage locations;
      locations.Varint(spots_.OfPlace(i) + 1);
      for (std::uint32_t c = place.caller; c != 0; c = profile_.callers[c].parent) {
        const Caller& caller = profile_.callers[c];
        if (!caller.IsEmpty()) locations.Varint(spots_.OfCaller(c) + 1);
        if (caller.IsCut()) locations.Varint(cut_location_);
      }
      ProtoMessage sample;
      sample.Message(sample_field::kLocation, locations);
      sample.Message(sample_field::kValue, values);
      Labels(place, sample);
      Emit(message_.Message(profile_field::kSample, sample));
    }
  }
  void Label(ProtoMessage& sample, std::string_view key, std::string_view text) {
    if (text.empty()) return;
    ProtoMessage label;
    label.Number(label_field::kKey, strings_.Id(key));
    label.Number(label_field::kText, strings_.Id(text));
    sample.Message(sample_field::kLabel, label);
  }
  void Label(ProtoMessage& sample, std::string_view key, std::uint64_t number) {
    ProtoMessage label;
    label.Number(label_field::kKey, strings_.Id(key));
    label.Number(label_field::kNumber, number);
    sample.Message(sample_field::kLabel, label);
  }
  /// The mark, thread and process of a place. A sum of threads has no thread number.
  void Labels(const Place& place, ProtoMessage& sample) {
    if (place.phase < profile_.phases.size()) {
      Label(sample, "phase", profile_.phases[place.phase].name);
    }
    if (place.thread == kNoThread) return;
    const ThreadRow& thread = profile_.threads[place.thread];
    const ProcessRow& process = profile_.processes[thread.process];
    Label(sample, "thread", thread.name);
    if (!thread.is_merged) Label(sample, "tid", thread.tid);
    Label(sample, "process", process.program);
    Label(sample, "pid", process.pid);
  }

  /// One mapping for each segment of the layout. The flags say what its locations have, so that
  /// pprof does not look for symbols again.
  void Mappings() {
    // Bits: 1 functions, 2 files, 4 lines, 8 inlined functions.
    std::vector<std::uint64_t> has(layout_.segments().size());
    for (std::uint32_t i = 0; i < spots_.all().size(); ++i) {
      const symbolizer::Location& location = *spots_.all()[i].location;
      std::uint64_t& flags = has[layout_.SegmentOf(i)];
      if (location.source != symbolizer::NameSource::kNone) flags |= 1;
      if (!location.file.empty()) flags |= 2;
      if (location.line != 0) flags |= 4;
      if (inlines_ && !location.inlined.empty()) flags |= 8;
    }
    for (std::size_t i = 0; i < has.size(); ++i) {
      const Segment& segment = layout_.segments()[i];
      const Module& module = profile_.modules[segment.module];
      ProtoMessage mapping;
      mapping.Number(mapping_field::kId, i + 1).Number(mapping_field::kStart, segment.start);
      mapping.Number(mapping_field::kLimit, segment.limit);
      mapping.Number(mapping_field::kOffset, segment.file_offset);
      mapping.Number(mapping_field::kFile, strings_.Id(module.path.empty() || module.is_anonymous
                                                           ? spots_.ModuleName(segment.module)
                                                           : std::string_view(module.path)));
      mapping.Number(mapping_field::kBuildId, strings_.Keep(ToHex(module.build_id)));
      mapping.Number(mapping_field::kHasFunctions, has[i] & 1);
      mapping.Number(mapping_field::kHasFiles, has[i] >> 1 & 1);
      mapping.Number(mapping_field::kHasLines, has[i] >> 2 & 1);
      mapping.Number(mapping_field::kHasInlines, has[i] >> 3 & 1);
      Emit(message_.Message(profile_field::kMapping, mapping));
    }
  }
  /// One location for each spot, with a line for each frame, innermost first. One more stands for
  /// the callers of cut stacks; it has no mapping and no address.
  void Locations() {
    for (std::uint32_t i = 0; i < spots_.all().size(); ++i) {
      ProtoMessage location;
      location.Number(location_field::kId, i + 1);
      location.Number(location_field::kMapping, layout_.SegmentOf(i) + 1);
      location.Number(location_field::kAddress, layout_.AddressOf(i));
      for (const Frame& frame : spots_.FramesOf(i)) {
        if (frame.is_inlined && !inlines_) continue;
        Line(location, frame);
      }
      Emit(message_.Message(profile_field::kLocation, location));
    }
    const bool any_cut = std::any_of(profile_.callers.begin(), profile_.callers.end(),
                                     [](const Caller& caller) { return caller.IsCut(); });
    if (!any_cut) return;
    ProtoMessage location;
    location.Number(location_field::kId, cut_location_);
    Line(location, {kCutName, {}, {}, 0, false});
    Emit(message_.Message(profile_field::kLocation, location));
  }
  void Line(ProtoMessage& location, const Frame& frame) {
    ProtoMessage line;
    line.Number(line_field::kFunction, FunctionId(frame));
    line.Number(line_field::kLine, frame.line);
    location.Message(location_field::kLine, line);
  }
  using FunctionOf = std::array<std::uint64_t, 3>;  ///< Strings: name, system name, file
  /// The number of a function, which is a new one at its first use. Functions are written at the
  /// end.
  std::uint64_t FunctionId(const Frame& frame) {
    const FunctionOf key = {strings_.Id(frame.function),
                            strings_.Id(frame.raw_name.empty() ? frame.function : frame.raw_name),
                            strings_.Id(frame.file)};
    return functions_.emplace(key, functions_.size() + 1).first->second;
  }
  void Functions() {
    for (const auto& [key, id] : functions_) {
      ProtoMessage function;
      function.Number(function_field::kId, id).Number(function_field::kName, key[0]);
      function.Number(function_field::kSystemName, key[1]).Number(function_field::kFile, key[2]);
      Emit(message_.Message(profile_field::kFunction, function));
    }
  }

  /// Start, duration and comments.
  void About() {
    std::uint64_t start = 0;
    for (const ProcessRow& process : profile_.processes) {
      if (start == 0 || process.start_realtime_ns < start) start = process.start_realtime_ns;
    }
    Emit(message_.Number(profile_field::kTimeNanos, ClampToSigned(start)));
    const double ns = std::clamp(report_.wall_seconds * 1e9, 0.0, 9e18);
    Emit(message_.Number(profile_field::kDurationNanos, static_cast<std::uint64_t>(ns)));
    ProtoMessage comments;
    for (std::string& line : FactLines(report_)) comments.Varint(strings_.Keep(std::move(line)));
    for (std::size_t e = 0; e < events_.size(); ++e) {
      const auto shift = std::max(scales_[e].samples, scales_[e].weight);
      if (shift == 0) continue;
      comments.Varint(strings_.Keep("values of " + TypeName(events_[e]) +
                                    " are too large: samples "
                                    "divided by 2^" +
                                    std::to_string(scales_[e].samples) + ", weights by 2^" +
                                    std::to_string(scales_[e].weight)));
    }
    Emit(message_.Message(profile_field::kComment, comments));
  }

  struct Scale {
    unsigned samples, weight;  ///< Number of low bits that are dropped
  };
  const Report& report_;
  const Profile& profile_;
  const std::vector<std::size_t> events_;
  const bool inlines_;
  const Spots spots_;
  const Layout layout_;
  Gzip gzip_;
  const std::uint64_t cut_location_;
  ProtoMessage message_;
  Strings strings_;
  std::vector<Scale> scales_;  ///< By index into events_
  std::map<FunctionOf, std::uint64_t> functions_;
};

}  // namespace

Result<void> WritePprof(const Report& report, const FormatOptions& options, Sink& sink) {
  return Pprof(report, options, sink).Write();
}

}  // namespace csink::report
