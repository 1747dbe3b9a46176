#include "agent/start/doctor_print.h"

#include "core/util/parse.h"
#include "core/util/raw_syscall.h"
#include "core/version/number.h"

/// File: the two shapes of the doctor's output. A text row has its label in columns 2 to 25 and its
/// text from column 26 on.

namespace csink::agent {

void Print(std::string_view text) noexcept {
  // Raw: the program may have closed or replaced what stdio would write to.
  RawSyscall(SYS_write, 2, SyscallArg(text.data()), static_cast<long>(text.size()));
}

void DoctorOutput::Begin() noexcept {
  Print(json_ ? "{\"version\":1,\"csink\":\"" CSINK_VERSION "\",\"rows\":["
              : "csink doctor " CSINK_VERSION "\n");
}

void DoctorOutput::Row(std::string_view label, std::string_view text,
                       std::string_view advice) noexcept {
  // One write for each row, so that rows do not mix with other output.
  Text<4096> line;
  if (json_) {
    line.Add(any_row_ ? ",{\"name\":" : "{\"name\":");
    AddJsonString(line, label);
    line.Add(",\"text\":");
    AddJsonString(line, text);
    line.Add(",\"advice\":[");
    // Each line of the advice is an element.
    for (bool first = true; !advice.empty(); first = false) {
      if (!first) line.Add(',');
      AddJsonString(line, NextToken(advice, '\n'));
    }
    line.Add("]}");
    any_row_ = true;
    Print(line.view());
    return;
  }
  line.Add("  ").Add(label);
  while (line.size() < 26) line.Add(' ');
  line.Add(text).Add('\n');
  while (!advice.empty()) {  // one advice a line
    for (int i = 0; i < 26; ++i) line.Add(' ');
    line.Add("-> ").Add(NextToken(advice, '\n')).Add('\n');
  }
  Print(line.view());
}

void DoctorOutput::SetAsked(bool understood, std::string_view text) noexcept {
  // Collected here, because JSON has these members behind the rows.
  asked_.Add("\"understood\":").Add(understood ? "true" : "false").Add(",\"text\":");
  AddJsonString(asked_, text);
}

void DoctorOutput::AddAskedEvent(std::string_view name, bool available) noexcept {
  events_.Add(events_.size() == 0 ? "{\"name\":" : ",{\"name\":");
  AddJsonString(events_, name);
  events_.Add(",\"available\":").Add(available ? "true}" : "false}");
}

void DoctorOutput::End(std::string_view variables) noexcept {
  if (json_) {
    Text<8192> end;
    end.Add("],\"perf_event_open\":").Add(perf_ ? "true" : "false");
    end.Add(",\"source\":").Add(timer_ ? "\"timer\"" : "\"ring\"");
    // `asked_` and `events_` were collected while the row was composed, because JSON has them
    // behind the rows.
    if (asked_.size() != 0) end.Add(",\"asked\":{").Add(asked_.view());
    if (events_.size() != 0) end.Add(",\"events\":[").Add(events_.view()).Add(']');
    if (asked_.size() != 0) end.Add('}');
    end.Add(",\"variables\":[");
    for (bool first = true; !variables.empty(); first = false) {
      if (!first) end.Add(',');
      AddJsonString(end, NextToken(variables, ' '));
    }
    Print(end.Add("]}\n").view());
    return;
  }
  // Four to a line: the longest names then stay within 100 columns.
  for (bool first = true; !variables.empty(); first = false) {
    Text<128> line;
    for (int i = 0; i < 4 && !variables.empty(); ++i) {
      line.Add(i == 0 ? "" : " ").Add(NextToken(variables, ' '));
    }
    Row(first ? "variables" : "", line.view());
  }
}

Text<32> GroupedNumber(std::uint64_t value) noexcept {
  Text<32> digits;
  digits.Number(value);
  Text<32> text;
  std::size_t left = digits.size();
  // A comma stands where the number of digits that are left is a multiple of three.
  for (const char c : digits.view()) {
    text.Add(c);
    if (--left != 0 && left % 3 == 0) text.Add(',');
  }
  return text;
}

}  // namespace csink::agent
