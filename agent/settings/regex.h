#pragma once

#include <string_view>

namespace csink::agent {

enum class RegexMatch : unsigned char {
  kNo,
  kYes,
  kBad,      ///< The pattern is malformed
  kTooHard,  ///< Given up: nested repetitions that would take for ever
};

/// A small matcher for names and command lines, without heap, locale or libc: regcomp
/// may allocate before the program's allocator is ready. Known are
///   . [abc] [^a-z] \d \w \s \X  (any other X: itself)   x* x+ x?   (a|b)   ^ $
/// with their usual meanings, bytes not characters, longest repetition first.
/// `whole`: the pattern must cover the text from end to end, else it may match
/// anywhere. Stack: proportional to the texts; both at most some KiB.
RegexMatch MatchRegex(std::string_view pattern, std::string_view text, bool whole) noexcept;

}  // namespace csink::agent
