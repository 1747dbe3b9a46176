#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "profil/model/profile.h"
#include "profil/reader/reader.h"

namespace csink {

/// What a profile keeps apart. With no option set, a place is only (module, offset), which is
/// smallest and fastest. Each kept caller, mark and thread makes places of its own.
struct MergeOptions {
  bool keep_callers = false;
  bool keep_phases = false;
  bool keep_threads = false;
  /// If not empty: only samples after this mark (implies keep_phases).
  std::string only_phase = {};
  /// Further rows are summed up in one row; this limits the memory for a merge of many spools.
  std::size_t max_processes = ~std::size_t{0};
  std::size_t max_threads = ~std::size_t{0};
  std::size_t max_callers = std::size_t{1} << 20;
};

/// Sums spools into one Profile.
///
/// Event columns are matched by name and mode (period or frequency). Weights are numbers of events,
/// so that different periods can be added. Modules are matched by build id, else by path, device
/// and inode; anonymous code of different processes never matches. Callers are matched by their
/// whole chain, marks by name. A merged file (merged_file.h) counts as the spools that it was made
/// from.
/// Threads: one owner.
class ProfileMerger {
 public:
  explicit ProfileMerger(MergeOptions options = {});
  ~ProfileMerger();
  ProfileMerger(const ProfileMerger&) = delete;
  ProfileMerger& operator=(const ProfileMerger&) = delete;

  /// Adds a spool, which is not needed afterwards. `path` is kept for messages.
  void Add(const spool::Spool& spool, ProcessState state, const std::string& path);

  /// Adds a program of the tree that has no spool. If there are many different ones, some share a
  /// row.
  void AddNotFollowed(const std::string& program, const std::string& why, std::uint64_t times);
  /// Adds a line about damage to Profile::problems.
  void AddProblem(std::string problem);

  /// Returns the sum; the merger is empty afterwards. Processes are sorted by (start time, pid,
  /// generation), places by (module, offset).
  Profile Finish();

 private:
  struct State;
  MergeOptions options_;
  std::unique_ptr<State> state_;
};

}  // namespace csink
