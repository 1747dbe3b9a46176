#pragma once

#include "profil/reading/model/profile.h"

/// File: what wait calls say of the processes in a profile. Threads: any.

namespace csink {

/// Gives each process what the wait for it returned (Profile::tree_evidence.ends): its CPU time,
/// and its state where the process itself recorded no end. A process number may have been used
/// several times: an end belongs to the last process that began before it, and to the first end
/// behind the process's last reading.
void ApplyChildEnds(Profile& profile);

}  // namespace csink
