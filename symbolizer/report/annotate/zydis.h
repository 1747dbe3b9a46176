#pragma once

#include <Zydis/Zydis.h>

#include <cstddef>
#include <cstdint>

#include "symbolizer/report/annotate/shared_library.h"

namespace csink::annotate {

/// The functions of libZydis that are used, found by dlsym(3), with the prototypes and structures
/// of the header at build time: Zydis 4, or Zydis 3 (Ubuntu 22.04), which keeps the operands in the
/// instruction.
///
/// Threads: any, one object each.
class Zydis {
 public:
  /// A decoded instruction with its operands.
  struct Decoded {
    ZydisDecodedInstruction instruction = {};
#ifdef ZYDIS_MAX_OPERAND_COUNT_VISIBLE  // Zydis 4
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT] = {};
    std::size_t operand_count() const noexcept { return instruction.operand_count_visible; }
    const ZydisDecodedOperand& operand(std::size_t i) const noexcept { return operands[i]; }
#else
    std::size_t operand_count() const noexcept { return instruction.operand_count; }
    const ZydisDecodedOperand& operand(std::size_t i) const noexcept {
      return instruction.operands[i];
    }
#endif
  };

  /// Says that Load failed, with the package to install.
#ifdef ZYDIS_MAX_OPERAND_COUNT_VISIBLE
  static constexpr const char* kMissing = "libZydis is not installed (apt-get install libzydis4.0)";
#else
  static constexpr const char* kMissing = "libZydis is not installed (apt-get install libzydis3.2)";
#endif

  /// Opens the library. Returns false if it is not installed.
  bool Load() {
#ifdef ZYDIS_MAX_OPERAND_COUNT_VISIBLE
    const SharedLibrary library{"libZydis.so.4.0", "libZydis.so.4.1", "libZydis.so.4"};
    constexpr const char* kDecode = "ZydisDecoderDecodeFull";
#else
    const SharedLibrary library{"libZydis.so.3.2", "libZydis.so.3.1"};
    constexpr const char* kDecode = "ZydisDecoderDecodeBuffer";
#endif
    return library.Find("ZydisGetVersion", get_version_) &&
           library.Find("ZydisDecoderInit", decoder_init_) && library.Find(kDecode, decode_) &&
           library.Find("ZydisCalcAbsoluteAddress", absolute_address_) &&
           library.Find("ZydisFormatterInit", formatter_init_) &&
           library.Find("ZydisFormatterSetProperty", set_property_) &&
           library.Find("ZydisFormatterFormatInstruction", format_);
  }
  // ZydisGetVersion has the major version in bits 48 to 63 and the minor version in bits 32 to 47.
  // Structures may differ between minor versions, so another minor version is refused.
  bool IsOurs() const { return get_version_() >> 32 == ZYDIS_VERSION >> 32; }
  /// Prepares to decode x86-64, and to print in this style. Returns false if the library refuses.
  bool Start(ZydisFormatterStyle style) {
#ifdef ZYDIS_MAX_OPERAND_COUNT_VISIBLE
    constexpr auto kWidth = ZYDIS_STACK_WIDTH_64;
#else
    constexpr auto kWidth = ZYDIS_ADDRESS_WIDTH_64;
#endif
    return ZYAN_SUCCESS(decoder_init_(&decoder_, ZYDIS_MACHINE_MODE_LONG_64, kWidth)) &&
           ZYAN_SUCCESS(formatter_init_(&formatter_, style));
  }
  /// Sets a property of the formatter. Returns false if the library refuses it.
  bool Set(ZydisFormatterProperty property, ZyanUPointer value) {
    return ZYAN_SUCCESS(set_property_(&formatter_, property, value));
  }
  /// Decodes one instruction. Returns false if the bytes are none, or are cut.
  bool Decode(const void* bytes, std::size_t size, Decoded& decoded) const {
#ifdef ZYDIS_MAX_OPERAND_COUNT_VISIBLE
    return ZYAN_SUCCESS(decode_(&decoder_, bytes, size, &decoded.instruction, decoded.operands));
#else
    return ZYAN_SUCCESS(decode_(&decoder_, bytes, size, &decoded.instruction));
#endif
  }
  /// The address that a relative operand of an instruction at `vaddr` names. False: it has none.
  bool AbsoluteAddress(const Decoded& decoded, std::size_t operand, std::uint64_t vaddr,
                       std::uint64_t& address) const {
    ZyanU64 found = 0;
    if (!ZYAN_SUCCESS(
            absolute_address_(&decoded.instruction, &decoded.operand(operand), vaddr, &found))) {
      return false;
    }
    address = found;
    return true;
  }
  /// Prints an instruction at `vaddr` into `text`. Returns false if it does not fit.
  bool Format(const Decoded& decoded, std::uint64_t vaddr, char* text, std::size_t size) const {
#ifdef ZYDIS_MAX_OPERAND_COUNT_VISIBLE
    return ZYAN_SUCCESS(format_(&formatter_, &decoded.instruction, decoded.operands,
                                decoded.instruction.operand_count_visible, text, size, vaddr,
                                nullptr));
#else
    return ZYAN_SUCCESS(format_(&formatter_, &decoded.instruction, text, size, vaddr));
#endif
  }

 private:
  decltype(&ZydisGetVersion) get_version_ = nullptr;
  decltype(&ZydisDecoderInit) decoder_init_ = nullptr;
#ifdef ZYDIS_MAX_OPERAND_COUNT_VISIBLE
  decltype(&ZydisDecoderDecodeFull) decode_ = nullptr;
#else
  decltype(&ZydisDecoderDecodeBuffer) decode_ = nullptr;
#endif
  decltype(&ZydisCalcAbsoluteAddress) absolute_address_ = nullptr;
  decltype(&ZydisFormatterInit) formatter_init_ = nullptr;
  decltype(&ZydisFormatterSetProperty) set_property_ = nullptr;
  decltype(&ZydisFormatterFormatInstruction) format_ = nullptr;
  ZydisDecoder decoder_ = {};
  ZydisFormatter formatter_ = {};
};

}  // namespace csink::annotate
