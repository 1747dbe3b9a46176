#pragma once

#include "agent/unwind/far_walk.h"
#include "profil/inside/chains/caller_walk.h"

namespace csink::agent {

/// Walks stacks whose rules CodeFacts cannot represent, by libagent-unwind.so, which uses
/// libunwind.
/// Owns:    a stack of its own: libunwind needs more than the thread that drains may have left.
/// Threads: one at a time (the collector's lock). Signals: Walk is safe, with all signals blocked;
///          Load is not.
class LibunwindWalker final : public UnwinderWalk {
 public:
  /// Opens libagent-unwind.so beside this library and starts it. Returns false if that fails; `why`
  /// then says the reason: a literal, or the text of dlerror.
  bool Load(const char*& why) noexcept;
  /// UnwinderWalk: finds all callers of `sample` from the start. Returns false if the library is
  /// not loaded or the sample has no registers. `out` is replaced.
  bool Walk(const StackSample& sample, CodeFacts& facts, Callers& out) noexcept override;
  /// True if the caller runs on the walk's stack: libunwind has called it. libunwind blocks all
  /// signals around its locks, with a function of the C library that the agent interposes.
  /// Threads: any. Signals: safe.
  static bool OnWalkStack() noexcept;
  /// In a forked child: if another thread of the parent was inside libunwind, libunwind's lock
  /// stays taken for ever. The library is then not used any more.
  void ProcessForked() noexcept {
    if (inside_) walk_ = nullptr;
  }

 private:
  /// The walk itself, on the stack of this class.
  void WalkHere() noexcept;

  CsinkUnwindWalk* walk_ = nullptr;
  /// A walk is under way
  bool inside_ = false;
  /// The arguments of the walk, for WalkHere
  const StackSample* sample_ = nullptr;
  CodeFacts* facts_ = nullptr;
  Callers* out_ = nullptr;
};

}  // namespace csink::agent
