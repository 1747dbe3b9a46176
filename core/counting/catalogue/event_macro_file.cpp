#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "core/counting/catalogue/event_macros.h"
#include "core/counting/catalogue/pfm_encoding.h"
#include "core/events/event_alias.h"
#include "core/util/parse.h"
#include "core/util/unique_fd.h"

// The reader goes through the file line by line and stops at the first mistake, whose line and text
// become the message. "event" lines set the pattern for the groups below, "group" opens a group,
// every other line is an entry of the open group. docs/event-macros.md has the grammar.

namespace csink {
namespace {

// A file of macros has some kilobytes; the limit stops the reading of a device or a log.
constexpr std::size_t kMaxBytes = 1 << 20;

bool IsBlank(char c) noexcept { return c == ' ' || c == '\t' || c == '\r'; }

/// Takes the first word of `rest`; `rest` is then what follows the word.
std::string_view TakeWord(std::string_view& rest) noexcept {
  rest = TrimmedBlanks(rest);
  std::size_t size = 0;
  while (size < rest.size() && !IsBlank(rest[size])) ++size;
  const std::string_view word = rest.substr(0, size);
  rest = TrimmedBlanks(rest.substr(size));
  return word;
}

bool IsName(std::string_view text) noexcept {
  for (char c : text) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (!letter && !(c >= '0' && c <= '9') && c != '_' && c != '-') return false;
  }
  return !text.empty();
}

/// Parses a macro file line by line, up to the first mistake.
class Reader {
 public:
  explicit Reader(std::vector<MacroGroup>& groups) : groups_(groups) {}

  /// Parses one line. Returns "", or what is wrong with the line.
  std::string Line(std::string_view line, unsigned number);
  std::string End() { return CloseGroup(); }
  /// The line of the mistake that Line or End returned.
  unsigned problem_line() const { return problem_line_; }

 private:
  std::string Event(std::string_view pattern);
  std::string Group(std::string_view name, unsigned number);
  std::string Entry(std::string_view line);
  std::string CloseGroup();
  std::string CheckTranslation(std::string_view translation) const;

  std::vector<MacroGroup>& groups_;
  std::string pmu_;
  std::string event_;
  bool in_group_ = false;
  unsigned problem_line_ = 0;
};

// A pattern stays in force until the next "event" line.
std::string Reader::Event(std::string_view pattern) {
  if (pattern.empty()) return "\"event\" needs a pattern, as in: event skx::UOPS_*";
  const std::size_t colons = pattern.find("::");
  pmu_ = colons == std::string_view::npos ? "" : std::string(pattern.substr(0, colons));
  event_ = colons == std::string_view::npos ? pattern : pattern.substr(colons + 2);
  if (event_.empty() || event_.find(':') != std::string::npos) {
    return "\"" + std::string(pattern) +
           "\" is not a pattern of an event (pmu::EVENT, with * and ?)";
  }
  return {};
}

std::string Reader::Group(std::string_view name, unsigned number) {
  if (event_.empty()) return "a \"group\" line must follow an \"event\" line";
  if (!IsName(name)) return "\"group\" needs a name of letters, digits, _ and -";
  MacroGroup group;
  group.name = name;
  group.pmu = pmu_;
  group.event = event_;
  group.line = number;
  // Added before its entries are known; CloseGroup checks that there are some.
  groups_.push_back(group);
  in_group_ = true;
  return {};
}

// "": the right side of an entry can be used. Unit masks are not checked: the file may be for
// events of other machines.
std::string Reader::CheckTranslation(std::string_view translation) const {
  for (const EventToken& token : TokensOf(translation)) {
    if (token.key.empty()) return "a name is missing before '=' or between two ':'";
    if (token.has_value && token.value.empty()) {
      return std::string(token.key) + "= needs a value, or ? if the user gives the value";
    }
    // Macros are not expanded again, so a macro inside another would reach libpfm4 as it is.
    for (const EventMacro& other : groups_.back().entries) {
      if (!token.has_value && EqualsIgnoringCase(token.key, other.name)) {
        return "macro " + other.name + " cannot be used in another macro";
      }
    }
  }
  return translation.empty() ? "expected NAME = attributes, as in: EDGES = e=1" : "";
}

// An entry needs an open group. "default" and "fixed" stand in front of the name.
std::string Reader::Entry(std::string_view line) {
  std::string_view rest = line;
  std::string_view name = TakeWord(rest);
  const bool is_default = name == "default";
  const bool is_fixed = name == "fixed";
  if (is_default || is_fixed) name = TakeWord(rest);
  if (rest.empty() || rest.front() != '=') {
    return "expected event, group, or [default|fixed] NAME = attributes";
  }
  if (!in_group_) return "an entry must follow a \"group\" line";
  if (!IsName(name)) return "\"" + std::string(name) + "\" is not a valid name for a macro";
  const std::string_view translation = TrimmedBlanks(rest.substr(1));
  if (std::string problem = CheckTranslation(translation); !problem.empty()) return problem;
  for (char c : translation) {
    // A comma would end the event in a list of events.
    if (c <= ' ' || c > '~' || c == ',') return "attributes must not contain blanks or commas";
  }
  MacroGroup& group = groups_.back();
  for (const EventMacro& other : group.entries) {
    if (EqualsIgnoringCase(other.name, name)) return "macro " + other.name + " is defined twice";
  }
  if (is_default || is_fixed) {
    if (group.rule != MacroGroup::Rule::kMustChoose) {
      return "a group can have only one default or fixed entry";
    }
    group.rule = is_default ? MacroGroup::Rule::kDefault : MacroGroup::Rule::kFixed;
    group.chosen = group.entries.size();
  }
  group.entries.push_back({std::string(name), std::string(translation)});
  if (group.rule == MacroGroup::Rule::kFixed && group.entries.size() > 1) {
    return "a group with a fixed entry cannot have further entries";
  }
  return {};
}

// A group without entries could never be satisfied. The mistake is that of the line that opened it.
std::string Reader::CloseGroup() {
  if (in_group_ && groups_.back().entries.empty()) {
    problem_line_ = groups_.back().line;
    return "group " + groups_.back().name + " has no entry";
  }
  return {};
}

std::string Reader::Line(std::string_view line, unsigned number) {
  problem_line_ = number;
  line = TrimmedBlanks(line.substr(0, line.find('#')));
  if (line.empty()) return {};
  std::string_view rest = line;
  const std::string_view word = TakeWord(rest);
  // A macro may be called "event" or "group": the '=' makes the line an entry.
  const bool is_entry = !rest.empty() && rest.front() == '=';
  if (is_entry || (word != "event" && word != "group")) return Entry(line);
  std::string problem = CloseGroup();
  if (!problem.empty()) return problem;
  in_group_ = false;
  if (word == "group") return Group(rest, number);
  return Event(rest);
}

// "file:line: what", the form in which compilers report a mistake.
std::string At(std::string_view file, unsigned line, std::string_view what) {
  return std::string(file) + ":" + std::to_string(line) + ": " + std::string(what);
}

}  // namespace

Result<EventMacros> EventMacros::Parse(std::string_view text, std::string_view file,
                                       std::string& problem) {
  EventMacros macros;
  Reader reader(macros.groups_);
  unsigned number = 0;
  // The first mistake ends the reading: with half of the macros an event could count something else
  // than its author meant.
  while (!text.empty()) {
    std::string what = reader.Line(NextToken(text, '\n'), ++number);
    if (what.empty()) continue;
    problem = At(file, reader.problem_line(), what);
    return Error{Errc::kInvalid, 0, "macro file"};
  }
  if (const std::string what = reader.End(); !what.empty()) {
    problem = At(file, reader.problem_line(), what);
    return Error{Errc::kInvalid, 0, "macro file"};
  }
  return macros;
}

Result<EventMacros> EventMacros::Load(const std::string& file, std::string& problem) {
  // O_NONBLOCK: a path of a fifo must not block the program.
  const UniqueFd fd(open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd) {
    // Saved before the text is built: an allocation may change errno.
    const int code = errno;
    problem = file + ": cannot be opened";
    return Error{Errc::kNotFound, code, "macro file"};
  }
  std::string text;
  char piece[4096];
  ssize_t size = 0;
  while ((size = read(fd.get(), piece, sizeof(piece))) > 0 && text.size() <= kMaxBytes) {
    text.append(piece, static_cast<std::size_t>(size));
  }
  if (size < 0) {
    const int code = errno;
    problem = file + ": cannot be read";
    return Error{Errc::kNotFound, code, "macro file"};
  }
  if (text.size() > kMaxBytes) {
    problem = file + ": larger than 1 MiB";
    return Error{Errc::kLimit, 0, "macro file"};
  }
  return Parse(text, file, problem);
}

}  // namespace csink
