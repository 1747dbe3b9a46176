#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>

#include "agent/lifecycle/exec_target.h"
#include "agent/lifecycle/outside_exec.h"
#include "agent/settings/config.h"

namespace csink::agent {

/// What becomes of the agent when a program is executed: whether the new image's environment is
/// changed (CSINK_FOLLOW, programs that libagent.so would break), and whether a message says that
/// the image cannot be followed. The process has one policy, also when the process itself is not
/// profiled. The program's own environment is never changed: a changed one is a new list of
/// pointers on the stack of the exec hook.
///
/// Threads: Start once, in the constructor; the rest any, also a vfork child, because they change
///          nothing.
/// Signals: safe except Start.
class ExecPolicy {
 public:
  /// Reads CSINK_FOLLOW from `config` and, for CSINK_FOLLOW=all, copies libagent.so's entry of
  /// LD_PRELOAD and the CSINK_* variables: the program may overwrite its environment. Variables
  /// beyond kMostVariables or kMostText are not kept.
  void Start(const Config& config, char* const* environment) noexcept;

  /// True before Start: there is nothing to do for any exec, so that the hook need not even look at
  /// the arguments.
  bool idle() const noexcept { return !busy_; }

  /// Why a program cannot be followed, and when that was found. `why` is kNone if it can.
  struct Refused {
    spool::Refusal why = spool::Refusal::kNone;
    std::uint64_t monotonic_ns = 0;
    Text<512> path;
  };
  /// Whether the program at `target` cannot be followed.
  Refused Examine(const ExecTarget& target, char* const* envp) const noexcept;
  /// Records in the tree's file, or prints at CSINK_LOG=info, what Examine found of the program of
  /// process `pid`. Silent if it can be followed.
  void Announce(const Refused& refused, pid_t pid) const noexcept;

  /// How an environment has to be changed. `strip`: the agent is taken out, otherwise it is put in;
  /// `only_preload`: the agent is taken out of LD_PRELOAD, because the program would die of it
  /// (musl's dynamic linker loads libagent.so and does not find glibc's symbols), and CSINK_* stay;
  /// `variables`: number of pointers in the old list; `bytes`: room that Apply needs, 0: no change.
  struct Change {
    bool strip = false;
    bool only_preload = false;
    std::size_t variables = 0;
    std::size_t bytes = 0;
  };
  /// The change for this exec. `envp` may be nullptr, which exec takes for an empty list; every
  /// string must be readable (MayReadTexts).
  Change PlanFor(const ExecTarget& target, char* const* envp) const noexcept;
  /// True if this exec is to be an exec of csink-attach, with arguments by `plan` and an
  /// environment by `change` (without libagent.so in LD_PRELOAD): in a tree of `csink run`, for
  /// programs that cannot be preloaded (PlanOutsideExec). False where settings would not hold
  /// there: selected processes, pauses, another source than perf events.
  bool PlanOutside(const ExecTarget& target, char* const* envp, OutsideExec& plan,
                   Change& change) const noexcept;
  /// Builds the changed list in `room` (change.bytes, aligned to 8 bytes) and returns it. Unchanged
  /// strings are shared with `envp`. The result lives as long as `room`.
  char* const* Apply(const Change& change, char* const* envp, void* room) const noexcept;

 private:
  /// True if LD_PRELOAD in `envp` contains libagent.so.
  bool HasUs(char* const* envp) const noexcept;
  /// Bytes of a changed list of `pointers` variables, with the texts of LD_PRELOAD rewritten.
  std::size_t RoomFor(char* const* envp, std::size_t pointers) const noexcept;
  /// True if the agent is in `envp` and the program would not start with it.
  bool WouldBreak(const ExecTarget& target, char* const* envp) const noexcept;
  char* const* Strip(const Change& change, char* const* envp, char** out,
                     char* text) const noexcept;
  char* const* Add(char* const* envp, char** out, char* text) const noexcept;
  void Keep(const char* variable) noexcept;

  static constexpr std::size_t kMostVariables = 48;
  static constexpr std::size_t kMostText = 8 * 1024;
  /// idle() is false. All members are zero before Start, so the object lies in .bss
  bool busy_ = false;
  /// Announce has something to do
  bool examine_ = false;
  /// The settings permit PlanOutside
  bool outside_ = false;
  Follow follow_ = Follow::kNone;
  std::uint64_t tree_ = 0;      ///< 0: no tree; else refusals are recorded in its folder
  char tree_folder_[512] = {};  ///< NUL-ended
  std::size_t kept_count_ = 0;
  std::size_t kept_bytes_ = 0;
  /// The CSINK_*=... of the start; pointers into kept_text_
  const char* kept_[kMostVariables] = {};
  char kept_text_[kMostText] = {};
  /// The entry of LD_PRELOAD that names this libagent.so, and with a colon that of
  /// libcsink-critical.so; empty: unknown
  char agent_[800] = {};
};

/// The policy of this process. Threads: any. Signals: safe.
ExecPolicy& TheExecPolicy() noexcept;

}  // namespace csink::agent
