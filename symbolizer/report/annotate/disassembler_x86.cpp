#include <string_view>

#include "symbolizer/report/annotate/disassembler.h"
#include "symbolizer/report/annotate/zydis.h"

/// File: x86-64 by zydis.

namespace csink::annotate {
namespace {

/// "call *0x10(%rax)": as(1) marks the operand of an indirect call or jump so, zydis does not.
std::string WithStar(std::string text) {
  const std::size_t blank = text.rfind(' ');
  if (blank != std::string::npos && text[blank + 1] != '*') text.insert(blank + 1, "*");
  return text;
}

/// The decoder with one formatter. Not shared between threads: decoded_ is the last instruction.
class X86Disassembler : public Disassembler {
 public:
  X86Disassembler(const Zydis& zydis, Syntax syntax) : zydis_(zydis), syntax_(syntax) {}

  /// Sets the syntax and the form of numbers. false: the library refuses a setting.
  bool Start() {
    // WithTarget searches the text for addresses in lower case without padding, so the formatter
    // must print them so.
    return zydis_.Start(syntax_ == Syntax::kAtt ? ZYDIS_FORMATTER_STYLE_ATT
                                                : ZYDIS_FORMATTER_STYLE_INTEL) &&
           zydis_.Set(ZYDIS_FORMATTER_PROP_HEX_UPPERCASE, ZYAN_FALSE) &&
           zydis_.Set(ZYDIS_FORMATTER_PROP_ADDR_PADDING_ABSOLUTE, ZYDIS_PADDING_DISABLED) &&
           zydis_.Set(ZYDIS_FORMATTER_PROP_ADDR_PADDING_RELATIVE, ZYDIS_PADDING_DISABLED) &&
           zydis_.Set(ZYDIS_FORMATTER_PROP_DISP_PADDING, ZYDIS_PADDING_DISABLED) &&
           zydis_.Set(ZYDIS_FORMATTER_PROP_IMM_PADDING, ZYDIS_PADDING_DISABLED);
  }

  Step Decode(Bytes bytes, std::uint64_t vaddr) override {
    Step step;
    if (!zydis_.Decode(bytes.data(), bytes.size(), decoded_)) return step;
    step.is_code = true;
    step.size = decoded_.instruction.length;
    const auto category = decoded_.instruction.meta.category;
    step.is_call = category == ZYDIS_CATEGORY_CALL;
    step.is_branch = category == ZYDIS_CATEGORY_COND_BR || category == ZYDIS_CATEGORY_UNCOND_BR;
    if (!step.is_call && !step.is_branch) return step;
    step.is_indirect = true;
    // Only relative immediates are targets. An indirect jump or call has none that is known.
    for (std::size_t i = 0; i < decoded_.operand_count(); ++i) {
      const ZydisDecodedOperand& operand = decoded_.operand(i);
      std::uint64_t target = 0;
      if (operand.type == ZYDIS_OPERAND_TYPE_IMMEDIATE && operand.imm.is_relative &&
          zydis_.AbsoluteAddress(decoded_, i, vaddr, target)) {
        step.target = target;
        step.is_indirect = false;
      }
    }
    return step;
  }

  std::string Text(Bytes bytes, std::uint64_t vaddr, const TargetName& name) override {
    // decoded_ is that of the last call, so the instruction is decoded again.
    const Step step = Decode(bytes, vaddr);
    char text[256];
    if (!step.is_code || !zydis_.Format(decoded_, vaddr, text, sizeof text)) {
      return DataText(bytes, step.size);
    }
    if (step.target) return WithTarget(text, *step.target, name(*step.target));
    return step.is_indirect && syntax_ == Syntax::kAtt ? WithStar(text) : text;
  }

 private:
  Zydis zydis_;
  Syntax syntax_;
  Zydis::Decoded decoded_;
};

}  // namespace

Result<std::unique_ptr<Disassembler>> OpenZydis(Syntax syntax) {
  Zydis zydis;
  if (!zydis.Load()) return Error{Errc::kNotFound, 0, Zydis::kMissing};
  if (!zydis.IsOurs()) {
    return Error{Errc::kNotFound, 0, "libZydis has another version than csink was built with"};
  }
  auto disassembler = std::make_unique<X86Disassembler>(zydis, syntax);
  if (!disassembler->Start()) {
    return Error{Errc::kUnsupported, 0, "libZydis cannot be initialized"};
  }
  return std::unique_ptr<Disassembler>(std::move(disassembler));
}

}  // namespace csink::annotate
