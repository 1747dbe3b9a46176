#pragma once

#include "agent/unwind/far_walk.h"
#include "profil/chains/caller_walk.h"

namespace csink::agent {

/// Stacks whose rules are beyond CodeFacts, walked by libagent-unwind.so.
///
/// Owns:    a stack of its own: libunwind needs more than a thread's end may have left.
/// Threads: one at a time (the collector's lock). Signals: Walk is safe, with all signals blocked;
///          Load is not.
class LibunwindWalker final : public UnwinderWalk {
 public:
  /// Opens the library beside this one. False: `why` says what stands against it.
  bool Load(const char*& why) noexcept;
  bool Walk(const StackSample& sample, CodeFacts& facts, Callers& out) noexcept override;
  /// In a forked child: when another thread was walking, libunwind's lock is taken for ever.
  void ProcessForked() noexcept {
    if (inside_) walk_ = nullptr;
  }

 private:
  void WalkHere() noexcept;

  CsinkUnwindWalk* walk_ = nullptr;
  bool inside_ = false;
  const StackSample* sample_ = nullptr;
  CodeFacts* facts_ = nullptr;
  Callers* out_ = nullptr;
};

}  // namespace csink::agent
