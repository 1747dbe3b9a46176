#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "compat/papi/include/papi.h"
#include "core/counting/presets/preset_table.h"
#include "core/util/futex_lock.h"
#include "core/util/result.h"

namespace csink::papi {

/// A preset or user event, as event numbers of one component. Immutable once it is in the map.
struct ResolvedPreset {
  const PresetDefinition* definition = nullptr;
  int component = -1;
  std::uint8_t count = 0;  ///< 0: it cannot be resolved here
  std::array<std::uint32_t, kMaxFormulaNatives> natives = {};
};

/// The presets and user events of this machine and the native events that they consist of. The
/// tables are read on first use; the environment variables PAPI_CSV_EVENT_FILE and
/// PAPI_USER_EVENTS_FILE name files of the user. After Reset they are read again.
/// Owns:    the tables. Pointers into them stay readable for a while after Reset (Retire in
/// boundary/library_state.h). Threads: any. Signals: not safe; a call in a handler that interrupted
/// the reading of the tables
///          finds no events instead of waiting.
class PresetEvents {
 public:
  ~PresetEvents();

  /// The native events of `code` (a preset or user event). nullptr: unknown code, no definition on
  /// this machine, or its native events do not exist. Valid until Reset.
  const ResolvedPreset* Find(int code);
  /// Whether the preset can be counted on this machine now: each of its native events can be
  /// opened. The first question about a preset opens them once.
  bool IsAvailable(const ResolvedPreset& preset);
  /// The definition of `code`, also if it cannot be counted; nullptr: none. Valid until Reset.
  const PresetDefinition* DefinitionOf(int code);
  /// The code of a name; 0: no such preset or user event.
  int CodeOf(std::string_view name);
  /// The name of a code; empty: no such code.
  std::string_view NameOf(int code);
  /// PAPI_OK: `code` can be counted. PAPI_ENOTPRESET: a code beyond the table of presets;
  /// PAPI_ENOEVNT: no such event, or not on this machine. Errors have a message.
  int Check(int code);

  /// Number of presets that this machine can count.
  int CountAvailable();
  /// False: there are no user events. Does not read the tables if no variable names a file.
  bool HasUserEvents();
  /// Number of user events.
  std::size_t UserEventCount();
  /// Adds the user events of a file. Returns their number. Errors: those of
  /// PresetTable::LoadUserEvents, with a message; kConflict: called in a handler that interrupted
  /// the reading of the tables.
  Result<std::size_t> LoadUserEvents(const char* path);
  /// The file from which user events were read last; nullptr: none. Valid until Reset.
  const char* UserEventsFile();
  /// Adds or changes all events of `requests`, or none. `codes` (may be nullptr) gets their codes.
  /// PAPI_OK; PAPI_EPERM: the event exists and `replace` is false; PAPI_EISRUN: it is in an event
  /// set; PAPI_ENOTPRESET: no room; PAPI_EINVAL; PAPI_EMISC: called in a handler that interrupted
  /// the library. `failure` says which event and why.
  int Define(std::span<const PresetRequest> requests, bool replace, DefineFailure& failure,
             std::vector<std::uint32_t>* codes);

  /// Handlers of pthread_atfork, called by those of the library (lifecycle/lifecycle.cpp).
  void BeforeFork() noexcept;
  void AfterForkInParent() noexcept { over_fork_.AfterForkInParent(); }
  void AfterForkInChild() noexcept { over_fork_.AfterForkInChild(); }

  /// Drops the tables. Pointers from Find stay readable until the next PAPI_shutdown
  /// (Retire in boundary/library_state.h).
  void Reset() noexcept;

 private:
  /// The tables, read on first use. nullptr: called in a handler that interrupted their reading.
  PresetTable* Table();
  /// PAPI_ENOEVNT with a message why this machine does not count the preset.
  int Unavailable(std::string_view name);
  /// Sets the message for a preset whose native event is unknown. False: no definition, or all its
  /// native events are known.
  bool ExplainUnresolved(int code);
  /// Errors in the user's files: "FILE:LINE: what". Errors of the built-in tables are left out.
  std::vector<std::string> FileComplaints();

  /// owned_, once it is loaded; read without the lock.
  std::atomic<PresetTable*> table_{nullptr};
  FutexLock lock_;  ///< Protects the following members; held while a table is loaded
  ForkHolding over_fork_{lock_};
  std::unique_ptr<PresetTable> owned_;
  /// Presets that were looked up; elements never move, so pointers to them stay valid.
  std::unordered_map<const PresetDefinition*, ResolvedPreset> resolved_;
  /// Files of user events, the last one at the end; a deque, because programs keep pointers to the
  /// text.
  std::deque<std::string> user_files_;
};

/// The presets of this process. Making the object reads nothing. Signals: not safe before the first
/// PAPI_library_init.
PresetEvents& Presets() noexcept;

}  // namespace csink::papi
