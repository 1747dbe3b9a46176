#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "core/util/result.h"
#include "symbolizer/names/bytes/bytes.h"

/// File: formats machine code as text. The decoders are Debian's zydis (x86-64) and capstone
/// (AArch64). They are loaded with dlopen(3) when the first instruction is shown, and are not
/// linked, so that other reports do not pay for them and csink runs without them.

namespace csink::annotate {

/// AT&T or Intel syntax, for x86-64.
enum class Syntax { kAtt, kIntel };

/// What a listing needs to continue: the length of an instruction, and where it leads.
struct Step {
  /// Bytes, at least 1, so that decoding always advances.
  std::size_t size = 1;
  /// False if the bytes are not an instruction but data.
  bool is_code = false;
  /// A call: execution continues behind it.
  bool is_call = false;
  bool is_branch = false;  ///< A jump, conditional or not
  /// A call or jump to where a register or memory says; not a return.
  bool is_indirect = false;
  /// Address to which a direct call or jump leads. Empty for indirect ones.
  std::optional<std::uint64_t> target;
};

/// The decoder of one machine. Both functions may change the decoder's state, so they are not
/// const.
/// Owns:    the handle of its library's decoder. Not copyable.
/// Threads: one at a time.
class Disassembler {
 public:
  using Bytes = symbolizer::Bytes;
  /// Returns the name for the target of a call or branch. "" means that the address is shown.
  using TargetName = std::function<std::string(std::uint64_t vaddr)>;

  virtual ~Disassembler() = default;
  Disassembler() = default;
  Disassembler(const Disassembler&) = delete;
  Disassembler& operator=(const Disassembler&) = delete;

  /// Decodes the instruction at `vaddr`. `bytes` begins with it, is not empty, and may be longer.
  /// Never reads outside of `bytes`: an instruction that is cut by their end is data.
  virtual Step Decode(Bytes bytes, std::uint64_t vaddr) = 0;
  /// The text of the instruction: "mov %rsp,%rbp"; ".byte 0x06" for data. A direct target is
  /// replaced by the text that `name` returns for it.
  virtual std::string Text(Bytes bytes, std::uint64_t vaddr, const TargetName& name) = 0;
};

/// The decoder for an ELF machine (e_machine: EM_X86_64 or EM_AARCH64). `syntax` applies to x86-64
/// only. Errors, whose text names the remedy: kUnsupported (another machine, or the library refuses
/// to start), kNotFound (the library is not installed, or has another version than the headers that
/// csink was built with).
Result<std::unique_ptr<Disassembler>> OpenDisassembler(std::uint16_t elf_machine, Syntax syntax);

/// ".byte 0x06,0x07" for the first `size` bytes of data, or for all of them if there are fewer.
std::string DataText(symbolizer::Bytes bytes, std::size_t size);

/// `text` with the last occurrence of the target's address ("0x1139") replaced by its name. A '#'
/// before the address, which capstone writes, is removed with it. Unchanged if `name` is empty or
/// the text has no such address.
std::string WithTarget(std::string text, std::uint64_t target, const std::string& name);

/// The decoders of the machines (disassembler_x86.cpp, disassembler_arm64.cpp). Errors as for
/// OpenDisassembler.
Result<std::unique_ptr<Disassembler>> OpenZydis(Syntax syntax);
Result<std::unique_ptr<Disassembler>> OpenCapstone();

}  // namespace csink::annotate
