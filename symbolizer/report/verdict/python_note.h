#pragma once

#include <string>

#include "profil/reading/model/profile.h"

namespace csink::report {

/// How many samples of processes with an interpreter have a Python function, and what was seen of
/// the others. Empty: no function was looked for. Threads: any.
std::string PythonNote(const Profile& profile);

}  // namespace csink::report
