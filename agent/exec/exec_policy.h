#pragma once

#include <cstddef>

#include "agent/exec/exec_target.h"
#include "agent/settings/config.h"

namespace csink::agent {

/// What becomes of the agent when a program is executed: whether the new image's
/// environment is changed, and whether it is said that the image cannot be followed.
/// One for the process, also when the process itself is not profiled. The program's
/// own environment is never touched: a changed one is a list of pointers on the stack.
///
/// Threads: Start once, in the constructor; the rest any, also a vfork child.
/// Signals: safe but for Start.
class ExecPolicy {
 public:
  /// `environment` is copied as far as it is ours: a program may overwrite its own.
  void Start(const Config& config, char* const* environment) noexcept;

  /// Nothing to do for any exec.
  bool idle() const noexcept { return !busy_; }

  /// Says in the tree's records or at CSINK_LOG=info when the program cannot be followed.
  void Announce(const ExecTarget& target, char* const* envp) const noexcept;

  /// How an environment has to be changed. `bytes`: what Apply needs, 0: not at all.
  struct Change {
    bool strip = false;
    std::size_t variables = 0;
    std::size_t bytes = 0;
  };
  Change PlanFor(const ExecTarget& target, char* const* envp) const noexcept;
  /// `room`: change.bytes, 8-aligned; lives as long as the exec.
  char* const* Apply(const Change& change, char* const* envp, void* room) const noexcept;

 private:
  bool HasUs(char* const* envp) const noexcept;
  char* const* Strip(char* const* envp, char** out, char* text) const noexcept;
  char* const* Add(char* const* envp, char** out, char* text) const noexcept;
  void Keep(const char* variable) noexcept;

  static constexpr std::size_t kMostVariables = 48;
  static constexpr std::size_t kMostText = 8 * 1024;
  bool busy_ = false;  // all zero before Start: .bss
  bool examine_ = false;
  Follow follow_ = Follow::kNone;
  char tree_file_[512] = {};  ///< Where refusals are recorded; empty: no tree
  std::size_t kept_count_ = 0;
  std::size_t kept_bytes_ = 0;
  const char* kept_[kMostVariables] = {};  ///< CSINK_*=..., into kept_text_
  char kept_text_[kMostText] = {};
  char agent_[400] = {};  ///< Our entry of LD_PRELOAD
};

ExecPolicy& TheExecPolicy() noexcept;

}  // namespace csink::agent
