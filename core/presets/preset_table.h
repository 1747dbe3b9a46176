#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/presets/complaint_list.h"
#include "core/presets/definition_batch.h"
#include "core/presets/event_index.h"
#include "core/presets/preset_definition.h"
#include "core/presets/preset_request.h"
#include "core/presets/standard_presets.h"
#include "core/util/result.h"

/// File: what presets and user events mean on this machine. For the facade of libpapi
/// (compat/papi), which turns the definitions into counters:
///
///   PresetOptions options;
///   options.pmus = {{"skx", true}, {"perf", false}};
///   options.can_count = &CanOpen;
///   auto table = PresetTable::Load(options);
///   if (auto code = table->CodeOf("PAPI_L1_TCM")) {
///     if (const PresetDefinition* d = table->ByCode(*code); d && table->IsAvailable(*d)) {
///       // add d->natives[i].qualified (unknown to libpfm4? then its shown()),
///       // then d->formula.Evaluate(counts, context)
///     }
///   }
///
/// Where definitions come from, the later ones win:
///   1. the built-in tables, of which only those of the PMUs present are parsed, when the
///      first definition is asked for, or instead of them PresetOptions::override_file
///      (PAPI_CSV_EVENT_FILE);
///   2. PresetOptions::user_events_file (PAPI_USER_EVENTS_FILE);
///   3. LoadUserEvents, DefineAll and Define at run time.
/// PRESET and EVENT lines mean the same: a standard name gives the preset its meaning,
/// any other name makes a user event, with codes kUserEventMask | 0, 1, 2, ...
///
/// Several PMUs. A file's section belongs to the PMUs of its CPU lines. Natives without
/// "pmu::" are those of the section's PMU. Where several core PMUs are present (hybrid
/// CPUs), each contributes its own formula over its own natives and the preset is the sum:
/// a thread's events are counted by the PMU of the core it runs on at the time. When only
/// some core PMUs define a preset, or a sum would have too many natives or is of rates
/// (DERIVED_PS), it counts on those alone, or on the first, and `note` says so. Sections of
/// other PMUs ("perf") serve presets that no core PMU defines.

namespace csink {

/// Says whether an event of that name can be counted here ("skx::INST_RETIRED:ANY_P").
using CanCount = bool (*)(std::string_view native_name, void* context);

struct PresetOptions {
  std::vector<PresentPmu> pmus;  ///< Core PMUs in the order in which they should be listed
  std::string override_file;     ///< Empty: the built-in tables
  std::string user_events_file;  ///< Empty: none
  CanCount can_count = nullptr;  ///< nullptr: everything can be counted
  void* can_count_context = nullptr;
  KnowsNative knows_native = nullptr;  ///< nullptr: every name may be some native event's
  void* knows_native_context = nullptr;
};

/// All presets and user events.
/// Owns:    every definition it ever handed out.
/// Threads: ByCode, ByName, CodeOf, NameOf, UserEventCount and IsAvailable may run in any
///          number of threads, also while another loads or defines, and are lock-free but for
///          the first ByCode or ByName, which parses the built-in tables under the table's own
///          lock. Loading, defining and Complaints take that lock.
class PresetTable {
 public:
  /// Never fails: what is wrong in a file is skipped and told by Complaints(). When the
  /// override file cannot be read, the built-in tables serve and a complaint says so.
  static std::unique_ptr<PresetTable> Load(PresetOptions options);
  ~PresetTable();
  PresetTable(const PresetTable&) = delete;
  PresetTable& operator=(const PresetTable&) = delete;

  /// The definition of a code with kPresetMask or kUserEventMask; nullptr: no such code, or
  /// a preset without a definition on this machine.
  const PresetDefinition* ByCode(std::uint32_t code) const;
  /// The definition of standard preset `index`; nullptr as above.
  const PresetDefinition* ByIndex(std::size_t index) const {
    return ByCode(kPresetMask | static_cast<std::uint32_t>(index));
  }
  /// The definition of a name, in exact case; nullptr as above. In constant time.
  const PresetDefinition* ByName(std::string_view name) const;

  /// The code of a name: all standard presets have one, defined or not. 0: no such name.
  std::uint32_t CodeOf(std::string_view name) const noexcept;
  /// The name of a code; empty: no such code. The text lives as long as the table.
  std::string_view NameOf(std::uint32_t code) const noexcept;
  std::size_t UserEventCount() const noexcept;

  /// True when can_count accepts every native of `definition`, by its qualified name or by the
  /// one that the file wrote. Asked once a definition, then remembered.
  bool IsAvailable(const PresetDefinition& definition) const;

  /// The PMUs of this machine, when Load was given none to save asking for them; a second time
  /// nothing changes. For the files that are read from then on: what is defined stays.
  void SetPmus(std::vector<PresentPmu> pmus);
  bool HasPmus() const;

  /// Reads another file of event definitions (PAPI_set_opt(PAPI_USER_EVENTS_FILE)) in PAPI 7.0's
  /// or 3.5's format, and returns how many events it defined. A malformed line is a complaint, and
  /// then nothing of the file is used; what only this machine lacks is left out with a complaint.
  /// Errors: kNotFound, kPermission, kSystem (the file), kLimit (too large), kInvalid (malformed,
  /// or it has lines, but not one that could be used).
  Result<std::size_t> LoadUserEvents(const std::string& path);

  /// Adds or changes events (PAPI_encode_events), all or none. Natives without "pmu::" are those
  /// of the core PMUs, or else whose they are. The name of a new event must be no native's. A
  /// preset without natives says nothing, and may, as long as it does not count. `codes` (if given)
  /// gets the codes, in the order of names. False: `failure` says why.
  bool DefineAll(std::span<const PresetRequest> requests, bool replace, DefineFailure& failure,
                 std::vector<std::uint32_t>* codes = nullptr);

  /// The same for one event (PAPI_set_event_info); returns its code.
  /// Errors, each with a sentence in `complaint`: kConflict (it has a definition and `replace`
  /// is false, or it is in use), kInvalid (formula, names), kNoEvent (no such native), kNotFound
  /// (a preset without a definition as a base), kLimit (a text too long, too many natives, the
  /// table is full).
  Result<std::uint32_t> Define(const PresetRequest& request, bool replace,
                               std::string* complaint = nullptr);

  /// What was wrong so far, one sentence each, "file:line: ..."; at most kMaxComplaints, the
  /// last of which then counts the rest.
  std::vector<std::string> Complaints() const;

 private:
  class State;
  explicit PresetTable(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace csink
