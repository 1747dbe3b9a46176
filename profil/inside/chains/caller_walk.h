#pragma once

#include <cstddef>
#include <cstdint>

#include "core/perf/stack_sample.h"
#include "profil/format/chain_end.h"
#include "profil/inside/chains/code_facts.h"

namespace csink {

/// The callers of one sample, innermost first. Not initialised: Clear before use.
struct Callers {
  /// The kernel's chain, and frames that only the tables find
  static constexpr std::size_t kMax = StackSample::kMaxAddresses + 32;

  std::size_t count;   ///< Number of valid entries of pc and interrupted
  std::uint64_t from;  ///< The interrupted address, of which they are the callers; 0: not known
  /// Why there are no more: kUnknown if the last one decides that, as a root or an address that is
  /// no return address
  spool::ChainEnd end;
  std::uint64_t end_pc;  ///< The code at which the walk ended; 0: that of the last caller
  /// The first of the callers that the kernel found by frame pointers where the tables did not lead
  /// on. They are worth less: if they do not lead to a root, the chain's end is `end`.
  std::size_t guessed_from;
  std::uint64_t pc[kMax];
  /// pc is an interrupted PC, not a return address: a signal frame
  bool interrupted[kMax];

  void Clear() noexcept {
    count = 0;
    end = spool::ChainEnd::kUnknown;
    from = end_pc = 0;
    guessed_from = kMax;
  }
  void EndAt(spool::ChainEnd why, std::uint64_t code = 0) noexcept {
    end = why;
    end_pc = code;
  }
  /// Appends a caller. Returns false if there is no room; the end is kDepth then.
  bool Add(std::uint64_t address, bool was_interrupted = false) noexcept {
    if (count == kMax) {
      EndAt(spool::ChainEnd::kDepth);
      return false;
    }
    interrupted[count] = was_interrupted;
    pc[count++] = address;
    return true;
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

/// Why the word at `address` is not in the copy of the sample's stack: kCopyEnded or kOutsideStack.
spool::ChainEnd WhyNotCopied(const StackSample& sample, std::uint64_t address) noexcept;

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
/// cut. `out.end` says what was seen where the walk ended (spool::ChainEnd).
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
