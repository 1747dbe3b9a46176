#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <unordered_map>

#include "core/util/fnv1a.h"
#include "core/version/number.h"
#include "profil/reading/model/flat_index.h"
#include "profil/reading/model/saturating.h"
#include "symbolizer/report/formats/formats.h"
#include "symbolizer/report/formats/parts/clean.h"
#include "symbolizer/report/formats/parts/facts.h"
#include "symbolizer/report/formats/parts/otlp_attributes.h"
#include "symbolizer/report/formats/parts/otlp_dictionary.h"
#include "symbolizer/report/formats/parts/otlp_fields.h"
#include "symbolizer/report/formats/parts/otlp_resource.h"
#include "symbolizer/report/formats/parts/protobuf.h"
#include "symbolizer/report/formats/parts/sample_types.h"
#include "symbolizer/report/formats/parts/value_scale.h"
#include "symbolizer/report/verdict/words.h"

/// File: writes OTLP profiles: one ResourceProfiles for each process, in it a Profile for each
/// event (otlp_fields.h has the layout). All share one dictionary, which is written last.

namespace csink::report {
namespace otlp {
namespace {

/// Names of the instrumentation scope, which is the program that measured.
constexpr char kScopeName[] = "countersink";

/// What the samples of one process have in common in all of its profiles: stacks and attributes.
/// OTLP wants samples that differ in nothing but their values to be one.
struct Samples {
  struct Key {
    std::uint32_t stack = 0;
    std::uint32_t owner = 0;  ///< Index into Otlp::owners_
  };
  std::vector<Key> keys;
  std::vector<std::uint32_t> places;  ///< Indices into Profile::places
  std::vector<std::uint32_t> key_of;  ///< For each of `places`, its index into `keys`
};

/// The numbers of one event that a Profile has.
struct Column {
  std::size_t event = 0;
  std::uint64_t EventCount::*value = nullptr;
  std::string type, unit;
  unsigned shift = 0;  ///< Low bits that are dropped
};

/// Writes the message. The dictionary is filled meanwhile and written last, which protobuf allows:
/// fields may come in any order.
class Otlp {
 public:
  Otlp(const Report& report, const FormatOptions& options)
      : report_(report),
        profile_(report.profile),
        events_(ChosenEvents(report, options)),
        settings_(ReadResourceSettings()),
        dictionary_(report, options.inlines),
        run_attributes_(RunAttributes()) {
    for (const std::size_t event : events_) AddColumns(event);
  }

  Result<void> Write(Sink& sink) {
    // By process; the last one has the places whose process is not known.
    const std::size_t processes = profile_.processes.size();
    std::vector<std::vector<std::uint32_t>> places(processes + 1);
    for (std::uint32_t i = 0; i < profile_.places.size(); ++i) places[OwnerOf(i)].push_back(i);
    protozero::pbf_writer top(message_);
    for (std::size_t p = 0; p <= processes; ++p) {
      const ProcessRow* process = p < processes ? &profile_.processes[p] : nullptr;
      if (!process && places[p].empty()) break;
      // One message for each process, so that only one is in memory.
      Process(top, process, std::move(places[p]));
      // Lengths inside of the message have 32 bits.
      if (message_.size() > kMostMessageBytes) return kTooLarge;
      WriteInPieces(message_, sink);
      written_ += message_.size();
      if (written_ > kMostMessageBytes) return kTooLarge;
      message_.clear();
    }
    return dictionary_.Write(data_field::kDictionary, sink);
  }

 private:
  /// The process of a place. Without threads, that of the only process.
  std::size_t OwnerOf(std::uint32_t place) const {
    const std::uint32_t thread = profile_.places[place].thread;
    if (thread != kNoThread) return profile_.threads[thread].process;
    return profile_.processes.size() == 1 ? 0 : profile_.processes.size();
  }

  /// The weights of an event are a column. Its numbers of samples are one of their own only if they
  /// do not follow from the weights and the period.
  void AddColumns(std::size_t event) {
    const EventTotals& totals = profile_.events[event];
    columns_.push_back({event, &EventCount::weight, WeightType(profile_, events_, event),
                        WeightUnit(profile_, event),
                        ShiftOf(profile_, event, &EventCount::weight)});
    const bool follows =
        totals.period != 0 && !totals.mixed_periods && columns_.back().shift == 0 &&
        std::all_of(profile_.places.begin(), profile_.places.end(), [&](const Place& place) {
          const EventCount& count = place.counts[event];
          return count.weight % totals.period == 0 && count.weight / totals.period == count.samples;
        });
    if (follows) return;
    columns_.push_back({event, &EventCount::samples, SamplesType(profile_, events_, event), "count",
                        ShiftOf(profile_, event, &EventCount::samples)});
  }

  /// Writes the ResourceProfiles of a process; nullptr: of all together.
  void Process(protozero::pbf_writer& top, const ProcessRow* process,
               std::vector<std::uint32_t> places) {
    const Samples samples = SamplesOf(std::move(places));
    protozero::pbf_writer of_resource(top, data_field::kResourceProfiles);
    {
      protozero::pbf_writer resource(of_resource, resource_profiles_field::kResource);
      for (const auto& [key, value] :
           process ? ResourceOf(*process, settings_) : ResourceOfAll(report_, settings_)) {
        resource.add_message(resource_field::kAttribute, Encode(key, value));
      }
    }
    protozero::pbf_writer of_scope(of_resource, resource_profiles_field::kScopeProfiles);
    {
      protozero::pbf_writer scope(of_scope, scope_profiles_field::kScope);
      scope.add_string(scope_field::kName, kScopeName);
      scope.add_string(scope_field::kVersion, CSINK_VERSION);
    }
    // The first profile is written even if it has no samples: its attributes say what was lost.
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      WriteProfile(of_scope, process, samples, columns_[c], c == 0);
    }
  }

  /// Gives places of one stack and one owner the same key.
  Samples SamplesOf(std::vector<std::uint32_t> places) {
    Samples samples;
    samples.places = std::move(places);
    FlatIndex known;
    known.Reserve(samples.places.size());
    samples.keys.reserve(samples.places.size());
    samples.key_of.reserve(samples.places.size());
    for (const std::uint32_t i : samples.places) {
      const Samples::Key key = {dictionary_.StackOf(i), OwnerId(profile_.places[i])};
      const auto is_same = [&](std::uint32_t k) {
        return samples.keys[k].stack == key.stack && samples.keys[k].owner == key.owner;
      };
      const std::uint64_t hash = Mix(Mix(0, key.owner), key.stack);
      const std::uint32_t index = known.FindOrAdd(hash, samples.keys.size(), is_same);
      if (index == samples.keys.size()) samples.keys.push_back(key);
      samples.key_of.push_back(index);
    }
    return samples;
  }

  /// Index into owners_ of the attributes of a place: those of its thread and of its mark.
  std::uint32_t OwnerId(const Place& place) {
    const std::uint64_t key = std::uint64_t{place.thread} << 32 | place.phase;
    // Neighbouring places are mostly of one thread.
    if (last_owner_ && last_owner_->first == key) return last_owner_->second;
    const auto [it, is_new] = owner_ids_.try_emplace(key, 0);
    last_owner_ = &*it;  // A map does not move its elements
    if (!is_new) return it->second;
    AttributeIds ids;
    AttributeTable& table = dictionary_.attributes();
    if (place.thread != kNoThread) {
      const ThreadRow& thread = profile_.threads[place.thread];
      if (!thread.is_merged) ids.push_back(table.Id("thread.id", NumberValue(thread.tid)));
      if (!thread.name.empty()) ids.push_back(table.Id("thread.name", thread.name));
      if (thread.is_merged) ids.push_back(table.Id("csink.threads.merged", true));
    }
    if (place.phase < profile_.phases.size() && !profile_.phases[place.phase].name.empty()) {
      ids.push_back(table.Id("csink.phase", profile_.phases[place.phase].name));
    }
    const auto known = std::find(owners_.begin(), owners_.end(), ids);
    it->second = static_cast<std::uint32_t>(known - owners_.begin());
    if (known == owners_.end()) owners_.push_back(std::move(ids));
    return it->second;
  }

  /// Writes the Profile of one column. Without samples it is left out unless `even_if_empty`.
  void WriteProfile(protozero::pbf_writer& of_scope, const ProcessRow* process,
                    const Samples& samples, const Column& column, bool even_if_empty) {
    std::vector<std::uint64_t> values(samples.keys.size());
    std::vector<bool> is_used(samples.keys.size());
    std::uint64_t total = 0;
    SmallMessage packed;
    // Encoded once: thousands of samples have the same attributes.
    std::vector<std::string> owners;  // Encoded
    for (const AttributeIds& owner : owners_) {
      packed.Clear();
      packed.AddPacked(sample_field::kAttribute, owner);
      owners.emplace_back(packed.bytes());
    }
    for (std::size_t i = 0; i < samples.places.size(); ++i) {
      const EventCount& count = profile_.places[samples.places[i]].counts[column.event];
      if (count.samples == 0 && count.weight == 0) continue;
      AddTo(values[samples.key_of[i]], count.*column.value >> column.shift);
      is_used[samples.key_of[i]] = true;
      AddTo(total, count.samples);
    }
    // Events may have no samples in this process.
    const bool is_empty = std::find(is_used.begin(), is_used.end(), true) == is_used.end();
    if (is_empty && !even_if_empty) return;
    const AttributeIds attributes = ProfileAttributes(process, column, total);
    protozero::pbf_writer profile(of_scope, scope_profiles_field::kProfile);
    AddType(profile, profile_field::kSampleType, column.type, column.unit);
    constexpr std::size_t kSampleBytes = 20;  // The usual size
    message_.reserve(message_.size() + values.size() * kSampleBytes);
    for (std::size_t k = 0; k < values.size(); ++k) {
      if (!is_used[k]) continue;
      sample_.Clear();
      sample_.AddNumber(sample_field::kStack, samples.keys[k].stack);
      sample_.AddEncoded(owners[samples.keys[k].owner]);
      sample_.AddPacked(sample_field::kValue, std::span(&values[k], 1));
      // `profile` writes to the same string.
      sample_.AppendTo(message_, profile_field::kSample);
    }
    AddTimes(profile, process);
    const EventTotals& event = profile_.events[column.event];
    // In frequency mode there is no period; the mean weight stands in. Pyroscope refuses profiles
    // without one.
    std::uint64_t period = event.period;
    if (period == 0) period = event.weight / std::max<std::uint64_t>(1, event.samples);
    AddType(profile, profile_field::kPeriodType, WeightType(profile_, events_, column.event),
            WeightUnit(profile_, column.event));
    AddNumber(profile, profile_field::kPeriod, ClampToSigned(std::max<std::uint64_t>(1, period)));
    profile.add_bytes(profile_field::kProfileId, ProfileId(process, column, samples));
    profile.add_packed_uint32(profile_field::kAttribute, attributes.begin(), attributes.end());
  }

  /// Adds a ValueType: what is counted, and its unit.
  void AddType(protozero::pbf_writer& profile, std::uint32_t field, const std::string& type,
               const std::string& unit) {
    protozero::pbf_writer value_type(profile, field);
    AddNumber(value_type, value_type_field::kType, dictionary_.strings().Keep(type));
    AddNumber(value_type, value_type_field::kUnit, dictionary_.strings().Keep(unit));
  }

  /// Begin and length of the time that the samples are of.
  struct Times {
    std::uint64_t begin_unix_ns = 0;
    std::uint64_t duration_ns = 0;
  };
  /// nullptr: of all processes together, from the first start on, as long as the report's wall
  /// time.
  Times TimesOf(const ProcessRow* process) const {
    if (process) {
      // In the difference of two states the time begins at the earlier state.
      const std::uint64_t begin = process->BeginMonotonicNs();
      return {SaturatingAdd(process->start_realtime_ns,
                            SaturatingSubtract(begin, process->start_monotonic_ns)),
              SaturatingSubtract(process->update_monotonic_ns, begin)};
    }
    Times times;
    for (const ProcessRow& row : profile_.processes) {
      if (times.begin_unix_ns == 0 || row.start_realtime_ns < times.begin_unix_ns) {
        times.begin_unix_ns = row.start_realtime_ns;
      }
    }
    times.duration_ns =
        static_cast<std::uint64_t>(std::clamp(report_.wall_seconds * 1e9, 0.0, 9e18));
    return times;
  }
  /// A begin of 0 is not known, so that the field is left out.
  void AddTimes(protozero::pbf_writer& profile, const ProcessRow* process) const {
    const Times times = TimesOf(process);
    if (times.begin_unix_ns != 0) {
      profile.add_fixed64(profile_field::kTimeUnixNano, times.begin_unix_ns);
    }
    AddNumber(profile, profile_field::kDurationNano, times.duration_ns);
  }

  /// 16 bytes that depend only on what the profile is of: a profile that is sent again has the same
  /// id, so that a receiver can drop the second one.
  std::string ProfileId(const ProcessRow* process, const Column& column,
                        const Samples& samples) const {
    const Times times = TimesOf(process);
    std::string text = report_.host + '\n' + report_.command + '\n' + column.type + '\n' +
                       profile_.only_phase + '\n';
    std::uint64_t weight = 0;
    for (const std::uint32_t i : samples.places) {
      AddTo(weight, profile_.places[i].counts[column.event].*column.value);
    }
    std::vector<std::uint64_t> numbers = {times.begin_unix_ns, times.duration_ns, weight,
                                          samples.keys.size(), profile_.callers.size()};
    if (process) {
      text += process->host;
      numbers.insert(numbers.end(), {process->pid, process->start_ticks, process->generation});
    }
    for (const std::uint64_t number : numbers) text += ' ' + std::to_string(number);
    std::string id;
    for (const char part : {'1', '2'}) {
      // Two hashes of 64 bits, with another first byte each.
      const std::uint64_t hash = Fnv1a(text, Fnv1aAdd(kFnv1aBegin, part));
      for (unsigned shift = 0; shift < 64; shift += 8) id += static_cast<char>(hash >> shift);
    }
    // All zeros would mean "no id".
    if (id == std::string(id.size(), '\0')) id[0] = 1;
    return id;
  }

  /// Adds a number that is not 0.
  void Add(AttributeIds& ids, std::string_view key, std::uint64_t number,
           std::string_view unit = {}) {
    if (number != 0) ids.push_back(dictionary_.attributes().Id(key, NumberValue(number), unit));
  }
  /// Adds a text that is not empty.
  void Add(AttributeIds& ids, std::string_view key, const std::string& text) {
    if (!text.empty()) ids.push_back(dictionary_.attributes().Id(key, text));
  }

  /// What is true of the whole run: every profile has it.
  AttributeIds RunAttributes() {
    AttributeIds ids;
    AttributeTable& table = dictionary_.attributes();
    ids.push_back(table.Id("pprof.profile.comment", FactLines(report_)));
    Add(ids, "csink.verdict", std::string(WordFor(report_.verdict.grade)));
    if (report_.verdict.explained_share) {
      ids.push_back(table.Id("csink.explained_share", *report_.verdict.explained_share));
    }
    Add(ids, "csink.source", report_.source);
    Add(ids, "csink.only_phase", profile_.only_phase);
    return ids;
  }

  AttributeIds ProfileAttributes(const ProcessRow* process, const Column& column,
                                 std::uint64_t samples) {
    AttributeIds ids = run_attributes_;
    Add(ids, "csink.samples", samples);
    if (column.shift != 0) {
      Add(ids, "csink.values.divided_by_power_of_2", std::uint64_t{column.shift});
    }
    EventAttributes(ids, column.event);
    if (process) ProcessAttributes(ids, *process);
    return ids;
  }

  /// How the event was sampled. Sums are those of the run: all processes together.
  void EventAttributes(AttributeIds& ids, std::size_t e) {
    const EventTotals& event = profile_.events[e];
    Add(ids, "csink.event", event.name);
    Add(ids, "csink.event.frequency", event.frequency_hz, "Hz");
    if (event.mixed_periods) {
      ids.push_back(dictionary_.attributes().Id("csink.event.mixed_periods", true));
    }
    Add(ids, "csink.event.skid", std::string(WordFor(event.skid)));
    Add(ids, "csink.event.precise", event.precise_ip);
    Add(ids, "csink.run.samples", event.samples);
    Add(ids, "csink.run.weight", event.weight);
    if (e < report_.effective_samples.size()) {
      ids.push_back(
          dictionary_.attributes().Id("csink.run.effective_samples", report_.effective_samples[e]));
    }
    Add(ids, "csink.run.lost_samples", event.lost_records);
    Add(ids, "csink.run.unplaced_samples", event.unplaced);
    Add(ids, "csink.run.throttled", event.throttled);
    Add(ids, "csink.run.throttled_time", event.throttled_ns, "ns");
    Add(ids, "csink.run.enabled_time", event.enabled_ns, "ns");
    Add(ids, "csink.run.running_time", event.running_ns, "ns");
    Add(ids, "csink.run.due_time", event.due_ns, "ns");
    Add(ids, "csink.run.unsampled_events", event.unsampled);
    Add(ids, "csink.run.rate_limit", event.rate_limit_hz, "Hz");
  }

  /// The process's CPU time, and the part of it that is in no sample.
  void ProcessAttributes(AttributeIds& ids, const ProcessRow& row) {
    static constexpr std::array<std::string_view, spool::kLossCauses> kLost = {
        "csink.lost.no_ring", "csink.lost.blocked_drain", "csink.lost.short_threads",
        "csink.lost.unexplained"};
    Add(ids, "csink.process.state", std::string(WordFor(row.state)));
    Add(ids, "csink.process.user_time", row.user_ns, "ns");
    Add(ids, "csink.process.system_time", row.system_ns, "ns");
    Add(ids, "csink.process.agent_time", row.agent_ns, "ns");
    for (std::size_t i = 0; i < kLost.size(); ++i) Add(ids, kLost[i], row.lost_ns[i], "ns");
    Add(ids, "csink.lost.unseen_threads", row.unseen_ns, "ns");
    Add(ids, "csink.lost.switched_off", row.switched_off_ns, "ns");
    Add(ids, "csink.process.paused_time", row.paused_ns, "ns");
    Add(ids, "csink.process.cut_stacks", row.bad_stacks);
    Add(ids, "csink.process.threads_seen", row.threads_seen);
    Add(ids, "csink.process.threads_sampled", row.threads_sampled);
    if (row.frozen) ids.push_back(dictionary_.attributes().Id("csink.process.frozen", true));
  }

  const Report& report_;
  const Profile& profile_;
  const std::vector<std::size_t> events_;
  const ResourceSettings settings_;
  Dictionary dictionary_;
  const AttributeIds run_attributes_;
  std::vector<Column> columns_;
  std::vector<AttributeIds> owners_;  ///< Attributes of samples; each set once
  std::unordered_map<std::uint64_t, std::uint32_t> owner_ids_;  ///< By thread and mark
  /// Of owner_ids_: the one that was asked for last; null: none yet.
  const std::pair<const std::uint64_t, std::uint32_t>* last_owner_ = nullptr;
  std::string message_;      ///< The part of the top message that is not yet in the sink
  SmallMessage sample_;      ///< Kept for its memory
  std::size_t written_ = 0;  ///< Bytes in the sink
};

}  // namespace
}  // namespace otlp

/// ProfilesData of OTLP, which is also an ExportProfilesServiceRequest: a resource for each
/// process, and in it a profile for each event. The resource's attributes are those of
/// OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES of this process's environment, too. The whole
/// message is in memory. Errors: kLimit (it is larger than 2 GiB).
Result<void> WriteOtlp(const Report& report, const FormatOptions& options, Sink& sink) {
  return otlp::Otlp(report, options).Write(sink);
}

}  // namespace csink::report
