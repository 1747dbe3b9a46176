#include "core/machine/syscall_line.h"
#include "core/util/parse.h"

namespace csink {
namespace {

// Takes the next number, "0x7f...", from `rest`.
bool TakeHex(std::string_view& rest, std::uint64_t& out) noexcept {
  const std::string_view token = NextToken(rest, ' ');
  if (!token.starts_with("0x")) return false;
  const Result<std::uint64_t> value = ParseHex(token.substr(2));
  if (!value) return false;
  out = *value;
  return true;
}

}  // namespace

Result<SyscallLine> ParseSyscallLine(std::string_view text) noexcept {
  std::string_view rest = Trimmed(text);
  SyscallLine line;
  if (rest == "running") {
    line.running = true;
    return line;
  }
  const std::string_view number = NextToken(rest, ' ');
  if (number == "-1") {
    line.number = -1;
  } else {
    const Result<std::uint64_t> value = ParseUnsigned(number);
    if (!value || *value > INT32_MAX) return Error{Errc::kInvalid};
    line.number = static_cast<std::int64_t>(*value);
    for (std::uint64_t& argument : line.arguments) {
      if (!TakeHex(rest, argument)) return Error{Errc::kInvalid};
    }
  }
  if (!TakeHex(rest, line.stack_pointer) || !TakeHex(rest, line.pc) || !rest.empty()) {
    return Error{Errc::kInvalid};
  }
  return line;
}

}  // namespace csink
