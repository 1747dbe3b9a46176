#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "profil/format/chain_end.h"
#include "profil/format/format.h"

namespace csink::testing {

/// Makes valid spools in memory, the way a writer would, for tests of everything
/// that reads them. Defaults describe a program "app", pid 4711, that ran one
/// second with one event, task-clock:u every 1,000,003 ns.
class SpoolBuilder {
 public:
  struct Mapping {
    std::string path = {};
    std::uint64_t start = 0;
    std::uint64_t end = 0;
    std::uint64_t file_offset = 0;
    std::uint32_t flags = 0;
    std::string build_id = {};  ///< Raw bytes, at most 20.
    std::uint64_t inode = 1;
  };

  SpoolBuilder();

  spool::Header& header() { return header_; }
  const spool::Header& header_view() const { return header_; }
  spool::EventColumn& event(std::size_t i) { return header_.events[i]; }

  /// Column 0 exists from the start. Returns the new column's index.
  std::uint32_t AddEvent(std::string_view name, EventClass kind, std::uint64_t period);
  std::uint32_t AddRegion(const Mapping& mapping);
  /// Thread 0 ("merged") and 1 (main) exist from the start.
  std::uint32_t AddThread(std::uint32_t tid, std::string_view name, std::uint64_t start_routine = 0,
                          std::uint32_t start_region = spool::kNone);
  spool::ThreadRecord& thread(std::size_t i) { return threads_[i]; }
  /// `samples` hits at `pc`, each of one period; adds to the header's totals.
  void AddHits(std::uint32_t region, std::uint32_t thread, std::uint64_t pc, std::uint64_t samples,
               std::size_t event = 0) {
    AddHitsAt(region, thread, pc, samples, 0, 0, event);
  }
  /// The same, after a mark and with a caller.
  void AddHitsAt(std::uint32_t region, std::uint32_t thread, std::uint64_t pc,
                 std::uint64_t samples, std::uint32_t chain, std::uint32_t phase = 0,
                 std::size_t event = 0);
  /// Returns the chain's id, from 1. `parent`: one that was added before, or 0.
  std::uint32_t AddChain(std::uint32_t parent, std::uint32_t region, std::uint64_t pc,
                         std::uint32_t flags = 0);
  /// Returns the phase's id, from 1. `marks` 0: the writer did not keep count.
  std::uint32_t AddPhase(std::string_view name, std::uint64_t start_cpu_ns, std::uint64_t marks = 0,
                         std::uint64_t cpu_ns = 0, std::uint64_t start_monotonic_ns = 0);
  void SetConfiguration(std::string_view lines) { configuration_ = lines; }
  void AddRoutine(std::uint64_t start_routine, std::uint32_t region, std::uint64_t threads,
                  std::uint64_t cpu_ns);
  /// Gives the spool a time line that begins with the process: slices of 100 ms, places of 400 ms.
  /// Returns a row for a thread; the reference is valid until the next call.
  spool::ThreadSlicesRecord& AddThreadSlices(std::uint32_t thread);
  /// The same for a place.
  spool::PlaceSlicesRecord& AddPlaceSlices(std::uint32_t region, std::uint64_t pc);
  /// Records of waiting threads, as they are written. A site's sums become part of its lock's. Both
  /// return the record's id, from 1.
  std::uint32_t AddWaitSite(const spool::WaitSiteRecord& site);
  std::uint32_t AddLock(const spool::LockRecord& lock);
  void AddHolder(const spool::HolderRecord& holder) { holders_.push_back(holder); }
  void AddMoment(const spool::MomentRecord& moment) { moments_.push_back(moment); }
  void AddTimedSample(const spool::TimedSampleRecord& sample) { timed_.push_back(sample); }
  void AddSwitch(const spool::SwitchRecord& record) { switches_.push_back(record); }
  /// A Python function; returns its id.
  std::uint32_t AddPythonCode(std::string_view name, std::string_view file,
                              std::string_view lines = {}, std::uint32_t first_line = 1);
  void AddPythonState(const spool::PythonStateRecord& state) { python_states_.push_back(state); }
  void AddRunFacts(const spool::RunFactsRecord& facts, std::string_view surroundings) {
    run_facts_.push_back({facts, std::string(surroundings)});
  }
  void AddChainEnd(const spool::ChainEndRecord& end) { chain_ends_.push_back(end); }
  void SetCommand(std::string_view program, std::string_view command);

  std::vector<std::byte> Build() const;
  /// Writes Build() under the name that the agent would choose; returns the path.
  std::string Write(const std::string& folder) const;
  /// Writes Build() to `path`.
  void WriteTo(const std::string& path) const;

 private:
  struct Hit {
    std::uint64_t owner;
    std::uint64_t pc;
    std::uint64_t tag;
    std::vector<spool::Count> counts;
  };
  struct Phase {
    std::string name;
    spool::PhaseRecord record;
  };
  spool::Header header_;
  std::vector<Mapping> mappings_;
  std::vector<spool::ThreadRecord> threads_;
  std::vector<Hit> hits_;
  std::vector<spool::RoutineRecord> routines_;
  std::vector<spool::ChainNode> chains_;
  std::vector<Phase> phases_;
  std::vector<spool::ThreadSlicesRecord> thread_slices_;
  std::vector<spool::PlaceSlicesRecord> place_slices_;
  std::vector<spool::WaitSiteRecord> wait_sites_;
  std::vector<spool::LockRecord> locks_;
  std::vector<spool::HolderRecord> holders_;
  std::vector<spool::MomentRecord> moments_;
  std::vector<spool::TimedSampleRecord> timed_;
  std::vector<spool::SwitchRecord> switches_;
  std::vector<spool::ChainEndRecord> chain_ends_;
  struct PythonCode {
    std::string name;
    std::string file;
    std::string lines;
    std::uint32_t first_line;
  };
  std::vector<PythonCode> python_code_;
  std::vector<spool::PythonStateRecord> python_states_;
  std::vector<std::pair<spool::RunFactsRecord, std::string>> run_facts_;
  std::string configuration_;
};

/// Copies `text` into a fixed, NUL-terminated field.
template <std::size_t N>
void SetText(char (&field)[N], std::string_view text) {
  const std::size_t n = text.size() < N - 1 ? text.size() : N - 1;
  for (std::size_t i = 0; i < N; ++i) field[i] = i < n ? text[i] : '\0';
}

}  // namespace csink::testing
