#include "core/machine/prologue.h"
#include "profil/inside/chains/caller_walk.h"

/// File: walks one stack. The state is what an unwinder knows of a frame: address of the code
/// (at_), stack pointer (stack_), frame pointer (frame_, if frame_known_), and how far the kernel's
/// chain was used (next_, chain_frame_). Each step applies the unwind rule of at_ to find the CFA
/// (the caller's stack pointer, DWARF 5, 6.4) and reads the return address and the saved frame
/// pointer there. All memory is read from the sample's copy of the stack.

namespace csink {
namespace {

// Limit for frames that are found by tables. Each frame lies at least one word higher in the copied
// stack.
constexpr int kMaxSteps = 256;

#if defined(__x86_64__)
// Offsets in the ucontext_t that is on top of the stack when a handler returns (sys/ucontext.h,
// x86-64).
constexpr std::uint64_t kContextFrame = 120;
constexpr std::uint64_t kContextStack = 160;
constexpr std::uint64_t kContextPc = 168;
constexpr bool kFollowsSignals = true;
#else
constexpr std::uint64_t kContextFrame = 0;
constexpr std::uint64_t kContextStack = 0;
constexpr std::uint64_t kContextPc = 0;
constexpr bool kFollowsSignals = false;
#endif
// A frame record is the caller's frame pointer and the return address.
constexpr std::uint64_t kFrameRecordBytes = 16;

std::uint64_t CodeAddress(std::uint64_t address) noexcept {
#if defined(__aarch64__)
  return address & 0x0000ffffffffffffull;  // Without the pointer authentication code
#else
  return address;
#endif
}

// One walk over one sample.
class Walk {
 public:
  Walk(const StackSample& sample, CodeFacts& facts, UnwinderWalk* far, Callers& out,
       FramePointer frame_pointer) noexcept
      : sample_(sample),
        facts_(facts),
        far_(far),
        out_(out),
        stack_(sample.stack_pointer()),
        frame_(sample.frame_pointer()),
        // No frame pointer is odd, so no frame is the one that the kernel began with.
        chain_frame_(frame_pointer == FramePointer::kSampled ? sample.frame_pointer() : 1),
        frame_known_(frame_pointer == FramePointer::kSampled),
        infers_(frame_pointer == FramePointer::kUnknown) {}

  void Run() noexcept {
    // In a sample of kernel mode the registers are those of user mode, and the first address of the
    // chain is where the system call or interrupt happened.
    in_kernel_ = static_cast<std::int64_t>(sample_.pc) < 0;
    if (in_kernel_ && sample_.address_count == 0) return out_.EndAt(End::kNoCallers);
    at_ = in_kernel_ ? sample_.addresses[0] : sample_.pc;
    if (in_kernel_) out_.Add(at_, true);
    for (int step = 0; step < kMaxSteps; ++step) {
      if (!sample_.has_registers) {
        return TakeChain(sample_.address_count == 0 ? End::kNoCallers : End::kFramePointers);
      }
      if (!Step(step == 0)) return;
    }
    out_.EndAt(End::kDepth);
  }

 private:
  using End = spool::ChainEnd;

  /// Continues with the kernel's chain. That is valid only if the frame pointer is still the one
  /// with which the kernel found the rest of its chain. `why`: the tables did not lead on, which is
  /// the chain's end if the kernel's chain does not lead to a root either.
  void TakeChain(End why) noexcept {
    // Of frame pointers, the last frame is the one that does not lead on.
    const std::uint64_t code = why == End::kFramePointers ? 0 : at_;
    out_.EndAt(why, code);
    if (!frame_known_ || frame_ != chain_frame_) return;
    out_.guessed_from = out_.count;
    for (; next_ < sample_.address_count; ++next_) {
      const std::uint64_t address = sample_.addresses[next_];
      if (!out_.Add(address) || facts_.IsRoot(address)) return;
    }
    if (sample_.address_count == StackSample::kMaxAddresses) out_.EndAt(End::kDepth);
  }

  // The frame of a signal handler is known, and the context behind it is in the copied stack:
  // continues with the code that the handler interrupted.
  bool EnterInterrupted() noexcept {
    if (frame_ != chain_frame_ || next_ >= sample_.address_count ||
        facts_.Look(sample_.addresses[next_]).what != CodeFacts::Return::kSignal) {
      return false;
    }
    if (!EnterContext(frame_ + kFrameRecordBytes)) return false;
    ++next_;
    chain_frame_ = frame_;
    return true;
  }

  // Continues with the code that a handler interrupted. The interrupted registers are at `context`,
  // the top of the stack when the handler returns.
  bool EnterContext(std::uint64_t context) noexcept {
    std::uint64_t pc = 0;
    std::uint64_t stack = 0;
    std::uint64_t frame = 0;
    if (!kFollowsSignals) {
      why_ = End::kRule;
      return false;
    }
    if (!Word(context + kContextPc, pc) || !Word(context + kContextStack, stack) ||
        !Word(context + kContextFrame, frame)) {
      return false;
    }
    // The distance is that of two stacks where the handler has one of its own.
    other_stack_ = other_stack_ || stack - sample_.stack_pointer() > sample_.stack_bytes;
    if (!out_.Add(pc, true)) return false;
    at_ = pc;
    exact_ = true;
    stack_ = stack;
    frame_ = frame;
    frame_known_ = true;
    return true;
  }

  /// Finds one caller. True: continue.
  bool Step(bool innermost) noexcept {
    // A return address may lie behind the last instruction of its function, whose rule would then
    // be another one. So the call's last byte is looked up, except for interrupted addresses.
    const FrameRule rule = facts_.Rule(innermost || exact_ ? at_ : at_ - 1);
    exact_ = false;
    std::uint64_t cfa = 0;
    switch (rule.base) {
      case FrameRule::Base::kOutermost:
        out_.EndAt(End::kOutermost, at_);
        return false;
      case FrameRule::Base::kUnsupported:
        if (!in_kernel_ && far_ && far_->Walk(sample_, facts_, out_)) return false;
        return Cut(End::kRule);
      case FrameRule::Base::kUnknown:
        TakeChain(facts_.may_ask() ? End::kNoRows : End::kNoTables);
        return false;
      case FrameRule::Base::kFramePointer:
        if (frame_known_ && frame_ == chain_frame_) {
          if (EnterInterrupted()) return true;
          // Functions without a frame may have called this function, and the kernel's chain lacks
          // them. So the tables are used as far as the copied stack reaches.
          if (!KnowsFrame(rule)) {
            TakeChain(CopyReaches(rule) ? End::kFramePointers : why_);
            return false;
          }
        }
        if (!frame_known_ && !InferFrame(rule, innermost)) return Cut(why_frame_);
        cfa = At(frame_, rule.cfa_offset);
        break;
      case FrameRule::Base::kFramePointerWord:
        if (!frame_known_) return Cut(why_frame_);
        if (!Word(At(frame_, rule.cfa_offset), cfa)) return Cut(why_);
        break;
      case FrameRule::Base::kStackPointer:
        cfa = At(stack_, rule.cfa_offset);
        break;
    }
    return Up(rule, cfa, innermost);
  }

  // Whether the caller and its frame pointer are in the copied stack, and the kernel's chain has
  // the same caller.
  bool KnowsFrame(const FrameRule& rule) noexcept {
    const std::uint64_t cfa = At(frame_, rule.cfa_offset);
    std::uint64_t caller = 0;
    std::uint64_t frame = 0;
    if (!rule.frame_pointer_saved || next_ >= sample_.address_count ||
        !sample_.Word(At(cfa, rule.return_offset), caller) ||
        !sample_.Word(At(cfa, rule.frame_pointer_offset), frame) ||
        CodeAddress(caller) != sample_.addresses[next_]) {
      return false;
    }
    ++next_;
    chain_frame_ = frame;
    return true;
  }

  // Whether the frame's words are in the copied stack. If not, why_ says why.
  bool CopyReaches(const FrameRule& rule) noexcept {
    std::uint64_t word = 0;
    return Word(At(At(frame_, rule.cfa_offset), rule.return_offset), word);
  }

  // A word of the copied stack. Where there is none, why_ says why.
  bool Word(std::uint64_t address, std::uint64_t& word) noexcept {
    if (sample_.Word(address, word)) return true;
    why_ = other_stack_ ? End::kHandlerStack : WhyNotCopied(sample_, address);
    return false;
  }

  /// Computes the frame pointer of a function that has set up its frame, from its stack pointer.
  bool InferFrame(const FrameRule& rule, bool innermost) noexcept {
    if (!infers_ || !rule.frame_pointer_saved) return false;
    const std::uint64_t looked_up = innermost || exact_ ? at_ : at_ - 1;
    const std::uint64_t begin = looked_up - rule.code_offset;
    unsigned char code[kPrologueBytes];
    std::size_t bytes = 0;
    for (std::uint64_t word = 0; bytes < sizeof code && bytes < rule.code_offset; bytes += 8) {
      if (!facts_.ReadCode(begin + bytes, word)) break;
      __builtin_memcpy(code + bytes, &word, sizeof word);
    }
    const std::int32_t reserved =
        ReserveOf(code, bytes < rule.code_offset ? bytes : rule.code_offset);
    if (reserved < 0) return false;
    // The registers that the function saved lie between: rbx and r12 to r15, and a word that keeps
    // the stack aligned.
    constexpr int kMostSaved = 6;
    for (int saved = 0; saved <= kMostSaved; ++saved) {
      const std::uint64_t frame = stack_ + static_cast<std::uint64_t>(reserved + 8 * saved);
      if (!IsFrame(rule, frame)) continue;
      frame_ = frame;
      frame_known_ = true;
      return true;
    }
    return false;
  }

  /// Whether a frame of this rule at `frame` has a caller, and that one has a caller as well.
  bool IsFrame(const FrameRule& rule, std::uint64_t frame) noexcept {
    const std::uint64_t cfa = At(frame, rule.cfa_offset);
    std::uint64_t caller = 0;
    std::uint64_t callers_frame = 0;
    if (!sample_.Word(At(cfa, rule.return_offset), caller) ||
        !sample_.Word(At(cfa, rule.frame_pointer_offset), callers_frame)) {
      return false;
    }
    if (facts_.IsRoot(caller)) return true;
    if (facts_.Look(caller).what != CodeFacts::Return::kAfterCall) return false;
    const FrameRule next = facts_.Rule(caller - 1);
    switch (next.base) {
      case FrameRule::Base::kOutermost:
        return true;
      case FrameRule::Base::kStackPointer:
        return IsReturn(At(At(cfa, next.cfa_offset), next.return_offset));
      case FrameRule::Base::kFramePointer:
        return callers_frame >= cfa &&
               IsReturn(At(At(callers_frame, next.cfa_offset), next.return_offset));
      case FrameRule::Base::kFramePointerWord:
      case FrameRule::Base::kUnsupported:
      case FrameRule::Base::kUnknown:
        return callers_frame >= cfa;
    }
    return false;
  }

  bool IsReturn(std::uint64_t place) noexcept {
    std::uint64_t address = 0;
    if (!sample_.Word(place, address)) return false;
    return facts_.IsRoot(address) || facts_.Look(address).what == CodeFacts::Return::kAfterCall;
  }

  static std::uint64_t At(std::uint64_t base, std::int32_t offset) noexcept {
    return base + static_cast<std::uint64_t>(std::int64_t{offset});
  }

  // Goes to the caller: finds its address and its frame pointer. `cfa`: the caller's stack pointer.
  // Returns true to continue.
  bool Up(const FrameRule& rule, std::uint64_t cfa, bool innermost) noexcept {
    std::uint64_t caller = 0;
    if (rule.return_in_register) {
      // Only the innermost function may have its return address still in the link register.
      if (!innermost || Link() == 0) return Cut(End::kRule);
      caller = Link();
    } else if (!Word(At(cfa, rule.return_offset), caller)) {
      return Cut(why_);
    }
    if (rule.frame_pointer_saved) {
      const std::uint64_t base = rule.frame_pointer_at_frame ? frame_ : cfa;
      frame_known_ = Word(At(base, rule.frame_pointer_offset), frame_);
      if (!frame_known_) why_frame_ = why_;
    }
    at_ = CodeAddress(caller);
    stack_ = cfa;
    const CodeFacts::Return what = facts_.Look(at_).what;
    if (what == CodeFacts::Return::kSignal) {
      if (EnterContext(cfa)) return true;
      if (out_.Add(at_)) Cut(why_);
      return false;
    }
    if (!out_.Add(at_)) return false;
    // Otherwise the end of the stack, or a bad address that ChainOf detects
    return what == CodeFacts::Return::kAfterCall;
  }

  // The link register at the sample; 0 on processors without one.
  std::uint64_t Link() const noexcept {
#if defined(__aarch64__)
    return sample_.registers[kLinkRegister];
#else
    return 0;
#endif
  }

  /// Ends the walk at the present code.
  bool Cut(End why) noexcept {
    out_.EndAt(why, at_);
    return false;
  }

  const StackSample& sample_;
  CodeFacts& facts_;
  UnwinderWalk* far_;
  Callers& out_;
  std::uint64_t at_ = 0;
  std::uint64_t stack_;
  std::uint64_t frame_;
  /// The frame pointer from which the kernel found addresses[next_] and the following ones
  std::uint64_t chain_frame_;
  std::size_t next_ = 1;
  bool frame_known_;
  bool infers_;  ///< InferFrame is permitted
  bool exact_ = false;
  bool in_kernel_ = false;
  bool other_stack_ = false;   ///< A handler ran on another stack than what it interrupted
  End why_ = End::kCopyEnded;  ///< Why the last word was not found
  /// Why the frame pointer is not known
  End why_frame_ = End::kNoFramePointer;
};

// Words that are farther from the stack pointer are not on the stack: more than any usual one has.
constexpr std::uint64_t kStackReach = 1u << 30;

}  // namespace

spool::ChainEnd WhyNotCopied(const StackSample& sample, std::uint64_t address) noexcept {
  // Unsigned: an address below the stack pointer is far away.
  if (address - sample.stack_pointer() >= kStackReach) return spool::ChainEnd::kOutsideStack;
  return sample.stack_ended ? spool::ChainEnd::kUnreadable : spool::ChainEnd::kCopyEnded;
}

void WalkCallers(const StackSample& sample, CodeFacts& facts, UnwinderWalk* far, Callers& out,
                 FramePointer frame_pointer) noexcept {
  out.Clear();
  Walk(sample, facts, far, out, frame_pointer).Run();
  out.from = sample.pc;
}

}  // namespace csink
