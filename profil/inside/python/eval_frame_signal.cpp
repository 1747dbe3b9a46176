#include <cstring>

#include "profil/inside/chains/caller_walk.h"
#include "profil/inside/python/eval_frame.h"

/// File: a walk as in chains/caller_walk_signal.cpp, which also restores the registers that
/// functions keep: one of them may point to the bytecode. Without these it must not guess, so that
/// it ends where the tables do.

namespace csink {
namespace {

constexpr std::uint32_t kMaxFrames = 96;

constexpr std::uint64_t Bit(std::size_t number) noexcept { return std::uint64_t{1} << number; }

std::uint64_t At(std::uint64_t base, std::int32_t offset) noexcept {
  return base + static_cast<std::uint64_t>(std::int64_t{offset});
}

// One walk. `frame_` has the registers of the frame where it is.
class Walk {
 public:
  Walk(const StackSample& sample, CodeFacts& facts, EvalFrame& frame) noexcept
      : sample_(sample), facts_(facts), frame_(frame) {}

  // The CFA of the present frame. False: not known.
  bool Cfa(const FrameRule& rule) noexcept {
    switch (rule.base) {
      case FrameRule::Base::kStackPointer:
        frame_.cfa = At(frame_.registers[kStackPointerRegister], rule.cfa_offset);
        return true;
      case FrameRule::Base::kFramePointer:
        if (!Knows(kFramePointerRegister)) return Cut(spool::ChainEnd::kNoFramePointer);
        frame_.cfa = At(frame_.registers[kFramePointerRegister], rule.cfa_offset);
        return true;
      case FrameRule::Base::kFramePointerWord:
        if (!Knows(kFramePointerRegister)) return Cut(spool::ChainEnd::kNoFramePointer);
        return Word(At(frame_.registers[kFramePointerRegister], rule.cfa_offset), frame_.cfa);
      case FrameRule::Base::kOutermost:
        return Cut(spool::ChainEnd::kOutermost);
      case FrameRule::Base::kUnsupported:
        return Cut(spool::ChainEnd::kRule);
      case FrameRule::Base::kUnknown:
        return Cut(spool::ChainEnd::kNoRows);
    }
    return false;
  }

  // Goes to the caller, behind Cfa.
  bool Up(const FrameRule& rule) noexcept {
    std::uint64_t caller = 0;
    if (rule.return_in_register) return Cut(spool::ChainEnd::kRule);
    if (!Word(At(frame_.cfa, rule.return_offset), caller)) return false;
    for (std::size_t i = 0; i < kKeptRegisterCount; ++i) {
      const std::size_t number = kKeptRegisters[i];
      if (rule.kept[i] == 0) continue;
      frame_.known &= ~Bit(number);
      if (rule.kept[i] > 0 &&
          sample_.Word(At(frame_.cfa, -8 * rule.kept[i]), frame_.registers[number])) {
        frame_.known |= Bit(number);
      }
    }
    if (rule.frame_pointer_saved) {
      const std::uint64_t base =
          rule.frame_pointer_at_frame ? frame_.registers[kFramePointerRegister] : frame_.cfa;
      frame_.known &= ~Bit(kFramePointerRegister);
      if (sample_.Word(At(base, rule.frame_pointer_offset),
                       frame_.registers[kFramePointerRegister])) {
        frame_.known |= Bit(kFramePointerRegister);
      }
    }
    frame_.registers[kStackPointerRegister] = frame_.cfa;
    frame_.registers[kPcRegister] = caller;
    // A call leaves only these.
    std::uint64_t kept = Bit(kFramePointerRegister) | Bit(kStackPointerRegister) | Bit(kPcRegister);
    for (const std::uint8_t number : kKeptRegisters) kept |= Bit(number);
    frame_.known &= kept;
    const CodeFacts::Return what = facts_.Look(caller).what;
    if (what == CodeFacts::Return::kAfterCall) return true;
    return Cut(what == CodeFacts::Return::kRoot ? facts_.RootOf(caller)
                                                : spool::ChainEnd::kNotAfterCall);
  }

  spool::ChainEnd why() const noexcept { return why_; }

 private:
  bool Knows(std::size_t number) const noexcept { return (frame_.known & Bit(number)) != 0; }
  bool Word(std::uint64_t address, std::uint64_t& word) noexcept {
    return sample_.Word(address, word) || Cut(WhyNotCopied(sample_, address));
  }
  bool Cut(spool::ChainEnd why) noexcept {
    why_ = why;
    return false;
  }

  const StackSample& sample_;
  CodeFacts& facts_;
  EvalFrame& frame_;
  spool::ChainEnd why_ = spool::ChainEnd::kUnknown;
};

}  // namespace

bool FindEvalFrame(const StackSample& sample, CodeFacts& facts, const EvalLoop& loop,
                   EvalFrame& frame, spool::ChainEnd& why) noexcept {
  why = spool::ChainEnd::kNoCallers;
  if (!sample.has_registers) return false;
  std::memcpy(frame.registers, sample.registers, sizeof frame.registers);
  frame.known = Bit(kStackRegisters) - 1;
  Walk walk(sample, facts, frame);
  for (std::uint32_t step = 0; step < kMaxFrames; ++step) {
    const std::uint64_t pc = frame.registers[kPcRegister];
    const FrameRule rule = facts.Rule(step == 0 ? pc : pc - 1);
    const bool has_cfa = walk.Cfa(rule);
    if (loop.Contains(step == 0 ? pc : pc - 1) && !(step == 0 && loop.IsPrologue(pc))) {
      why = walk.why();
      frame.is_leaf = step == 0;
      frame.callers = step;
      return has_cfa;
    }
    if (!has_cfa || !walk.Up(rule)) {
      why = walk.why();
      return false;
    }
  }
  why = spool::ChainEnd::kDepth;
  return false;
}

}  // namespace csink
