#include "symbolizer/report/annotate/disassembler.h"

#include <elf.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>

/// File: the choice of the decoder by architecture, and what both decoders' texts have in common.

namespace csink::annotate {

Result<std::unique_ptr<Disassembler>> OpenDisassembler(std::uint16_t elf_machine, Syntax syntax) {
  switch (elf_machine) {
    case EM_X86_64:
      return OpenZydis(syntax);
    case EM_AARCH64:
      return OpenCapstone();
    default:
      return Error{Errc::kUnsupported, 0, "instructions of this architecture cannot be decoded"};
  }
}

std::string DataText(symbolizer::Bytes bytes, std::size_t size) {
  std::string text = ".byte ";
  for (std::size_t i = 0; i < std::min(size, bytes.size()); ++i) {
    char number[8];
    std::snprintf(number, sizeof number, "%s0x%02x", i == 0 ? "" : ",", bytes[i]);
    text += number;
  }
  return text;
}

std::string WithTarget(std::string text, std::uint64_t target, const std::string& name) {
  if (name.empty()) return text;
  char number[24];
  const int length = std::snprintf(number, sizeof number, "0x%" PRIx64, target);
  // The target is the last operand in all syntaxes, so the last occurrence is meant: an immediate
  // with the same value may stand before it.
  const std::size_t at = text.rfind(number);
  if (at == std::string::npos) return text;
  // aarch64 writes immediates, and so targets, with a "#".
  const std::size_t from = at > 0 && text[at - 1] == '#' ? at - 1 : at;
  return text.replace(from, at + static_cast<std::size_t>(length) - from, name);
}

}  // namespace csink::annotate
