#pragma once

#include "core/util/text.h"
#include "profil/format/small_record.h"

namespace csink::agent {

/// The file that an exec call names, in the terms of execveat(2).
struct ExecTarget {
  int folder;  ///< A relative `name` starts here; AT_FDCWD: the working directory
  /// nullptr or "": the file is the descriptor `folder` itself (fexecve)
  const char* name;
  /// A name without a slash is searched along PATH, as execvp does
  bool search;
};

/// Why libagent.so cannot be preloaded into that program (FindPreloadObstacle). kNone: it can, or
/// this cannot be found out. `path` receives the name to report. An absolute path that was found
/// good is not examined again.
/// Threads: any. Signals: safe, also in a vfork child: the function uses 4 KiB of stack and no
///          heap, and its descriptors are the child's own.
spool::Refusal WhyNotFollowed(const ExecTarget& target, Text<512>& path) noexcept;

}  // namespace csink::agent
