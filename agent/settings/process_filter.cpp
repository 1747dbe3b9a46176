#include "agent/settings/process_filter.h"

#include "agent/settings/regex.h"
#include "core/util/parse.h"

/// File: the lists of CSINK_INCLUDE and CSINK_EXCLUDE. All items are examined even after a match,
/// so that a mistake in any of them is reported.

namespace csink::agent {
namespace {

bool IsSeparator(char c) noexcept { return c == ' ' || c == ';' || c == '\t' || c == '\n'; }

// The next item of the list; empty at its end.
std::string_view NextItem(std::string_view& rest) noexcept {
  while (!rest.empty() && IsSeparator(rest[0])) rest.remove_prefix(1);
  std::size_t end = 0;
  while (end < rest.size() && !IsSeparator(rest[end])) ++end;
  const std::string_view item(rest.data(), end);
  rest.remove_prefix(end);
  return item;
}

// The last component of a path.
std::string_view BaseOf(std::string_view path) noexcept {
  std::string_view base = path;
  while (!path.empty()) base = NextToken(path, '/');
  return base;
}

// Removes the prefix. False: the item does not begin with it.
bool TakePrefix(std::string_view& item, std::string_view prefix) noexcept {
  if (!item.starts_with(prefix)) return false;
  item.remove_prefix(prefix.size());
  return true;
}

// Reads "2" or "1-3" and compares `depth` with it. Returns nullptr, or what is wrong with the
// range.
const char* InRange(std::string_view range, std::uint32_t depth, bool& inside) noexcept {
  constexpr const char* kExpected = "expected depth:2 or depth:1-3";
  const Result<std::uint64_t> low = ParseUnsigned(NextToken(range, '-'));
  if (!low) return kExpected;
  std::uint64_t high = *low;
  if (!range.empty()) {
    const Result<std::uint64_t> parsed = ParseUnsigned(range);
    if (!parsed || *parsed < *low) return kExpected;
    high = *parsed;
  }
  inside = depth >= *low && depth <= high;
  return nullptr;
}

// Matches `text` with a pattern. Returns nullptr, or why the pattern cannot be used.
const char* Compare(std::string_view pattern, std::string_view text, bool whole,
                    bool& matches) noexcept {
  if (pattern.empty()) return "the pattern is missing";
  switch (MatchRegex(pattern, text, whole)) {
    case RegexMatch::kYes:
      matches = true;
      return nullptr;
    case RegexMatch::kNo:
      return nullptr;
    case RegexMatch::kBad:
      return "not a regular expression";
    case RegexMatch::kTooHard:
      return "the expression needs too many steps to match";
  }
  return nullptr;
}

}  // namespace

FilterAnswer AskFilter(std::string_view list, const ProcessFacts& facts) noexcept {
  FilterAnswer answer;
  for (;;) {
    std::string_view item = NextItem(list);
    if (item.empty()) return answer;
    const std::string_view whole_item = item;
    const char* mistake = nullptr;
    // A list of nothing but `leaf` counts as empty: whether it matches is known at the end only.
    if (item == "leaf") {
      answer.leaf = true;
      continue;
    }
    answer.empty = false;
    if (TakePrefix(item, "depth:")) {
      bool inside = false;
      mistake = InRange(item, facts.depth, inside);
      answer.matches |= inside;
    } else if (TakePrefix(item, "path:")) {
      mistake = Compare(item, facts.path, false, answer.matches);
    } else if (TakePrefix(item, "args:")) {
      mistake = Compare(item, facts.command, false, answer.matches);
    } else {
      // An item without a prefix is a name.
      TakePrefix(item, "name:");
      mistake = Compare(item, BaseOf(facts.path), true, answer.matches);
    }
    // The item as the user wrote it, with its prefix. Only the first mistake is kept.
    if (mistake && answer.mistake.size() == 0) {
      answer.mistake.Add(whole_item).Add(": ").Add(mistake);
    }
  }
}

}  // namespace csink::agent
