#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/counting/presets/complaint_list.h"
#include "core/counting/presets/definition_batch.h"
#include "core/counting/presets/event_index.h"
#include "core/counting/presets/preset_definition.h"
#include "core/counting/presets/preset_request.h"
#include "core/counting/presets/standard_presets.h"
#include "core/util/result.h"

/// File: what presets and user events mean on this machine. Used by libpapi (compat/papi), which
/// turns the definitions into counters:
///
///   PresetOptions options;
///   options.pmus = {{"skx", true}, {"perf", false}};
///   options.can_count = &CanOpen;
///   auto table = PresetTable::Load(options);
///   if (auto code = table->CodeOf("PAPI_L1_TCM")) {
///     if (const PresetDefinition* d = table->ByCode(code); d && table->IsAvailable(*d)) {
///       // add d->natives[i].qualified (unknown to libpfm4? then its shown()),
///       // then d->formula.Evaluate(counts, context)
///     }
///   }
///
/// Sources of definitions, where later ones override earlier ones:
///   1. the built-in tables, parsed when a definition is first asked for, and only those of PMUs
///   that are present; or instead of them PresetOptions::override_file (PAPI_CSV_EVENT_FILE)
///   2. PresetOptions::user_events_file (PAPI_USER_EVENTS_FILE)
///   3. LoadUserEvents, DefineAll and Define at run time
/// PRESET and EVENT lines mean the same: a standard name defines that preset, any other name a user
/// event, with codes kUserEventMask | 0, 1, 2, ...
///
/// Several PMUs: a section of a file belongs to the PMUs of its CPU lines, and natives without
/// "pmu::" are events of the section's PMU. Where several core PMUs are present (hybrid CPUs), each
/// contributes its own formula over its own natives, and the preset is the sum: the events of a
/// thread are counted by the PMU of the core on which it runs at the time. Where only some core
/// PMUs define a preset, or where a sum would have too many natives or consist of rates
/// (DERIVED_PS), it counts on those PMUs alone, or on the first one, and `note` says so. Sections
/// of other PMUs ("perf") serve presets that no core PMU defines.

namespace csink {

/// Whether a native event ("skx::INST_RETIRED:ANY_P") can be counted on this machine. May be called
/// by several threads at once (PresetTable::IsAvailable), and under the table's lock (DefineAll),
/// so it must not call the table.
using CanCount = bool (*)(std::string_view native_name, void* context);

/// What a table is made from. The function pointers and their contexts must stay valid as long as
/// the table, and so must what they refer to. All members have defaults: an empty PresetOptions
/// gives a table without PMUs.
struct PresetOptions {
  /// Core PMUs in the order in which they are to be listed, and other PMUs. May be set later
  /// (SetPmus).
  std::vector<PresentPmu> pmus;
  /// PAPI_CSV_EVENT_FILE; "": the built-in tables.
  std::string override_file;
  /// PAPI_USER_EVENTS_FILE; "": none.
  std::string user_events_file;
  CanCount can_count = nullptr;  ///< nullptr: every event can be counted
  void* can_count_context = nullptr;
  KnowsNative knows_native = nullptr;  ///< nullptr: every name may be a native event
  void* knows_native_context = nullptr;
};

/// All presets and user events.
///
///   const auto table = PresetTable::Load(std::move(options));
///   const PresetDefinition* total = table->ByCode(table->CodeOf("PAPI_TOT_INS"));
///   // The natives are counted by an event set, in the order of total->natives.
///   if (total) value = total->formula.Evaluate(counts, context);
///
/// Owns:    every definition that it ever returned, and their texts; both live as long as the
/// table.
/// Threads: ByCode, CodeOf, NameOf, UserEventCount and IsAvailable may run in any number of
/// threads, also while another thread loads or defines. They are lock-free, except for the first
/// ByCode, which parses the built-in tables under the table's lock. Loading, defining and
/// Complaints take that lock.
/// Signals: not safe.
class PresetTable {
 public:
  /// Reads the files that the options name. Never fails: mistakes in a file are skipped and
  /// reported by Complaints(). Where the override file cannot be read, the built-in tables are used
  /// and a complaint says so; where it can be read and none of its lines can be used, there are no
  /// presets.
  static std::unique_ptr<PresetTable> Load(PresetOptions options);
  ~PresetTable();
  PresetTable(const PresetTable&) = delete;
  PresetTable& operator=(const PresetTable&) = delete;

  /// The definition for a code with kPresetMask or kUserEventMask; nullptr: there is no such code,
  /// or the preset has no definition on this machine. The first call parses the built-in tables.
  const PresetDefinition* ByCode(std::uint32_t code) const;
  /// The definition of standard preset `index`; nullptr as above.
  const PresetDefinition* ByIndex(std::size_t index) const {
    return ByCode(kPresetMask | static_cast<std::uint32_t>(index));
  }

  /// The code of a name, in exact case; 0: there is no such name. Takes constant time. All standard
  /// presets have a code, defined or not. Does not parse anything.
  std::uint32_t CodeOf(std::string_view name) const noexcept;
  /// The name of a code; "": there is no such code. The text lives as long as the table. Does not
  /// parse anything.
  std::string_view NameOf(std::uint32_t code) const noexcept;
  /// User events have the codes kUserEventMask | 0 to UserEventCount() - 1.
  std::size_t UserEventCount() const noexcept;

  /// Whether can_count accepts every native of `definition`, by its qualified name or by the name
  /// in the file. Determined once for each definition; true where there is no can_count.
  bool IsAvailable(const PresetDefinition& definition) const;

  /// Sets the PMUs of this machine, where Load was given none (finding them takes time). A second
  /// call has no effect. Applies to files and built-in tables that are read later; existing
  /// definitions stay.
  void SetPmus(std::vector<PresentPmu> pmus);
  /// Whether Load or SetPmus was given PMUs.
  bool HasPmus() const;

  /// Reads another file of event definitions (PAPI_set_opt(PAPI_USER_EVENTS_FILE)), in the format
  /// of PAPI 7.0 or 3.5, and returns the number of events defined. With a malformed line, which is
  /// a complaint, nothing of the file is used. Events that this machine cannot count are left out
  /// with a complaint.
  /// Errors: kNotFound, kPermission, kSystem (the file), kLimit (too large), kInvalid (malformed,
  ///         or none of its lines could be used).
  Result<std::size_t> LoadUserEvents(const std::string& path);

  /// Adds or changes events (PAPI_encode_events): all of them or none. Natives without "pmu::" are
  /// events of the core PMUs, or of another PMU where no core PMU has them. A new event must not
  /// have the name of a native event. A preset without natives defines nothing; it is accepted if
  /// the preset is not available. `codes` (may be null) gets the codes, in the order of names.
  /// Returns false if the batch is refused; `failure` states why.
  bool DefineAll(std::span<const PresetRequest> requests, bool replace, DefineFailure& failure,
                 std::vector<std::uint32_t>* codes = nullptr);

  /// The same for one event (PAPI_set_event_info). Returns its code.
  /// Errors: each with a sentence in `complaint` (may be null): kConflict (the event is defined and
  ///         `replace` is false, or it is in use), kInvalid (formula, names), kNoEvent (an unknown
  ///         native), kNotFound (a base that is a preset without a definition), kLimit (a text too
  ///         long, too many natives, the table is full).
  Result<std::uint32_t> Define(const PresetRequest& request, bool replace,
                               std::string* complaint = nullptr);

  /// All complaints so far, one sentence each, "file:line: ..."; at most kMaxComplaints, the last
  /// of which then states how many were left out.
  std::vector<std::string> Complaints() const;

 private:
  class State;
  explicit PresetTable(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace csink
