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
#include "core/presets/preset_table.h"
#include "core/util/futex_lock.h"
#include "core/util/result.h"

namespace csink::papi {

/// A preset or user event in terms of one component's own event numbers.
struct ResolvedPreset {
  const PresetDefinition* definition = nullptr;
  int component = -1;
  std::uint8_t count = 0;
  std::array<std::uint32_t, kMaxFormulaNatives> natives = {};
};

/// The presets of this machine, and which native events they are. The table is read at the first
/// use: its files are named by PAPI_CSV_EVENT_FILE and PAPI_USER_EVENTS_FILE.
/// Threads: any. Signals: not safe.
class PresetEvents {
 public:
  ~PresetEvents();

  /// What `code` (preset or user event) counts here. nullptr: nothing; it is no event, has no
  /// definition on this machine, or its natives do not exist. Stays until Reset.
  const ResolvedPreset* Find(int code);
  /// Whether it can be counted on this machine now.
  bool IsAvailable(const ResolvedPreset& preset);
  /// What was written about `code`, whether it can be counted or not; nullptr: nothing.
  const PresetDefinition* DefinitionOf(int code);
  /// The code of a name; 0: no such preset.
  int CodeOf(std::string_view name);
  /// The name of a code; empty: none.
  std::string_view NameOf(int code);
  /// PAPI_OK, PAPI_ENOTPRESET (a code beyond the table of presets), PAPI_ENOEVNT (no such event, or
  /// not on this machine: with the sentence that says why).
  int Check(int code);

  int CountAvailable();
  /// False while no file that could define user events was named: then no table is needed.
  bool HasUserEvents();
  std::size_t UserEventCount();
  Result<std::size_t> LoadUserEvents(const char* path);
  /// The file that user events were read from last; nullptr: none was. Stays until Reset.
  const char* UserEventsFile();
  /// Adds or changes events, all or none; `codes` gets theirs. PAPI_OK, or PAPI_EPERM (there is one
  /// already), PAPI_EISRUN (it is in an event set), PAPI_ENOTPRESET (no room), PAPI_EINVAL, or
  /// PAPI_EMISC (asked by a handler); `failure` says which event and why.
  int Define(std::span<const PresetRequest> requests, bool replace, DefineFailure& failure,
             std::vector<std::uint32_t>* codes);

  void BeforeFork() noexcept;
  void AfterForkInParent() noexcept { lock_.Unlock(); }
  void AfterForkInChild() noexcept { lock_.ResetAfterFork(); }

  /// The table is forgotten, with all that Find gave out. Nobody may use it meanwhile.
  void Reset() noexcept;

 private:
  /// nullptr: asked by a handler that interrupted the very reading of it.
  PresetTable* Table();
  int Unavailable(std::string_view name);
  /// False: `code` has no definition, or all its natives have names that are known.
  bool ExplainUnresolved(int code);
  /// What was wrong in the files that the user named: "FILE:LINE: what".
  std::vector<std::string> FileComplaints();

  std::atomic<PresetTable*> table_{nullptr};
  FutexLock lock_;  ///< Of the two that follow; loading a table holds it, too
  std::unique_ptr<PresetTable> owned_;
  std::unordered_map<const PresetDefinition*, ResolvedPreset> resolved_;
  std::deque<std::string> user_files_;
};

}  // namespace csink::papi
