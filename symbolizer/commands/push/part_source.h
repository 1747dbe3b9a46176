#pragma once

#include "profil/reading/merge/merge.h"
#include "profil/reading/model/profile.h"

/// File: what is read again and again to send a growing profile in parts (push_interval.h).

namespace csink::tool {

/// A growing profile, as it is now.
struct Growth {
  /// Everything that no part was taken of, and the processes of `open`
  Profile now;
  /// The processes of `now` that may still grow, as they are in `now`
  Profile open;
};

/// Reads a growing profile. Processes that have ended are read until they were sent, so that the
/// cost does not grow with their number.
/// Threads: one at a time.
class PartSource {
 public:
  virtual ~PartSource() = default;
  virtual Growth Read(const MergeOptions& options) = 0;
  /// What the last Read returned was sent: processes that had ended are in no later Growth.
  virtual void Taken() = 0;
};

}  // namespace csink::tool
