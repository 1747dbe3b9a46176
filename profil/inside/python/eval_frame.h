#pragma once

#include <cstddef>
#include <cstdint>

#include "core/perf/stack_sample.h"
#include "profil/format/chain_end.h"
#include "profil/inside/chains/code_facts.h"
#include "profil/inside/python/eval_loop.h"

namespace csink {

/// The innermost frame of the evaluation loop on a sample's stack, with the registers as they were
/// in it.
struct EvalFrame {
  bool is_leaf;           ///< The sample is in the loop itself
  std::uint32_t callers;  ///< Return addresses up to and with the one in the loop; 0: is_leaf
  std::uint64_t cfa;
  std::uint64_t registers[kStackRegisters];
  std::uint64_t known;  ///< A bit for each register
};

/// Unwinds `sample` over its copied words to the loop. False: it was not found; `why` says where
/// the walk ended. The caller has called facts.Begin. Threads: one at a time. Signals: safe
/// (eval_frame_signal.cpp).
bool FindEvalFrame(const StackSample& sample, CodeFacts& facts, const EvalLoop& loop,
                   EvalFrame& frame, spool::ChainEnd& why) noexcept;

}  // namespace csink
