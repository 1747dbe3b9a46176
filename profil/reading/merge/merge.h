#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "profil/reading/model/profile.h"
#include "profil/reading/reader/reader.h"

namespace csink {

/// Which of its two places a sample in Python code has in a profile.
enum class PythonView : std::uint8_t {
  kFunctions,  ///< The function; the machine code is Place::native
  kNative,     ///< The machine code
  kAsStored,   ///< The machine code, whose innermost caller is the function: for merged files
};

/// What a profile keeps apart. With no option set, a place is only (module, offset), which is
/// smallest and fastest: reports that need no callers use 16 % fewer instructions for 200,000
/// places. Each kept caller, mark and thread makes places of its own.
struct MergeOptions {
  /// Places are split by their chain of callers
  bool keep_callers = false;
  bool keep_phases = false;   ///< Places are split by mark
  bool keep_threads = false;  ///< Places are split by thread
  /// keep_threads for processes that mapped a runtime of OpenMP (openmp_runtime.h)
  bool keep_openmp_threads = false;
  /// Also sums by rank (Profile::ranks), which needs 16 bytes for each place of each rank. Without
  /// effect with only_phase: a merged file does not divide them by mark.
  bool keep_ranks = false;
  PythonView python = PythonView::kFunctions;
  /// If not empty: only samples after this mark (implies keep_phases).
  std::string only_phase = {};
  /// Rows beyond these numbers are summed up in one row ("more processes", "more threads"); this
  /// limits the memory for a merge of many spools.
  std::size_t max_processes = ~std::size_t{0};
  std::size_t max_threads = ~std::size_t{0};
  /// Beyond this number samples have no callers; Profile::problems says so
  std::size_t max_callers = std::size_t{1} << 20;
};

/// Sums spools into one Profile.
///
/// Event columns are matched by name and mode (period or frequency). Weights are numbers of events,
/// so that different periods can be added. Modules are matched by build id, else by path, device
/// and inode; anonymous code of different processes never matches. Callers are matched by their
/// whole chain, marks by name. A merged file (merged_file.h) counts as the spools that it was made
/// from.
///
/// Sums saturate at 2^64 - 1, because a damaged spool may claim any number.
/// Owns:    the profile until Finish.
/// Threads: one owner.
class ProfileMerger {
 public:
  explicit ProfileMerger(MergeOptions options = {});
  ~ProfileMerger();
  ProfileMerger(const ProfileMerger&) = delete;
  ProfileMerger& operator=(const ProfileMerger&) = delete;

  /// Adds a spool, which is not needed afterwards. `state`: how the process was found; `path` is
  /// kept for messages.
  void Add(const spool::Spool& spool, ProcessState state, const std::string& path);

  /// Adds a program of the tree that has no spool; `why`: words that follow its name; `times`: how
  /// often it was executed. If there are many different ones, some share a row.
  void AddNotFollowed(const std::string& program, const std::string& why, std::uint64_t times);
  /// Adds a line about damage to Profile::problems.
  void AddProblem(std::string problem);

  /// Returns the sum; the merger is empty afterwards. Processes are sorted by (start time, pid,
  /// generation), sums of many last; places by (module, offset, caller, phase, thread). Every
  /// counts vector has one element for each event.
  Profile Finish();

 private:
  struct State;
  MergeOptions options_;
  std::unique_ptr<State> state_;
};

}  // namespace csink
