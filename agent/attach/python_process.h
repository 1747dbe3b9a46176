#pragma once

#include <sys/types.h>

#include <string>

#include "profil/inside/python/interpreter.h"

namespace csink::attach {

enum class FoundPython {
  kNo,          ///< No interpreter, or one whose functions cannot be named
  kUnreadable,  ///< There is one, and no right to read the process's memory (ptrace)
  kYes,
};
/// Whether the process has mapped a CPython interpreter whose functions can be named, in its
/// program or in a libpython3; `interpreter` describes it. `folder`: its folder in /proc. Threads:
/// any.
FoundPython FindPythonIn(const std::string& folder, pid_t pid, PythonInterpreter& interpreter);

}  // namespace csink::attach
