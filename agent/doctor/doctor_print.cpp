#include "agent/doctor/doctor_print.h"

#include "core/util/parse.h"
#include "core/util/raw_syscall.h"

namespace csink::agent {

void Print(std::string_view text) noexcept {
  RawSyscall(SYS_write, 2, SyscallArg(text.data()), static_cast<long>(text.size()));
}

void PrintRow(std::string_view label, std::string_view text, std::string_view advice) noexcept {
  Text<1280> line;
  line.Add("  ").Add(label);
  while (line.size() < 26) line.Add(' ');
  line.Add(text).Add('\n');
  while (!advice.empty()) {  // one advice a line
    for (int i = 0; i < 26; ++i) line.Add(' ');
    line.Add("-> ").Add(NextToken(advice, '\n')).Add('\n');
  }
  Print(line.view());
}

Text<32> GroupedNumber(std::uint64_t value) noexcept {
  Text<32> digits;
  digits.Number(value);
  Text<32> text;
  std::size_t left = digits.size();
  for (const char c : digits.view()) {
    text.Add(c);
    if (--left != 0 && left % 3 == 0) text.Add(',');
  }
  return text;
}

}  // namespace csink::agent
