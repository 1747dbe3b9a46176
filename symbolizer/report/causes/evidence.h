#pragma once

#include <array>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "symbolizer/report/causes/code_side.h"
#include "symbolizer/report/compare/baseline.h"
#include "symbolizer/report/compare/row_keys.h"
#include "symbolizer/report/data/change_causes.h"
#include "symbolizer/report/data/comparison.h"

/// File: what both sides of a comparison know, matched, and corrected for the speed of the machine.
/// The rules (rules.h) look at it.

namespace csink::report {

/// One amount in each run of both sides.
struct Amounts {
  std::vector<double> was;
  std::vector<double> now;
  double was_mean = 0;
  double now_mean = 0;
  /// Of no change: the smallest of Welch's test, of the rank test where all runs of a side are
  /// above all of the other (five a side at least), and of the paired test of the logarithms where
  /// the runs took turns. 1 with a single run on a side.
  double p_value = 1;

  double Added() const { return now_mean - was_mean; }
};

/// The runs of both sides. Everything that it refers to must outlive it.
struct ComparedSides {
  const Comparison& comparison;
  const std::vector<Baseline>& now;
  const std::vector<Baseline>& then;
  const CodeSide* now_code = nullptr;  ///< nullptr: it was not read
  const CodeSide* then_code = nullptr;
};

/// The arguments of a command, behind the program.
std::string ArgumentsOf(const std::string& command);

/// What a wait is called in a cause: its kind, or "fsync" for calls that bring data to the disk.
std::string WaitName(const RunDetails::Wait& wait);

/// Whether it is known for what a thread waits so. In a futex of its own a runtime also keeps its
/// idle threads.
inline bool IsKnownWait(const std::string& name) { return name != "futex"; }

/// Blocked time of one WaitName.
struct WaitSum {
  std::string name;
  Amounts seconds;
  /// What it grew by beyond the run: a thread that waits as long as the run lasts waits longer in a
  /// longer run.
  double excess = 0;
};

class ChangeEvidence {
 public:
  using Key = RowKeys::Key;

  explicit ChangeEvidence(const ComparedSides& sides);

  const ComparedSides& sides() const { return sides_; }
  const std::vector<TimePart>& parts() const { return parts_; }
  bool is_slower() const { return is_slower_; }
  /// A part is larger by enough, beyond the error or not.
  bool MayBeSlower() const { return may_be_slower_; }
  double added() const { return added_; }
  std::optional<double> drift() const { return drift_; }
  /// Share of the added time; 0 if none was added.
  double ShareOf(double seconds) const { return added_ > 0 ? seconds / added_ : 0; }
  /// Seconds that user, kernel or blocked time has grown; 0: it has not, beyond the error.
  double AddedIn(const char* part) const;

  /// A function of either side. Times are divided by the drift.
  struct Function {
    Key key;
    std::string name;  ///< As in reports of the side that has it; the later one first
    std::string module;
    std::string was_name;  ///< Of the earlier side; empty: it has no samples there
    std::string was_module;
    Amounts seconds;
    const CodeFacts* was_code = nullptr;
    const CodeFacts* now_code = nullptr;
    /// Another name on each side: other parameters or template arguments, or the same code under
    /// another name.
    bool is_renamed = false;
    bool HasSameCode() const { return was_code && now_code && was_code->texts == now_code->texts; }
  };
  /// All functions, those that grew most first.
  const std::vector<Function>& functions() const { return functions_; }
  /// Those that grew by more than 5 % of the added time, with p below 2 %.
  std::vector<const Function*> Grown() const;
  /// Whether both sides ran the same code of the function: equal instructions, or one build.
  bool IsSameCode(const Function& function) const;
  /// Whether the function grew by more than twice what other functions with the same code scatter.
  /// Without four such functions: whether the runs took turns, so that the machine was the same.
  bool StandsOut(const Function& function) const;
  /// Whether the module is the program that was measured.
  bool IsProgram(const std::string& module, DiffSide side) const;
  /// Build-id of a module by its base name; empty: not known.
  std::string BuildOf(const std::string& module, DiffSide side) const;
  /// Whether the module has the same build-id on both sides; false also if it is not known.
  bool IsSameBuild(const std::string& was_module, const std::string& now_module) const;
  /// Nothing that could change what the program does differs: builds, arguments, inputs, tunables.
  bool nothing_differs() const { return nothing_differs_; }

  /// Blocked time by what was waited for; empty unless every run has waits.
  const std::vector<WaitSum>& waits() const { return waits_; }

  /// An amount of each run.
  Amounts Of(const std::function<double(const Baseline&)>& amount) const;
  /// Seconds of each class of library code, by innermost functions or, for those of IsByChain, by
  /// call chains where that is more. Divided by the drift.
  const std::array<Amounts, kLibraryClasses>& library() const { return library_; }
  bool HasFacts() const;  ///< Every run has RunFactsSum
  bool HasCalls() const;  ///< Every run's facts have the calls and bytes
  bool HasWaits() const;  ///< Every run has recorded waits
  /// Value of the surroundings on each side: of the first run. Empty: not known.
  std::pair<std::string, std::string> Surroundings(const std::string& name) const;

 private:
  void ReadFunctions();
  void MatchRenamed();
  void MatchByCode();
  void Join(std::size_t now, std::size_t was);
  void FindDrift();
  void CorrectByDrift();
  void JudgeParts();
  void ReadWaits();
  void ReadLibrary();
  void CompareSurroundings();
  Amounts Test(std::vector<double> was, std::vector<double> now) const;
  double EventSeconds(const Baseline& run) const;

  ComparedSides sides_;
  RowKeys keys_;
  bool took_turns_ = false;
  std::vector<Function> functions_;
  std::vector<TimePart> parts_;
  std::array<Amounts, kLibraryClasses> library_;
  std::vector<WaitSum> waits_;
  bool is_slower_ = false;
  bool may_be_slower_ = false;
  bool nothing_differs_ = false;
  double added_ = 0;
  std::optional<double> drift_;
  std::vector<double> now_factors_;  ///< By run
  std::vector<double> then_factors_;
};

}  // namespace csink::report
