#pragma once

#include <cstdint>
#include <string_view>

#include "core/util/text.h"

namespace csink::agent {

/// What CSINK_INCLUDE and CSINK_EXCLUDE are compared with.
struct ProcessFacts {
  std::string_view path;     ///< Of the executable
  std::string_view command;  ///< The arguments, program's name included, a blank between
  std::uint32_t depth;       ///< 0: the process with which the profile began
};

/// What a list says of a process.
struct FilterAnswer {
  bool matches = false;      ///< One of the items does
  bool empty = true;         ///< Nothing but `leaf` stands in it
  bool leaf = false;         ///< `leaf` stands in it: judged when the process ends
  bool needs_depth = false;  ///< Some item asks for the depth
  Text<512> mistake;         ///< The first item that means nothing, and why; empty: none
};

/// Items, separated by blanks or semicolons:
///   REGEX, name:REGEX   the whole name of the executable's file
///   path:REGEX          its path, anywhere in it
///   args:REGEX          its command line, anywhere in it (\s: a blank)
///   depth:2, depth:1-3  how far below the first process
///   leaf                processes that made no child of their own
/// Regular expressions as agent/settings/regex.h has them. A wrong item matches nothing.
FilterAnswer AskFilter(std::string_view list, const ProcessFacts& facts) noexcept;

}  // namespace csink::agent
