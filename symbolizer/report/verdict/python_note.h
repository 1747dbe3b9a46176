#pragma once

#include <string>

#include "profil/reading/model/profile.h"

namespace csink::report {

/// How many samples of interpreters have a Python function, and why others have none. Empty: no
/// function was looked for, or no sample was in an interpreter. Threads: any.
std::string PythonNote(const Profile& profile);

}  // namespace csink::report
