#include "agent/settings/regex.h"

#include <cstddef>

/// File: a backtracking matcher that works on the pattern itself, without compiling it. Sequence
/// matches the parts of one alternative from left to right. What must follow when it comes to its
/// end is a list of Next on the stack of the callers (continuations), so that a group can be left
/// and tried again. Steps and depth are limited, because nested repetitions take exponential time.

namespace csink::agent {
namespace {

// Nested repetitions take exponential time, and the process waits for the answer at its start.
constexpr unsigned kMostSteps = 100'000;
// Levels of recursion: 200 KiB of stack.
constexpr unsigned kMostDepth = 2'000;

bool IsDigit(char c) noexcept { return c >= '0' && c <= '9'; }
// ASCII only: there is no locale.
bool IsWord(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || IsDigit(c) || c == '_';
}

// \d, \w, \s; every other letter stands for itself.
bool MatchesEscape(char letter, char c) noexcept {
  switch (letter) {
    case 'd':
      return IsDigit(c);
    case 'w':
      return IsWord(c);
    case 's':
      return c == ' ' || (c >= '\t' && c <= '\r');
    default:
      return c == letter;
  }
}

// What must match after the present part: the rest of a sequence, or another round of a repeated
// group. Lives on the stack of the function that matches the part.
struct Next {
  std::size_t at;  // of the pattern
  std::size_t end;
  const Next* next;
  bool is_round;  // at..atom_end is a group that may come again
  std::size_t atom_end;
  std::size_t round_start;  // of the text
};

// One match: pattern and text, and the work that was done so far.
class Matcher {
 public:
  Matcher(std::string_view pattern, std::string_view text, bool whole) noexcept
      : p_(pattern), t_(text), whole_(whole) {}

  RegexMatch Run() noexcept {
    if (!WellFormed()) return RegexMatch::kBad;
    // Not anchored: each start is tried; with whole_ only the first.
    for (std::size_t start = 0; start <= t_.size(); ++start) {
      if (Alternatives(0, p_.size(), start, nullptr)) return RegexMatch::kYes;
      if (steps_ > kMostSteps) return RegexMatch::kTooHard;
      if (whole_) break;
    }
    return RegexMatch::kNo;
  }

 private:
  // The end of the atom (character, escape, class or group) that begins at `at`; p_.size() + 1 if
  // the pattern ends inside it.
  std::size_t AtomEnd(std::size_t at) const noexcept {
    const std::size_t cut = p_.size() + 1;
    if (p_[at] == '\\') return at + 2 <= p_.size() ? at + 2 : cut;
    if (p_[at] == '[') {
      std::size_t i = at + 1;
      if (i < p_.size() && p_[i] == '^') ++i;
      if (i < p_.size() && p_[i] == ']') ++i;  // first in a class: itself
      for (; i < p_.size() && p_[i] != ']'; ++i) {
        if (p_[i] == '\\') ++i;
      }
      return i < p_.size() ? i + 1 : cut;
    }
    if (p_[at] != '(') return at + 1;
    std::size_t i = at + 1;
    while (i < p_.size() && p_[i] != ')') {
      i = AtomEnd(i);
      if (i > p_.size()) return cut;
    }
    return i < p_.size() ? i + 1 : cut;
  }

  static bool IsRepeat(char c) noexcept { return c == '*' || c == '+' || c == '?'; }

  // Checks what the other functions rely on: complete escapes and classes, balanced groups at most
  // 32 deep, and every repetition behind an atom. A class is skipped as a whole, because it may
  // contain any of these characters.
  bool WellFormed() const noexcept {
    std::size_t open = 0;
    bool repeatable = false;
    for (std::size_t at = 0; at < p_.size();) {
      const char c = p_[at];
      if (IsRepeat(c) && !repeatable) return false;
      open += c == '(';
      if (c == ')' && open-- == 0) return false;
      if (open > 32) return false;
      repeatable = !IsRepeat(c) && c != '(' && c != '|' && c != '^' && c != '$';
      if (c == '\\' || c == '[') {
        at = AtomEnd(at);
        if (at > p_.size()) return false;
      } else {
        ++at;
      }
    }
    return open == 0;
  }

  // Whether the one-character atom at `at`, which ends at `end`, matches `c`.
  bool MatchesOne(std::size_t at, std::size_t end, char c) const noexcept {
    if (p_[at] == '.') return true;
    if (p_[at] == '\\') return MatchesEscape(p_[at + 1], c);
    if (p_[at] != '[') return p_[at] == c;
    std::size_t i = at + 1;
    const bool negated = p_[i] == '^';
    if (negated) ++i;
    bool found = false;
    for (bool first = true; i + 1 < end; first = false) {
      if (p_[i] == ']' && !first) break;
      // `end` is behind the ']', so the last character of the class is at end - 2.
      if (p_[i] == '\\' && i + 2 < end) {
        found |= MatchesEscape(p_[i + 1], c);
        i += 2;
      } else if (i + 3 < end && p_[i + 1] == '-' && p_[i + 2] != ']') {
        found |= c >= p_[i] && c <= p_[i + 2];
        i += 3;
      } else {
        found |= p_[i] == c;
        ++i;
      }
    }
    return found != negated;
  }

  // Continues after the end of a sequence. At the end of the pattern the match is complete, unless
  // `whole_` asks for the end of the text.
  bool Resume(const Next* next, std::size_t text) noexcept {
    if (!next) return !whole_ || text == t_.size();
    if (!next->is_round) return Sequence(next->at, next->end, text, next->next);
    // A round that matched nothing would repeat for ever and leads nowhere new.
    if (text == next->round_start) return false;
    return Rounds(*next, text);
  }

  // Another round of the group, or what follows it.
  bool Rounds(const Next& group, std::size_t text) noexcept {
    Next again = group;
    again.round_start = text;
    // The group's text without its parentheses. Another round is tried before the rest of the
    // pattern, because repetition is greedy.
    if (Alternatives(group.at + 1, group.atom_end - 1, text, &again)) return true;
    return Sequence(group.atom_end + 1, group.end, text, group.next);
  }

  // Tries the alternatives of [at, end) from left to right, each followed by `next`.
  bool Alternatives(std::size_t at, std::size_t end, std::size_t text, const Next* next) noexcept {
    std::size_t start = at;
    for (std::size_t i = at; i < end;) {
      if (p_[i] == '|') {
        if (Sequence(start, i, text, next)) return true;
        start = ++i;
      } else {
        i = AtomEnd(i);
      }
    }
    return Sequence(start, end, text, next);
  }

  // Matches the atoms from `at` to `end` and then `next`. Counts a step; too many end the match.
  bool Sequence(std::size_t at, std::size_t end, std::size_t text, const Next* next) noexcept {
    struct Deeper {
      unsigned& depth;
      explicit Deeper(unsigned& d) noexcept : depth(d) { ++depth; }
      ~Deeper() { --depth; }
    } deeper(depth_);
    // steps_ stays above the limit, so that Run reports kTooHard.
    if (++steps_ > kMostSteps || depth_ > kMostDepth) {
      steps_ = kMostSteps + 1;
      return false;
    }
    if (at >= end) return Resume(next, text);
    if (p_[at] == '^') return text == 0 && Sequence(at + 1, end, text, next);
    if (p_[at] == '$') return text == t_.size() && Sequence(at + 1, end, text, next);
    const std::size_t atom_end = AtomEnd(at);
    const char repeat = atom_end < end && IsRepeat(p_[atom_end]) ? p_[atom_end] : 0;
    const std::size_t rest = atom_end + (repeat != 0);
    if (p_[at] == '(') return Group(at, atom_end, end, repeat, text, next);
    // How often the atom may match, and how often it must.
    std::size_t most = repeat == '*' || repeat == '+' ? t_.size() : 1;
    const std::size_t least = repeat == '*' || repeat == '?' ? 0 : 1;
    std::size_t count = 0;
    // An atom of one character matches in a loop, without a level of recursion for each.
    while (count < most && text + count < t_.size() && MatchesOne(at, atom_end, t_[text + count])) {
      ++count;
    }
    // The longest repetition first, then shorter ones.
    for (most = count + 1; most-- > least;) {
      if (Sequence(rest, end, text + most, next)) return true;
    }
    return false;
  }

  // Matches the group at `at`, with its repetition, and then the rest of the sequence.
  bool Group(std::size_t at, std::size_t atom_end, std::size_t end, char repeat, std::size_t text,
             const Next* next) noexcept {
    if (repeat == '*' || repeat == '+') {
      const Next group = {at, end, next, true, atom_end, t_.size() + 1};
      // `round_start` beyond the text: no round has begun yet.
      if (repeat == '*') return Rounds(group, text);
      Next first = group;
      first.round_start = t_.size() + 1;
      return Alternatives(at + 1, atom_end - 1, text, &first);
    }
    const Next after = {atom_end + (repeat != 0), end, next, false, 0, 0};
    if (Alternatives(at + 1, atom_end - 1, text, &after)) return true;
    return repeat == '?' && Sequence(after.at, end, text, next);
  }

  std::string_view p_;
  std::string_view t_;
  bool whole_;
  unsigned steps_ = 0;
  unsigned depth_ = 0;
};

}  // namespace

RegexMatch MatchRegex(std::string_view pattern, std::string_view text, bool whole) noexcept {
  return Matcher(pattern, text, whole).Run();
}

}  // namespace csink::agent
