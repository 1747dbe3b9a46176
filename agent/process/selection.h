#pragma once

#include "agent/process/start_state.h"
#include "agent/settings/config.h"

namespace csink::agent {

/// Whether CSINK_FOLLOW, CSINK_INCLUDE and CSINK_EXCLUDE select this process. Most of the answer is
/// known at the start; whether the process creates a child (the item `leaf`) only at its end.
///
/// Owns:    the part of the answer that is open until the end.
/// Threads: AtStart: main, once. NoteChild: any, also a vfork child in this memory.
/// ForgetAfterFork:
///          the only thread of a forked child. No lock.
/// Signals: safe except AtStart.
class Selection {
 public:
  /// Returns whether the process is to be profiled at all. Prints a line for an item of the lists
  /// that cannot be understood, in the first process of a tree only. Reads files of /proc unless
  /// the settings are the default.
  bool AtStart(const Config& config, const StartState& start) noexcept;
  /// At the end of an image: whether what was sampled may be reported.
  bool AtEnd() const noexcept { return made_children_ != 0 ? !only_leaves_ : !only_parents_; }

  /// The program has called a function that makes a child.
  void NoteChild() noexcept { ++made_children_; }
  /// About how often that was: several threads may count at the same time.
  unsigned children() const noexcept { return made_children_; }
  /// In a forked child, which has made no child yet.
  void ForgetAfterFork() noexcept { made_children_ = 0; }

 private:
  bool only_leaves_ = false;   ///< A process that created a child is not reported
  bool only_parents_ = false;  ///< A process that created no child is not reported
  unsigned made_children_ = 0;
};

}  // namespace csink::agent
