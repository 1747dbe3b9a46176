#include "symbolizer/report/wording/shorten.h"

#include <algorithm>
#include <cctype>
#include <map>
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

/// The number of bytes that all these names begin with.
std::size_t CommonBegin(const std::vector<std::string>& names,
                        const std::vector<std::size_t>& which) {
  const std::string& first = names[which[0]];
  std::size_t common = first.size();
  for (const std::size_t i : which) {
    const auto end = std::mismatch(
        first.begin(),
        first.begin() + static_cast<std::ptrdiff_t>(std::min(common, names[i].size())),
        names[i].begin());
    common = static_cast<std::size_t>(end.first - first.begin());
  }
  return common;
}

/// The begin of a name in a third of the width, and the part around the byte `at`.
std::string ShortenAround(const std::string& name, std::size_t at, std::size_t width) {
  // Two gaps of dots.
  if (width < 4 * kDots.size()) return KeepHead(name, width);
  const std::size_t head = HeadBytes(name, (width - 2 * kDots.size()) / 3);
  const std::size_t room = width - 2 * kDots.size() - (width - 2 * kDots.size()) / 3;
  std::size_t begin = std::max(head, at - std::min(at, room / 2));
  // Not in the middle of a character.
  while (begin < name.size() && (static_cast<unsigned char>(name[begin]) & 0xc0) == 0x80) ++begin;
  const std::string rest = name.substr(begin);
  if (DisplayWidth(rest) <= room + kDots.size()) {
    // The end fits: more of what is before it is shown.
    const std::string tail = name.substr(TailBegin(name, room + kDots.size()));
    return name.substr(0, head) + std::string(kDots) + tail;
  }
  return name.substr(0, head) + std::string(kDots) + KeepHead(rest, room + kDots.size());
}

/// The indices of different names with the same text, by text. Texts of one name are left out.
std::vector<std::vector<std::size_t>> Clashes(const std::vector<std::string>& names,
                                              const std::vector<std::string>& texts) {
  std::map<std::string_view, std::vector<std::size_t>> by_text;
  for (std::size_t i = 0; i < texts.size(); ++i) by_text[texts[i]].push_back(i);
  std::vector<std::vector<std::size_t>> clashes;
  for (auto& entry : by_text) {
    // No structured binding: clang 14 does not capture one in a lambda.
    std::vector<std::size_t>& which = entry.second;
    const auto differs = [&](std::size_t i) { return names[i] != names[which[0]]; };
    if (std::any_of(which.begin(), which.end(), differs)) clashes.push_back(std::move(which));
  }
  return clashes;
}

/// Numbers the names of a clash: "run<...> #2". The same name has the same number.
void Number(const std::vector<std::string>& names, const std::vector<std::size_t>& widths,
            const std::vector<std::size_t>& which, std::vector<std::string>& texts) {
  std::map<std::string_view, std::size_t> numbers;
  for (const std::size_t i : which) {
    const auto number = numbers.try_emplace(names[i], numbers.size() + 1).first->second;
    const std::string behind = " #" + std::to_string(number);
    texts[i] = KeepHead(texts[i], widths[i] - std::min(widths[i], behind.size())) + behind;
  }
}

}  // namespace

std::string Printable(const std::string& text) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = Utf8Bytes(text, at);
    // U+0080 to U+009F are control characters, too, and some terminals interpret them.
    if (PrintableBytes(text, at) == 0 ||
        ChangesDirection(std::string_view(text).substr(at, length))) {
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

std::vector<std::string> ShortenFunctions(const std::vector<std::string>& names,
                                          const std::vector<std::size_t>& widths) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < names.size(); ++i) {
    texts.push_back(ShortenFunction(names[i], widths[i]));
  }
  // Each round shows the next place where names of a clash differ; names are few and rarely need
  // more than one.
  constexpr int kRounds = 4;
  for (int round = 0; round < kRounds; ++round) {
    const auto clashes = Clashes(names, texts);
    if (clashes.empty()) return texts;
    for (const auto& which : clashes) {
      const std::size_t at = CommonBegin(names, which);
      for (const std::size_t i : which) {
        if (DisplayWidth(names[i]) > widths[i]) texts[i] = ShortenAround(names[i], at, widths[i]);
      }
    }
  }
  for (const auto& which : Clashes(names, texts)) Number(names, widths, which, texts);
  return texts;
}

}  // namespace csink::report
