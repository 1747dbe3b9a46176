#pragma once

#include <cstdint>
#include <string_view>

#include "core/util/text.h"

namespace csink::agent {

/// The facts with which CSINK_INCLUDE and CSINK_EXCLUDE are compared. The texts are borrowed.
struct ProcessFacts {
  /// Of the executable; empty if /proc cannot be read
  std::string_view path;
  /// The arguments, separated by blanks, with the program's name
  std::string_view command;
  std::uint32_t depth;  ///< 0: the process with which the profile began
};

/// The result for one list and one process.
struct FilterAnswer {
  /// One of the items matches
  bool matches = false;
  /// The list has no item, or only `leaf`
  bool empty = true;
  /// The list contains `leaf`, which is judged at the end of the process
  bool leaf = false;
  /// The first item that cannot be understood, and why; empty: none
  Text<512> mistake;
};

/// Compares a process with a list of items, separated by blanks or semicolons:
///   REGEX, name:REGEX   the whole name of the executable's file
///   path:REGEX          its path, anywhere in it
///   args:REGEX          its command line, anywhere in it (\s: a blank)
///   depth:2, depth:1-3  how far below the first process
///   leaf                processes that created no child
///
/// Regular expressions as in agent/settings/regex.h. An item that cannot be understood matches
/// nothing. Threads: any. Signals: not on a small signal stack.
FilterAnswer AskFilter(std::string_view list, const ProcessFacts& facts) noexcept;

}  // namespace csink::agent
