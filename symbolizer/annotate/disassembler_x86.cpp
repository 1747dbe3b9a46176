#include <Zydis/Zydis.h>

#include <string_view>

#include "symbolizer/annotate/disassembler.h"
#include "symbolizer/annotate/shared_library.h"

/// File: x86-64 by zydis. All functions of the library are called through pointers that dlsym(3)
/// returned, and its structures are those of the header at build time.

namespace csink::annotate {
namespace {

/// The functions of libZydis that are used, with the prototypes of the header at build time.
struct Zydis {
  decltype(&ZydisGetVersion) get_version = nullptr;
  decltype(&ZydisDecoderInit) decoder_init = nullptr;
  decltype(&ZydisDecoderDecodeFull) decode_full = nullptr;
  decltype(&ZydisCalcAbsoluteAddress) absolute_address = nullptr;
  decltype(&ZydisFormatterInit) formatter_init = nullptr;
  decltype(&ZydisFormatterSetProperty) set_property = nullptr;
  decltype(&ZydisFormatterFormatInstruction) format = nullptr;

  bool Load() {
    const SharedLibrary library{"libZydis.so.4.0", "libZydis.so.4.1", "libZydis.so.4"};
    return library.Find("ZydisGetVersion", get_version) &&
           library.Find("ZydisDecoderInit", decoder_init) &&
           library.Find("ZydisDecoderDecodeFull", decode_full) &&
           library.Find("ZydisCalcAbsoluteAddress", absolute_address) &&
           library.Find("ZydisFormatterInit", formatter_init) &&
           library.Find("ZydisFormatterSetProperty", set_property) &&
           library.Find("ZydisFormatterFormatInstruction", format);
  }
  // ZydisGetVersion has the major version in bits 48 to 63 and the minor version in bits 32 to 47.
  // Structures may differ between minor versions, so another minor version is refused.
  bool IsOurs() const { return get_version() >> 32 == ZYDIS_VERSION >> 32; }
};

class X86Disassembler : public Disassembler {
 public:
  bool Start(const Zydis& zydis, Syntax syntax) {
    zydis_ = zydis;
    // WithTarget searches the text for addresses in lower case without padding, so the formatter
    // must print them so.
    const auto style =
        syntax == Syntax::kAtt ? ZYDIS_FORMATTER_STYLE_ATT : ZYDIS_FORMATTER_STYLE_INTEL;
    return ZYAN_SUCCESS(
               zydis_.decoder_init(&decoder_, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64)) &&
           ZYAN_SUCCESS(zydis_.formatter_init(&formatter_, style)) &&
           Set(ZYDIS_FORMATTER_PROP_HEX_UPPERCASE, ZYAN_FALSE) &&
           Set(ZYDIS_FORMATTER_PROP_ADDR_PADDING_ABSOLUTE, ZYDIS_PADDING_DISABLED) &&
           Set(ZYDIS_FORMATTER_PROP_ADDR_PADDING_RELATIVE, ZYDIS_PADDING_DISABLED) &&
           Set(ZYDIS_FORMATTER_PROP_DISP_PADDING, ZYDIS_PADDING_DISABLED) &&
           Set(ZYDIS_FORMATTER_PROP_IMM_PADDING, ZYDIS_PADDING_DISABLED);
  }

  Step Decode(Bytes bytes, std::uint64_t vaddr) override {
    Step step;
    if (!Read(bytes)) return step;
    step.is_code = true;
    step.size = instruction_.length;
    const auto category = instruction_.meta.category;
    step.is_call = category == ZYDIS_CATEGORY_CALL;
    step.is_branch = category == ZYDIS_CATEGORY_COND_BR || category == ZYDIS_CATEGORY_UNCOND_BR;
    if (!step.is_call && !step.is_branch) return step;
    // Only relative immediates are targets. An indirect jump or call has none that is known.
    for (unsigned i = 0; i < instruction_.operand_count_visible; ++i) {
      const ZydisDecodedOperand& operand = operands_[i];
      ZyanU64 target = 0;
      if (operand.type == ZYDIS_OPERAND_TYPE_IMMEDIATE && operand.imm.is_relative &&
          ZYAN_SUCCESS(zydis_.absolute_address(&instruction_, &operand, vaddr, &target))) {
        step.target = target;
      }
    }
    return step;
  }

  std::string Text(Bytes bytes, std::uint64_t vaddr, const TargetName& name) override {
    // instruction_ and operands_ are those of the last call, so the instruction is decoded again.
    const Step step = Decode(bytes, vaddr);
    char text[256];
    if (!step.is_code || !ZYAN_SUCCESS(zydis_.format(&formatter_, &instruction_, operands_,
                                                     instruction_.operand_count_visible, text,
                                                     sizeof text, vaddr, nullptr))) {
      return DataText(bytes, step.size);
    }
    return step.target ? WithTarget(text, *step.target, name(*step.target)) : text;
  }

 private:
  /// Sets a property of the formatter. Returns false if the library refuses it.
  bool Set(ZydisFormatterProperty property, ZyanUPointer value) {
    return ZYAN_SUCCESS(zydis_.set_property(&formatter_, property, value));
  }
  /// Decodes into instruction_ and operands_. Returns false if the bytes are no instruction, or are
  /// cut.
  bool Read(Bytes bytes) {
    return ZYAN_SUCCESS(
        zydis_.decode_full(&decoder_, bytes.data(), bytes.size(), &instruction_, operands_));
  }

  Zydis zydis_;
  ZydisDecoder decoder_ = {};
  ZydisFormatter formatter_ = {};
  ZydisDecodedInstruction instruction_ = {};
  ZydisDecodedOperand operands_[ZYDIS_MAX_OPERAND_COUNT] = {};
};

}  // namespace

Result<std::unique_ptr<Disassembler>> OpenZydis(Syntax syntax) {
  Zydis zydis;
  if (!zydis.Load()) {
    return Error{Errc::kNotFound, 0, "libZydis is not installed (apt-get install libzydis4.0)"};
  }
  if (!zydis.IsOurs()) {
    return Error{Errc::kNotFound, 0, "libZydis has another version than csink was built with"};
  }
  auto disassembler = std::make_unique<X86Disassembler>();
  if (!disassembler->Start(zydis, syntax)) {
    return Error{Errc::kUnsupported, 0, "libZydis cannot be initialized"};
  }
  return std::unique_ptr<Disassembler>(std::move(disassembler));
}

}  // namespace csink::annotate
