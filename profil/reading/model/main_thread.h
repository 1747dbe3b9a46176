#pragma once

#include "profil/reading/model/profile.h"

namespace csink {

/// Whether the row is the main thread of its process, alone. False for a row whose process does not
/// exist, as in a damaged file. Threads: any.
inline bool IsMainThread(const Profile& profile, const ThreadRow& thread) {
  return thread.process < profile.processes.size() && !thread.is_merged &&
         profile.processes[thread.process].pid == thread.tid;
}

}  // namespace csink
