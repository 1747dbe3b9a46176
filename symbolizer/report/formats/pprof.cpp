#include <algorithm>
#include <array>
#include <map>

#include "core/util/hex.h"
#include "symbolizer/report/formats/formats.h"
#include "symbolizer/report/formats/parts/clean.h"
#include "symbolizer/report/formats/parts/facts.h"
#include "symbolizer/report/formats/parts/gzip.h"
#include "symbolizer/report/formats/parts/layout.h"
#include "symbolizer/report/formats/parts/protobuf.h"
#include "symbolizer/report/formats/parts/sample_types.h"
#include "symbolizer/report/formats/parts/strings.h"
#include "symbolizer/report/formats/parts/value_scale.h"
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
    // The strings come last, because all messages before them add strings.
    for (const std::string_view text : strings_.texts()) {
      top_.add_string(profile_field::kString, CleanName(text, {}, ' '));
      Emit();
    }
    return gzip_.Finish();
  }

 private:
  /// Writes the field of the top message that is in message_, and empties it for the next one.
  void Emit() {
    gzip_.Write(message_);
    message_.clear();
  }
  /// Writes a field that says what is counted, and in which unit.
  void ValueType(std::uint32_t field, std::string type, std::string unit) {
    {
      protozero::pbf_writer value_type(top_, field);
      AddNumber(value_type, value_type_field::kType, strings_.Keep(std::move(type)));
      AddNumber(value_type, value_type_field::kUnit, strings_.Keep(std::move(unit)));
    }
    Emit();
  }
  /// Writes a number as a field of the top message.
  void Number(std::uint32_t field, std::uint64_t value) {
    AddNumber(top_, field, value);
    Emit();
  }
  std::string TypeName(std::size_t event) const { return WeightType(profile_, events_, event); }
  /// Sample types: two for each event, its samples and its weights. Also the period and the type
  /// that pprof shows by default.
  void Types() {
    for (const std::size_t event : events_) {
      ValueType(profile_field::kSampleType, SamplesType(profile_, events_, event), "count");
      ValueType(profile_field::kSampleType, TypeName(event), WeightUnit(profile_, event));
      // Samples and weights have scales of their own: only sums that do not fit are divided.
      scales_.push_back({ShiftOf(profile_, event, &EventCount::samples),
                         ShiftOf(profile_, event, &EventCount::weight)});
    }
    if (events_.empty()) return;
    const EventTotals& event = profile_.events[events_[0]];
    std::uint64_t period = event.period;
    // In frequency mode there is no period; the mean weight stands in.
    if (period == 0 && event.samples != 0) period = event.weight / event.samples;
    ValueType(profile_field::kPeriodType, TypeName(events_[0]), WeightUnit(profile_, events_[0]));
    Number(profile_field::kPeriod, ClampToSigned(period));
    Number(profile_field::kDefaultSampleType, strings_.Keep(TypeName(events_[0])));
  }

  /// One sample for each place with its callers, innermost first.
  void Samples() {
    for (std::size_t i = 0; i < profile_.places.size(); ++i) {
      const Place& place = profile_.places[i];
      // Two for each event, in the order of Types.
      std::vector<std::uint64_t> values;
      bool any = false;
      for (std::size_t e = 0; e < events_.size(); ++e) {
        const EventCount& count = place.counts[events_[e]];
        any = any || count.samples != 0 || count.weight != 0;
        values.push_back(count.samples >> scales_[e].samples);
        values.push_back(count.weight >> scales_[e].weight);
      }
      // Places without samples of the chosen events are left out.
      if (!any) continue;
      std::vector<std::uint64_t> locations;
      locations.push_back(spots_.OfPlace(i) + 1);
      for (std::uint32_t c = place.caller; c != 0; c = profile_.callers[c].parent) {
        const Caller& caller = profile_.callers[c];
        if (!caller.IsEmpty()) locations.push_back(spots_.OfCaller(c) + 1);
        if (caller.IsCut()) locations.push_back(cut_location_);
      }
      {
        protozero::pbf_writer sample(top_, profile_field::kSample);
        sample.add_packed_uint64(sample_field::kLocation, locations.begin(), locations.end());
        sample.add_packed_uint64(sample_field::kValue, values.begin(), values.end());
        Labels(place, sample);
      }
      Emit();
    }
  }
  /// Adds a label with a text; none if it is empty.
  void Label(protozero::pbf_writer& sample, std::string_view key, std::string_view text) {
    if (text.empty()) return;
    protozero::pbf_writer label(sample, sample_field::kLabel);
    AddNumber(label, label_field::kKey, strings_.Id(key));
    AddNumber(label, label_field::kText, strings_.Id(text));
  }
  /// Adds a label with a number.
  void Label(protozero::pbf_writer& sample, std::string_view key, std::uint64_t number) {
    protozero::pbf_writer label(sample, sample_field::kLabel);
    AddNumber(label, label_field::kKey, strings_.Id(key));
    AddNumber(label, label_field::kNumber, number);
  }
  /// The mark, thread and process of a place. A sum of threads has no thread number.
  void Labels(const Place& place, protozero::pbf_writer& sample) {
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
    const std::vector<SegmentNames> names = NamesOfSegments(spots_, layout_, inlines_);
    for (std::size_t i = 0; i < names.size(); ++i) {
      const Segment& segment = layout_.segments()[i];
      const Module& module = profile_.modules[segment.module];
      {
        protozero::pbf_writer mapping(top_, profile_field::kMapping);
        AddNumber(mapping, mapping_field::kId, i + 1);
        AddNumber(mapping, mapping_field::kStart, segment.start);
        AddNumber(mapping, mapping_field::kLimit, segment.limit);
        AddNumber(mapping, mapping_field::kOffset, segment.file_offset);
        AddNumber(mapping, mapping_field::kFile,
                  strings_.Id(module.path.empty() || module.is_anonymous
                                  ? spots_.ModuleName(segment.module)
                                  : std::string_view(module.path)));
        AddNumber(mapping, mapping_field::kBuildId, strings_.Keep(ToHex(module.build_id)));
        AddNumber(mapping, mapping_field::kHasFunctions, names[i].functions);
        AddNumber(mapping, mapping_field::kHasFiles, names[i].files);
        AddNumber(mapping, mapping_field::kHasLines, names[i].lines);
        AddNumber(mapping, mapping_field::kHasInlines, names[i].inlines);
      }
      Emit();
    }
  }
  /// One location for each spot, with a line for each frame, innermost first. One more stands for
  /// the callers of cut stacks; it has no mapping and no address.
  void Locations() {
    for (std::uint32_t i = 0; i < spots_.all().size(); ++i) {
      {
        protozero::pbf_writer location(top_, profile_field::kLocation);
        AddNumber(location, location_field::kId, i + 1);
        AddNumber(location, location_field::kMapping, layout_.SegmentOf(i) + 1);
        AddNumber(location, location_field::kAddress, layout_.AddressOf(i));
        for (const Frame& frame : spots_.FramesOf(i)) {
          if (!frame.is_inlined || inlines_) Line(location, frame);
        }
      }
      Emit();
    }
    // Without cut stacks nothing refers to this location.
    const bool any_cut = std::any_of(profile_.callers.begin(), profile_.callers.end(),
                                     [](const Caller& caller) { return caller.IsCut(); });
    if (!any_cut) return;
    {
      protozero::pbf_writer location(top_, profile_field::kLocation);
      AddNumber(location, location_field::kId, cut_location_);
      Line(location, {kCutName, {}, {}, 0, false});
    }
    Emit();
  }
  /// Adds a frame to a location.
  void Line(protozero::pbf_writer& location, const Frame& frame) {
    protozero::pbf_writer line(location, location_field::kLine);
    AddNumber(line, line_field::kFunction, FunctionId(frame));
    AddNumber(line, line_field::kLine, frame.line);
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
  /// The functions that locations referred to.
  void Functions() {
    for (const auto& [key, id] : functions_) {
      {
        protozero::pbf_writer function(top_, profile_field::kFunction);
        AddNumber(function, function_field::kId, id);
        AddNumber(function, function_field::kName, key[0]);
        AddNumber(function, function_field::kSystemName, key[1]);
        AddNumber(function, function_field::kFile, key[2]);
      }
      Emit();
    }
  }

  /// Start, duration and comments.
  void About() {
    std::uint64_t start = 0;
    for (const ProcessRow& process : profile_.processes) {
      if (start == 0 || process.start_realtime_ns < start) start = process.start_realtime_ns;
    }
    Number(profile_field::kTimeNanos, ClampToSigned(start));
    // The format has signed 64 bits.
    const double ns = std::clamp(report_.wall_seconds * 1e9, 0.0, 9e18);
    Number(profile_field::kDurationNanos, static_cast<std::uint64_t>(ns));
    std::vector<std::uint64_t> comments;
    for (std::string& line : FactLines(report_)) comments.push_back(strings_.Keep(std::move(line)));
    for (std::size_t e = 0; e < events_.size(); ++e) {
      const auto shift = std::max(scales_[e].samples, scales_[e].weight);
      if (shift == 0) continue;
      comments.push_back(strings_.Keep("values of " + TypeName(events_[e]) +
                                       " are too large: samples "
                                       "divided by 2^" +
                                       std::to_string(scales_[e].samples) + ", weights by 2^" +
                                       std::to_string(scales_[e].weight)));
    }
    top_.add_packed_uint64(profile_field::kComment, comments.begin(), comments.end());
    Emit();
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
  /// The field of the top message that is being written, and its writer.
  std::string message_;
  protozero::pbf_writer top_{message_};
  Strings strings_;
  std::vector<Scale> scales_;  ///< By index into events_
  std::map<FunctionOf, std::uint64_t> functions_;
};

}  // namespace

/// profile.proto with gzip, two sample types an event. Compressed bytes are passed to the sink as
/// they are made.
Result<void> WritePprof(const Report& report, const FormatOptions& options, Sink& sink) {
  return Pprof(report, options, sink).Write();
}

}  // namespace csink::report
