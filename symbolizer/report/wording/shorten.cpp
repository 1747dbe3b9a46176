#include "symbolizer/report/wording/shorten.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <string_view>
#include <vector>

#include "core/util/utf8.h"

/// File: shortens names. FindGroups finds the brackets of a name; ShortenFunction empties groups
/// from the inside until the name fits. C++ operators and Rust's arrows contain '<' and '>' that
/// are not brackets, so each bracket is checked for that.

namespace csink::report {
namespace {

constexpr std::string_view kDots = "...";

/// The inside of a pair of brackets.
struct Group {
  std::size_t begin;  // Behind the opening bracket
  std::size_t end;    // At the closing bracket
  int depth;
};

/// Whether the bracket at `at` belongs to an operator's name: operator<, <<, <=>, ->, (). Looks at
/// the last "operator" before it.
bool IsOperator(const std::string& name, std::size_t at) {
  static constexpr std::string_view kWord = "operator";
  const auto word = name.rfind(kWord, at);
  if (word == std::string::npos) return false;
  const std::size_t begin = word + kWord.size();
  if (name.compare(begin, 2, "()") == 0) return at < begin + 2;
  const std::size_t end = name.find_first_not_of("<>=-", begin);
  return at < (end == std::string::npos ? name.size() : end);
}

/// All bracket pairs with more than `least` bytes between them, with their nesting depth. Brackets
/// without a partner are ignored: names may be cut.
std::vector<Group> FindGroups(const std::string& name, std::size_t least) {
  std::vector<Group> groups;
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (c != '<' && c != '>' && c != '(' && c != ')') continue;
    if (IsOperator(name, i)) continue;
    if (c == '>' && i > 0 && name[i - 1] == '-') continue;  // Rust: fn() -> T
    if (c == '<' || c == '(') {
      open.push_back(i);
      continue;
    }
    const char partner = c == '>' ? '<' : '(';
    if (open.empty() || name[open.back()] != partner) continue;
    const std::size_t begin = open.back() + 1;
    open.pop_back();
    if (i - begin > least) groups.push_back({begin, i, static_cast<int>(open.size())});
  }
  return groups;
}

/// The group to empty next: the deepest; of equally deep ones the longest. Only groups longer than
/// the dots are candidates, so each step shortens the name and the loop ends. A group at the start
/// of a Rust name ("<T as Trait>::f") is kept, because it says which type the function belongs to.
std::optional<Group> NextGroup(const std::string& name) {
  std::optional<Group> best;
  for (const Group& group : FindGroups(name, kDots.size())) {
    if (group.begin == 1 && name[0] == '<') continue;
    const bool better =
        !best || group.depth > best->depth ||
        (group.depth == best->depth && group.end - group.begin > best->end - best->begin);
    if (better) best = group;
  }
  return best;
}

/// Removes the parameter list and everything behind it: "f(...) const" -> "f". A list in front of a
/// "::" is kept, because it belongs to an outer function: "f(int)::{lambda}::operator()".
std::string WithoutParameters(const std::string& name) {
  std::size_t cut = name.size();
  for (const Group& group : FindGroups(name, 0)) {
    const bool is_list = group.depth == 0 && name[group.end] == ')' && group.begin > 1;
    if (is_list && name.find("::", group.end) == std::string::npos) cut = group.begin - 1;
  }
  return name.substr(0, cut);
}

}  // namespace

std::string Printable(const std::string& text) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = Utf8Bytes(text, at);
    // U+0080 to U+009F are control characters, too, and some terminals interpret them.
    if (PrintableBytes(text, at) == 0) {
      result += '?';
      at += length == 0 ? 1 : length;
      continue;
    }
    result.append(text, at, length);
    at += length;
  }
  return result;
}

std::string OneLine(const std::string& text) {
  std::string result = text;
  for (char& c : result) c = c == '\n' || c == '\t' || c == '\r' ? ' ' : c;
  return Printable(result);
}

std::string BaseName(const std::string& path) {
  const auto slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

std::string WithBaseName(const std::string& command) {
  const std::size_t end = std::min(command.find(' '), command.size());
  const std::size_t slash = command.rfind('/', end);
  return slash == std::string::npos || slash + 1 >= end ? command : command.substr(slash + 1);
}

std::string KeepTail(const std::string& text, std::size_t width) {
  if (DisplayWidth(text) <= width) return text;
  if (width <= kDots.size()) return text.substr(TailBegin(text, width));
  return std::string(kDots) + text.substr(TailBegin(text, width - kDots.size()));
}

std::string KeepHead(const std::string& text, std::size_t width) {
  if (DisplayWidth(text) <= width) return text;
  if (width <= kDots.size()) return text.substr(0, HeadBytes(text, width));
  return text.substr(0, HeadBytes(text, width - kDots.size())) + std::string(kDots);
}

std::string ShortenFunction(const std::string& name, std::size_t width) {
  std::string result = name;
  while (DisplayWidth(result) > width) {
    const auto group = NextGroup(result);
    if (!group) break;
    result.replace(group->begin, group->end - group->begin, kDots);
  }
  if (DisplayWidth(result) > width) result = WithoutParameters(result);
  if (DisplayWidth(result) <= width) return result;
  // Too narrow for both ends.
  if (width <= kDots.size() + 4) return KeepHead(result, width);
  // The function's own name is at the end and gets two thirds of the width.
  const std::size_t head = (width - kDots.size()) / 3;
  const std::size_t tail = width - kDots.size() - head;
  return result.substr(0, HeadBytes(result, head)) + std::string(kDots) +
         result.substr(TailBegin(result, tail));
}

}  // namespace csink::report
