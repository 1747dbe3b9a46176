#include "agent/control/control_command.h"
#include "core/util/nearest.h"
#include "core/util/parse.h"

/// File: parses the commands of the control fifo. The table kWords has each command and whether it
/// takes an argument.

namespace csink::agent {
namespace {

using Kind = ControlCommand::Kind;

enum class Argument : unsigned char { kNone, kOptional, kNeeded };

struct Word {
  std::string_view name;
  Kind kind;
  Argument argument;
};

constexpr Word kWords[] = {
    {"pause", Kind::kPause, Argument::kNone},   {"resume", Kind::kResume, Argument::kNone},
    {"reset", Kind::kReset, Argument::kNone},   {"snapshot", Kind::kSnapshot, Argument::kOptional},
    {"status", Kind::kStatus, Argument::kNone}, {"stop", Kind::kStop, Argument::kNone},
    {"mark", Kind::kMark, Argument::kNeeded}};

bool IsBlank(char c) noexcept { return c == ' ' || c == '\t' || c == '\r'; }

std::string_view WithoutBlanks(std::string_view text) noexcept {
  while (!text.empty() && IsBlank(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsBlank(text.back())) text.remove_suffix(1);
  return text;
}

// Arguments are UTF-8 names; only control characters are refused here. Mark checks the encoding.
bool IsText(std::string_view text) noexcept {
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < ' ' || c == 0x7f) return false;
  }
  return true;
}

ControlCommand Bad(std::string_view a, std::string_view b = {}, std::string_view c = {}) noexcept {
  ControlCommand command;
  command.kind = Kind::kBad;
  command.complaint.Add(a).Add(b).Add(c);
  return command;
}

// The answer to an unknown command: its first 40 bytes, as printable ASCII because the sender's
// terminal shows them, and the nearest command or the list of all.
ControlCommand Unknown(std::string_view word) noexcept {
  constexpr std::size_t kCount = sizeof kWords / sizeof kWords[0];
  std::string_view names[kCount];
  for (std::size_t i = 0; i < kCount; ++i) names[i] = kWords[i].name;
  ControlCommand command = Bad("unknown command '");
  constexpr std::size_t kShown = 40;
  for (std::size_t i = 0; i < word.size() && i < kShown; ++i) {
    command.complaint.Add(word[i] >= ' ' && word[i] < 127 ? word[i] : '?');
  }
  if (word.size() > kShown) command.complaint.Add("...");
  command.complaint.Add('\'');
  // A longer word is no slip of the keyboard, and NearestName would be near to a command by chance.
  constexpr std::size_t kLongestSlip = 16;
  const std::string_view nearest =
      word.size() <= kLongestSlip ? NearestName(word, names, kCount) : std::string_view();
  if (!nearest.empty()) {
    command.complaint.Add(" (did you mean ").Add(nearest).Add("?)");
  } else {
    command.complaint.Add(" (pause, resume, snapshot, reset, mark, status, stop)");
  }
  return command;
}

}  // namespace

ControlCommand ParseControlCommand(std::string_view line) noexcept {
  const std::string_view text = WithoutBlanks(line);
  if (text.empty() || text.front() == '#') return {};
  std::size_t end = 0;
  while (end < text.size() && !IsBlank(text[end])) ++end;
  const std::string_view name(text.data(), end);
  const std::string_view argument =
      WithoutBlanks(std::string_view(text.data() + end, text.size() - end));
  for (const Word& word : kWords) {
    if (word.name != name) continue;
    if (word.argument == Argument::kNone && !argument.empty()) {
      return Bad(word.name, " does not accept an argument");
    }
    if (word.argument == Argument::kNeeded && argument.empty()) {
      return Bad(word.name, " needs an argument");
    }
    if (!IsText(argument)) {
      return Bad(word.name, ": the argument must not contain control characters");
    }
    ControlCommand command;
    command.kind = word.kind;
    command.argument = argument;
    return command;
  }
  return Unknown(name);
}

}  // namespace csink::agent
