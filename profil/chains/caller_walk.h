#pragma once

#include <cstddef>
#include <cstdint>

#include "core/perf/stack_sample.h"
#include "profil/chains/code_facts.h"

namespace csink {

/// The callers of one sample, innermost first.
struct Callers {
  static constexpr std::size_t kMax = StackSample::kMaxAddresses + 32;

  std::size_t count;
  bool cut;       ///< It goes on from the last one, but could not be followed
  bool deep;      ///< ... because it is deeper than what is recorded
  bool complete;  ///< The unwind tables say that the last one has no caller
  std::uint64_t pc[kMax];
  bool interrupted[kMax];  ///< Not a return address: where a signal handler came in between

  void Clear() noexcept {
    count = 0;
    cut = deep = complete = false;
  }
  void Add(std::uint64_t address, bool was_interrupted = false) noexcept {
    if (count == kMax) {
      deep = true;
      return;
    }
    interrupted[count] = was_interrupted;
    pc[count++] = address;
  }
};

/// Walks stacks whose rules are beyond CodeFacts.
class FarWalk {
 public:
  /// All callers anew. False: it cannot be asked, and `out` is as it was.
  virtual bool Walk(const StackSample& sample, CodeFacts& facts, Callers& out) noexcept = 0;

 protected:
  ~FarWalk() = default;
};

/// Finds the callers of `sample`.
///
/// The kernel follows frame pointers. Where the innermost function has not set up its frame, has
/// none (memcpy), or uses the register for something else (malloc), the kernel's chain lacks its
/// caller, or is none. So the unwind tables are asked first: while they say that the caller is
/// found from the stack pointer, the copied words of the stack give it; once they say that it is
/// found from a frame pointer, and that is still the one which the kernel began with, the kernel's
/// chain goes on from there. Without tables (JIT code) the kernel's chain is believed.
///
/// A rule that is beyond CodeFacts is left to `far`; without that the chain is cut.
///
/// The chain ends where an address is no code behind a call (broken stack), or at a known root.
/// Signals: safe (caller_walk_signal.cpp).
void WalkCallers(const StackSample& sample, CodeFacts& facts, FarWalk* far, Callers& out) noexcept;

}  // namespace csink
