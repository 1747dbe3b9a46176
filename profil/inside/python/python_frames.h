#pragma once

#include <cstddef>
#include <cstdint>

#include "core/perf/stack_sample.h"
#include "profil/format/format.h"
#include "profil/inside/chains/caller_chains.h"
#include "profil/inside/chains/code_facts.h"
#include "profil/inside/python/code_objects.h"
#include "profil/inside/python/eval_frame.h"
#include "profil/inside/python/eval_loop.h"
#include "profil/inside/python/interpreter.h"
#include "profil/inside/spool/writer.h"

namespace csink {

/// Names the Python function that a sample was in, without a signal and without stopping anything:
/// the sample's stack is unwound to the interpreter's evaluation loop, one of whose registers or
/// words of its frame is an address inside the code object of the function.
///
/// Which of them it is depends on the build. It is learned by votes: in each of the first samples
/// every register and word that holds an address in a code object has a vote, and the places with
/// most votes are asked first. From 3.12 on that is the next instruction; 3.11 also keeps the first
/// one, which is preferred because it is never stale.
///
/// Owns:    a mapping of its own, backed by memory as it is used.
/// Threads: one at a time (the collector's lock).
/// Signals: safe (python_frames_signal.cpp); makes system calls.
class PythonFrames {
 public:
  /// Maps a new object. nullptr: out of memory. Never unmapped.
  static PythonFrames* Map(const PythonInterpreter& interpreter) noexcept;

  /// The chain of a sample whose callers are `chain` (0: not recorded), with its place in Python
  /// code in front; `chain` where there is none. `short_copy`: the copied part of the stack ended
  /// before the loop. Requires an open spool.
  std::uint32_t ChainOf(const StackSample& sample, CallerChains& chains, std::uint32_t chain,
                        RegionIndex& regions, SpoolWriter& spool, bool& short_copy) noexcept;
  /// Votes for the places that this sample shows, without an answer: for samples that wait for the
  /// spool, so that they have names as well.
  void Learn(const StackSample& sample, CodeFacts& facts, RegionIndex& regions,
             SpoolWriter& spool) noexcept;
  /// The interpreter is that of the process of thread `tid`, not of this process.
  void SetProcess(pid_t tid) noexcept { codes_.SetProcess(tid); }
  /// What was read of the program before may have changed.
  void NextDrain() noexcept { codes_.NextDrain(); }
  /// Forgets what is in the spool. For a forked child and a new start.
  void Clear() noexcept;

 private:
  /// The place of a sample in Python code.
  struct Place {
    std::uint32_t code;         ///< Id of the spool::PythonCodeRecord
    std::uint32_t instruction;  ///< Its offset in the code in bytes; spool::kNoInstruction: unknown
    bool is_leaf;               ///< The sample is in the evaluation loop itself, not in C below it
    std::uint32_t callers;      ///< As EvalFrame::callers
  };
  /// False: the sample is not in Python code, or it is not known where.
  bool PlaceOf(const StackSample& sample, CodeFacts& facts, RegionIndex& regions,
               SpoolWriter& spool, Place& place, bool& short_copy) noexcept;
  /// Places of an address: the registers, and then the words of the frame below the CFA.
  static constexpr std::size_t kWords = 128;
  static constexpr std::size_t kPlaces = kStackRegisters + kWords;
  static constexpr std::uint32_t kVoters = 128;
  /// Places with fewer votes than one of so many are not asked.
  static constexpr std::uint32_t kLeastPart = 32;

  /// Finds the loop once.
  bool IsReady(CodeFacts& facts) noexcept;
  bool ValueAt(std::size_t place, const EvalFrame& frame, const StackSample& sample,
               std::uint64_t& value) const noexcept;
  void Vote(const EvalFrame& frame, const StackSample& sample, RegionIndex& regions,
            SpoolWriter& spool) noexcept;
  /// Brings the places into the order of their votes.
  void Sort() noexcept;
  /// The code object at a place; nullptr: none there.
  const CodeObjects::Code* CodeAt(std::size_t place, const EvalFrame& frame,
                                  const StackSample& sample, RegionIndex& regions,
                                  SpoolWriter& spool, std::uint64_t reach,
                                  std::uint64_t& value) noexcept;
  spool::PythonStateRecord* State(SpoolWriter& spool) noexcept;

  PythonInterpreter interpreter_;
  enum class Loop : std::uint8_t { kNotSearched, kFound, kNotFound } loop_state_;
  EvalLoop loop_;
  std::uint32_t state_plus_one_;  ///< Id of the record in the spool
  std::uint32_t voters_;
  std::uint32_t votes_[kPlaces];        ///< Addresses in code
  std::uint32_t begin_votes_[kPlaces];  ///< Part of votes_: of the first instruction
  std::size_t order_count_;
  std::uint8_t order_[kPlaces];
  std::size_t line_count_;
  std::uint8_t line_order_[kPlaces];  ///< By votes for other instructions than the first
  std::size_t begin_place_plus_one_;  ///< The word that is always the first instruction
  CodeObjects codes_;
};

}  // namespace csink
