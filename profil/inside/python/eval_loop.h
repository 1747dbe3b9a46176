#pragma once

#include <cstddef>
#include <cstdint>

#include "profil/inside/chains/code_facts.h"

namespace csink {

/// The code of the function that evaluates bytecode (_PyEval_EvalFrameDefault): its own range, and
/// the rarely executed parts that the compiler put elsewhere, which only its jumps tell.
/// Threads: one at a time. Signals: safe (eval_loop_signal.cpp); Find makes system calls.
class EvalLoop {
 public:
  /// Reads the function at `address`. Returns false if its unwind table or its code cannot be read.
  /// The caller has called facts.Begin.
  bool Find(CodeFacts& facts, std::uint64_t address) noexcept;
  /// Whether `pc` is in the function.
  bool Contains(std::uint64_t pc) const noexcept {
    for (std::size_t i = 0; i < count_; ++i) {
      if (pc - parts_[i].begin < parts_[i].bytes) return true;
    }
    return false;
  }
  /// Whether the frame of the function is not set up yet at `pc`: calls between Python functions
  /// enter behind it.
  bool IsPrologue(std::uint64_t pc) const noexcept {
    return count_ != 0 && pc - parts_[0].begin < prologue_bytes_;
  }

 private:
  struct Part {
    std::uint64_t begin;
    std::uint64_t bytes;
  };
  static constexpr std::size_t kMaxParts = 8;
  /// Adds the part in which `target` of a jump lies, if it is one of this function.
  void Follow(CodeFacts& facts, std::uint64_t target) noexcept;

  std::size_t count_ = 0;
  Part parts_[kMaxParts] = {};
  std::uint64_t prologue_bytes_ = 0;
  std::size_t other_count_ = 0;
  Part others_[kMaxParts] = {};  ///< Other functions to which it jumps
};

}  // namespace csink
