#pragma once

#include "core/util/text.h"
#include "profil/spool/small_record.h"

namespace csink::agent {

/// The file that an exec means.
struct ExecTarget {
  int folder;        ///< A relative `name` starts here; AT_FDCWD: the working directory
  const char* name;  ///< nullptr or "": `folder` is the file itself
  bool search;       ///< Without a slash it is looked for along PATH, as execvp does
};

/// Why libagent.so cannot be preloaded into that program (FindPreloadObstacle); kNone also when it
/// cannot be told. `path`: what to
/// call it. A file that was found good is not looked at again.
/// Signals: safe, also in a vfork child: everything is on the stack (4 KiB), the
/// descriptors are the child's own.
spool::Refusal WhyNotFollowed(const ExecTarget& target, Text<512>& path) noexcept;

}  // namespace csink::agent
