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

/// More columns would need processes with entirely different event lists.
inline constexpr std::size_t kMaxColumns = 32;

using ModuleKey = std::tuple<int, std::string, std::uint64_t, std::uint64_t, std::uint64_t>;

struct PlaceKey {
  std::uint64_t offset;
  std::uint32_t module;
  std::uint32_t caller;
  std::uint32_t phase;
  std::uint32_t thread;
  bool operator==(const PlaceKey&) const = default;
};
struct CallerKey {
  std::uint64_t offset;
  std::uint32_t module;
  std::uint32_t parent;
  std::uint32_t flags;
  bool operator==(const CallerKey&) const = default;
};
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

struct ProfileMerger::State {
  /// Maps the indices of one spool to indices of the profile.
  struct Placement {
    static constexpr std::size_t kNobody = ~std::size_t{0};
    std::size_t process = 0;             ///< Index of its row
    std::vector<std::size_t> columns;    ///< By event of the spool
    std::vector<std::uint32_t> modules;  ///< By region
    /// Row by thread; kNobody: threads of a merged file are not kept
    std::vector<std::size_t> threads;
    std::vector<std::uint32_t> callers;  ///< By chain id; empty: not kept
    std::vector<std::uint32_t> phases;   ///< By phase id; empty: not kept
    std::vector<std::size_t> processes;  ///< Row by process of a merged file
  };

  explicit State(const MergeOptions& asked) : options(asked) {}

  const MergeOptions& options;
  Profile profile;
  std::map<ModuleKey, std::uint32_t> modules;
  std::unordered_map<PlaceKey, std::size_t, KeyHash> places;
  std::unordered_map<CallerKey, std::uint32_t, KeyHash> callers;
  std::map<std::string, std::uint32_t, std::less<>> phases;
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::size_t> short_threads;
  std::map<std::pair<std::string, std::string>, std::size_t> not_followed;
  bool has_process_rest = false;  ///< The last process row is the sum of many
  bool has_thread_rest = false;
  bool callers_are_full = false;

  // merge.cpp
  std::size_t ColumnOf(const spool::EventColumn& event);
  std::uint32_t ModuleIndex(Module module, std::size_t process);
  CodeAddress AddressOf(const spool::Spool& spool, std::uint32_t region, std::uint64_t pc,
                        const Placement& at) const;
  CodeAddress AddressOrUnknown(const spool::Spool& spool, std::uint32_t region, std::uint64_t pc,
                               const Placement& at);
  void AddColumns(const spool::Spool& spool, Placement& at);
  void AddModules(const spool::Spool& spool, Placement& at);
  void AddHits(const spool::Spool& spool, const Placement& at);
  void AddShortThreads(const spool::Spool& spool, const Placement& at);

  // merge_rows.cpp
  std::size_t AddProcess(ProcessRow row);
  std::size_t AddThread(ThreadRow row);
  void AddProcesses(const spool::Spool& spool, ProcessState state, const std::string& path,
                    Placement& at);
  void AddThreads(const spool::Spool& spool, Placement& at);
  void AddThreadTotals(const spool::Spool& spool, Placement& at);
  void AddNotes(const spool::Spool& spool);

  // merge_counters.cpp
  void AddDeviceCounters(const spool::Spool& spool);
  void FinishDeviceCounters();
  void AddNotFollowed(std::string program, std::string why, std::uint64_t times);
  void SortProcesses();

  // merge_chains.cpp
  void AddCallers(const spool::Spool& spool, Placement& at);
  void AddPhases(const spool::Spool& spool, Placement& at);
  std::uint32_t PhaseIndex(std::string_view name);
  void FinishPhases();
};

/// Adds to counts[column]; the vector grows if needed.
void AddCount(std::vector<EventCount>& counts, std::size_t column, const EventCount& count);

}  // namespace csink
