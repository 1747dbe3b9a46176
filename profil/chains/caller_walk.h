#pragma once

#include <cstddef>
#include <cstdint>

#include "core/perf/stack_sample.h"
#include "profil/chains/code_facts.h"

namespace csink {

/// The callers of one sample, innermost first. Not initialised: Clear before use.
struct Callers {
  /// The kernel's chain, and frames that only the tables find
  static constexpr std::size_t kMax = StackSample::kMaxAddresses + 32;

  std::size_t count;  ///< Number of valid entries of pc and interrupted
  bool cut;           ///< The stack continues, but could not be walked further
  bool deep;          ///< ... because it is deeper than the limit
  bool complete;      ///< According to the unwind tables, the last one has no caller
  std::uint64_t pc[kMax];
  /// pc is an interrupted PC, not a return address: a signal frame
  bool interrupted[kMax];

  void Clear() noexcept {
    count = 0;
    cut = deep = complete = false;
  }
  /// Appends a caller; sets `deep` if there is no room.
  void Add(std::uint64_t address, bool was_interrupted = false) noexcept {
    if (count == kMax) {
      deep = true;
      return;
    }
    interrupted[count] = was_interrupted;
    pc[count++] = address;
  }
};

/// Walks stacks whose unwind rules CodeFacts cannot represent.
class UnwinderWalk {
 public:
  /// Finds all callers of `sample` from the start and replaces `out`. Returns false if the walker
  /// is not available now; `out` is unchanged.
  virtual bool Walk(const StackSample& sample, CodeFacts& facts, Callers& out) noexcept = 0;

 protected:
  ~UnwinderWalk() = default;
};

/// What is known of the frame pointer register of a sample.
enum class FramePointer : bool {
  kSampled,  ///< The register was recorded
  kUnknown,  ///< As in /proc/PID/task/TID/syscall, which has the stack pointer and the PC alone
};

/// Finds the callers of `sample`; the result replaces `out`.
///
/// The kernel follows frame pointers only. If the innermost function has not yet set up its frame,
/// has none (memcpy), or uses the register for other values (malloc), the kernel's chain lacks the
/// function's caller, or is empty. So the unwind tables are used first: as long as their rules are
/// based on the stack pointer, the caller is found in the copied words of the stack. When a rule is
/// based on the frame pointer, and that register still has the value with which the kernel began,
/// the kernel's chain is used from there. For code without tables (JIT) the kernel's chain is used.
///
/// A rule that CodeFacts cannot represent is passed to `far`; without `far` (nullptr) the chain is
/// cut.
///
/// Where the frame pointer is not known and a rule is based on it, its value is computed from the
/// prologue of the function (ReserveOf) and the stack pointer. It is used only if the frame that it
/// gives, and the caller's frame, have a return address behind a call.
///
/// The chain ends where an address is not code behind a call (damaged stack), or at a known root.
/// Threads: as CodeFacts. Signals: safe (caller_walk_signal.cpp).
void WalkCallers(const StackSample& sample, CodeFacts& facts, UnwinderWalk* far, Callers& out,
                 FramePointer frame_pointer = FramePointer::kSampled) noexcept;

}  // namespace csink
