#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "core/util/result.h"
#include "symbolizer/bytes/bytes.h"

/// File: machine code as text. The decoders are Debian's zydis (x86-64) and capstone (AArch64),
/// opened when the first instruction is to be shown: a report that shows none does not pay for
/// them.

namespace csink::annotate {

enum class Syntax { kAtt, kIntel };

/// What decides how a listing goes on: an instruction's length, and where it leads.
struct Step {
  std::size_t size = 1;                 ///< Bytes, at least 1
  bool is_code = false;                 ///< False: no instruction begins so; its bytes are data
  bool is_call = false;                 ///< Comes back
  bool is_branch = false;               ///< Goes elsewhere, conditionally or not
  std::optional<std::uint64_t> target;  ///< Of a direct call or branch
};

/// One machine's decoder.
/// Owns:    its library's handle of the decoder. Not copyable.
/// Threads: one at a time.
class Disassembler {
 public:
  using Bytes = symbolizer::Bytes;
  /// How the target of a call or branch is called; empty: as an address.
  using TargetName = std::function<std::string(std::uint64_t vaddr)>;

  virtual ~Disassembler() = default;
  Disassembler() = default;
  Disassembler(const Disassembler&) = delete;
  Disassembler& operator=(const Disassembler&) = delete;

  /// `bytes` begins with the instruction at `vaddr` and is not empty.
  virtual Step Decode(Bytes bytes, std::uint64_t vaddr) = 0;
  /// "mov %rsp,%rbp"; ".byte 0x06" where there is no instruction.
  virtual std::string Text(Bytes bytes, std::uint64_t vaddr, const TargetName& name) = 0;
};

/// The decoder of an ELF machine (EM_X86_64, EM_AARCH64). Errors, with what to do: kUnsupported
/// (another machine), kNotFound (its library is not installed, or is another version).
/// `syntax` is of x86-64; AArch64 has one.
Result<std::unique_ptr<Disassembler>> OpenDisassembler(std::uint16_t elf_machine, Syntax syntax);

/// ".byte 0x06, 0x07" of at most `size` bytes: what is data.
std::string DataText(symbolizer::Bytes bytes, std::size_t size);

/// `text` with the last mention of the target's address ("0x1139") replaced by its name.
std::string WithTarget(std::string text, std::uint64_t target, const std::string& name);

/// One for each machine (disassembler_x86.cpp, disassembler_arm64.cpp).
Result<std::unique_ptr<Disassembler>> OpenZydis(Syntax syntax);
Result<std::unique_ptr<Disassembler>> OpenCapstone();

}  // namespace csink::annotate
