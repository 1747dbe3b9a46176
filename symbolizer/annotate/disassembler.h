#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "core/util/result.h"
#include "symbolizer/bytes/bytes.h"

/// File: formats machine code as text. The decoders are Debian's zydis (x86-64) and capstone
/// (AArch64). They are loaded with dlopen(3) when the first instruction is shown, so that other
/// reports do not pay for them.

namespace csink::annotate {

enum class Syntax { kAtt, kIntel };

/// What a listing needs to continue: the length of an instruction, and where it leads.
struct Step {
  std::size_t size = 1;                 ///< Bytes, at least 1
  bool is_code = false;                 ///< False: the bytes are not an instruction but data
  bool is_call = false;                 ///< Execution continues behind it
  bool is_branch = false;               ///< A jump, conditional or not
  std::optional<std::uint64_t> target;  ///< Of a direct call or jump
};

/// The decoder of one machine.
/// Owns:    the handle of its library's decoder. Not copyable.
/// Threads: one at a time.
class Disassembler {
 public:
  using Bytes = symbolizer::Bytes;
  /// The name of the target of a call or branch; empty: the address is shown.
  using TargetName = std::function<std::string(std::uint64_t vaddr)>;

  virtual ~Disassembler() = default;
  Disassembler() = default;
  Disassembler(const Disassembler&) = delete;
  Disassembler& operator=(const Disassembler&) = delete;

  /// Decodes the instruction at `vaddr`. `bytes` begins with it and is not empty.
  virtual Step Decode(Bytes bytes, std::uint64_t vaddr) = 0;
  /// "mov %rsp,%rbp"; ".byte 0x06" for data.
  virtual std::string Text(Bytes bytes, std::uint64_t vaddr, const TargetName& name) = 0;
};

/// The decoder for an ELF machine (EM_X86_64, EM_AARCH64). Errors, whose text names the remedy:
/// kUnsupported (another machine), kNotFound (the library is not installed, or has another
/// version). `syntax` applies to x86-64 only.
Result<std::unique_ptr<Disassembler>> OpenDisassembler(std::uint16_t elf_machine, Syntax syntax);

/// ".byte 0x06, 0x07" for at most `size` bytes of data.
std::string DataText(symbolizer::Bytes bytes, std::size_t size);

/// `text` with the last occurrence of the target's address ("0x1139") replaced by its name.
std::string WithTarget(std::string text, std::uint64_t target, const std::string& name);

/// The decoders of the machines (disassembler_x86.cpp, disassembler_arm64.cpp).
Result<std::unique_ptr<Disassembler>> OpenZydis(Syntax syntax);
Result<std::unique_ptr<Disassembler>> OpenCapstone();

}  // namespace csink::annotate
