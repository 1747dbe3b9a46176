#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "profil/model/profile.h"
#include "profil/reader/reader.h"

namespace csink {

/// What a profile keeps apart. Without any of it places are (module, offset) alone, which is the
/// smallest and fastest: a place more is made for each caller, mark and thread that is kept.
struct MergeOptions {
  bool keep_callers = false;
  bool keep_phases = false;
  bool keep_threads = false;
  /// Not empty: samples of this mark alone (implies keep_phases).
  std::string only_phase = {};
  /// Rows beyond are summed in one more: the memory of a merge of many spools is bounded.
  std::size_t max_processes = ~std::size_t{0};
  std::size_t max_threads = ~std::size_t{0};
  std::size_t max_callers = std::size_t{1} << 20;
};

/// Sums spools into one Profile.
///
/// Event columns meet by name and mode (period or frequency); weights are in
/// events, so different periods still add. Modules meet by build-id, else by
/// path, device and inode; anonymous code never meets another process's. Callers
/// meet by their whole chain, marks by their name. A merged file (merged_file.h)
/// counts as the spools that it was made of.
/// Threads: one owner.
class ProfileMerger {
 public:
  explicit ProfileMerger(MergeOptions options = {});
  ~ProfileMerger();
  ProfileMerger(const ProfileMerger&) = delete;
  ProfileMerger& operator=(const ProfileMerger&) = delete;

  /// Adds a spool; it is not needed afterwards. `path` is kept for messages.
  void Add(const spool::Spool& spool, ProcessState state, const std::string& path);

  /// Something of a tree that is in no spool. Of many different programs some share one row.
  void AddNotFollowed(const std::string& program, const std::string& why, std::uint64_t times);
  /// Damage, one line; Profile::problems.
  void AddProblem(std::string problem);

  /// The sum; the merger is empty afterwards. Processes are in the order of
  /// (start time, pid, generation), places in that of (module, offset).
  Profile Finish();

 private:
  struct State;
  MergeOptions options_;
  std::unique_ptr<State> state_;
};

}  // namespace csink
