#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "profil/model/merge.h"
#include "profil/model/profile.h"

/// File: the state of a ProfileMerger between two spools. Its functions are in merge.cpp (columns,
/// modules, samples), merge_rows.cpp (processes, threads), merge_counters.cpp (device counters) and
/// merge_chains.cpp (callers, marks).

namespace csink {

/// Event columns of a profile. More would need processes with entirely different event lists;
/// further columns are left out.
inline constexpr std::size_t kMaxColumns = 32;

/// Identity of a module (merge.cpp, KeyOf).
using ModuleKey = std::tuple<int, std::string, std::uint64_t, std::uint64_t, std::uint64_t>;

/// Identity of a place: indices into the profile; 0 or kNoThread for what is not kept apart.
struct PlaceKey {
  std::uint64_t offset;
  std::uint32_t module;
  std::uint32_t caller;
  std::uint32_t phase;
  std::uint32_t thread;
  bool operator==(const PlaceKey&) const = default;
};
/// Identity of a caller node: equal keys are one entry of Profile::callers.
struct CallerKey {
  std::uint64_t offset;
  std::uint32_t module;
  std::uint32_t parent;
  std::uint32_t flags;
  bool operator==(const CallerKey&) const = default;
};
/// Hash of both keys. Not secret: a manipulated spool can only make the merge slow.
struct KeyHash {
  static std::uint64_t Mix(std::uint64_t a, std::uint64_t b) noexcept {
    return (a ^ b) * 0x9e3779b97f4a7c15ull ^ (a >> 29);
  }
  std::size_t operator()(const PlaceKey& key) const noexcept {
    return Mix(Mix(key.offset, std::uint64_t{key.module} << 32 | key.caller),
               std::uint64_t{key.phase} << 32 | key.thread);
  }
  std::size_t operator()(const CallerKey& key) const noexcept {
    return Mix(Mix(key.offset, std::uint64_t{key.module} << 32 | key.parent), key.flags);
  }
};

/// The profile under construction, and the tables by which its rows are found again.
struct ProfileMerger::State {
  /// Maps the indices of one spool to indices of the profile.
  struct Placement {
    static constexpr std::size_t kNobody = ~std::size_t{0};
    /// Index of the row of the spool's process
    std::size_t process = 0;
    /// Column by event of the spool; kMaxColumns: left out
    std::vector<std::size_t> columns;
    /// Module by region of the spool
    std::vector<std::uint32_t> modules;
    /// Row by thread; kNobody: threads of a merged file are not kept
    std::vector<std::size_t> threads;
    std::vector<std::uint32_t> callers;  ///< By chain id; empty: not kept
    std::vector<std::uint32_t> phases;   ///< By phase id; empty: not kept
    std::vector<std::size_t> processes;  ///< Row by process of a merged file
  };

  explicit State(const MergeOptions& asked) : options(asked) {}

  /// Of the ProfileMerger, which outlives this object.
  const MergeOptions& options;
  /// The sum so far. Its counts vectors may be shorter than `events` until Finish.
  Profile profile;
  /// Index by identity, as the following tables
  std::map<ModuleKey, std::uint32_t> modules;
  std::unordered_map<PlaceKey, std::size_t, KeyHash> places;
  std::unordered_map<CallerKey, std::uint32_t, KeyHash> callers;
  std::map<std::string, std::uint32_t, std::less<>> phases;
  /// By module and offset of the start routine
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::size_t> short_threads;
  /// By program and reason
  std::map<std::pair<std::string, std::string>, std::size_t> not_followed;
  /// The last process row is the sum of those beyond max_processes
  bool has_process_rest = false;
  bool has_thread_rest = false;   ///< The last thread row is the sum of many
  bool callers_are_full = false;  ///< MergeOptions::max_callers was reached

  /// merge.cpp. The column of `event`, added if it is new; kMaxColumns: there is no room.
  std::size_t ColumnOf(const spool::EventColumn& event);
  /// The index of `module`, added if it is new. `process`: owner of anonymous code.
  std::uint32_t ModuleIndex(Module module, std::size_t process);
  /// The address in the profile for a PC of a spool; kNoModule if the region is not valid.
  CodeAddress AddressOf(const spool::Spool& spool, std::uint32_t region, std::uint64_t pc,
                        const Placement& at) const;
  /// The same, with a module for unknown addresses.
  CodeAddress AddressOrUnknown(const spool::Spool& spool, std::uint32_t region, std::uint64_t pc,
                               const Placement& at);
  /// These add the parts of a spool and fill in its Placement. They are called in the order of
  /// ProfileMerger::Add, because each uses what the ones before have filled in.
  void AddColumns(const spool::Spool& spool, Placement& at);
  void AddModules(const spool::Spool& spool, Placement& at);
  void AddHits(const spool::Spool& spool, const Placement& at);
  void AddShortThreads(const spool::Spool& spool, const Placement& at);

  /// merge_rows.cpp. Adds a row, or its numbers to the row for the rest. Returns the row's index.
  std::size_t AddProcess(ProcessRow row);
  std::size_t AddThread(ThreadRow row);
  /// As AddColumns. `state` and `path`: for the row of a spool of one process.
  void AddProcesses(const spool::Spool& spool, ProcessState state, const std::string& path,
                    Placement& at);
  void AddThreads(const spool::Spool& spool, Placement& at);
  void AddThreadTotals(const spool::Spool& spool, Placement& at);
  void AddNotes(const spool::Spool& spool);

  // merge_counters.cpp
  void AddDeviceCounters(const spool::Spool& spool);
  /// Sums up the counters that several processes read in the same time.
  void FinishDeviceCounters();
  /// These two are in merge_rows.cpp, too.
  void AddNotFollowed(std::string program, std::string why, std::uint64_t times);
  /// Sorts the rows and translates the indices that refer to them.
  void SortProcesses();

  // merge_chains.cpp
  void AddCallers(const spool::Spool& spool, Placement& at);
  void AddPhases(const spool::Spool& spool, Placement& at);
  /// The phase of this name, added if it is new; 0 for "".
  std::uint32_t PhaseIndex(std::string_view name);
  /// Computes the time before the first mark.
  void FinishPhases();
};

/// Adds to counts[column], saturating; the vector grows if needed.
void AddCount(std::vector<EventCount>& counts, std::size_t column, const EventCount& count);

}  // namespace csink
