#pragma once

#include <string_view>

namespace csink::agent {

/// The result of a match.
enum class RegexMatch : unsigned char {
  kNo,
  kYes,
  kBad,  ///< The pattern is malformed
  /// Given up after 100,000 steps or 2,000 levels of recursion: nested repetitions
  kTooHard,
};

/// A small matcher for names and command lines, without heap, locale or libc: regcomp(3) may
/// allocate before the program's allocator is ready. Known are
///   . [abc] [^a-z] \d \w \s \X  (any other X: itself)   x* x+ x?   (a|b)   ^ $
/// with their usual meanings, for bytes, longest repetition first. Groups nest up to 32 deep.
///
/// `whole`: the pattern must match the whole text; otherwise it may match anywhere. Stack:
/// proportional to the lengths of pattern and text, 200 KiB at most, so not on a small signal
/// stack. Threads: any.
RegexMatch MatchRegex(std::string_view pattern, std::string_view text, bool whole) noexcept;

}  // namespace csink::agent
