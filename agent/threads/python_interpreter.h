#pragma once

#include "profil/inside/python/interpreter.h"

namespace csink::agent {

/// Whether this process has loaded a CPython interpreter whose functions can be named;
/// `interpreter` describes it. Costs one relocation at load where there is none. Threads: main, at
/// the start. Signals: not safe.
bool FindPython(PythonInterpreter& interpreter) noexcept;

}  // namespace csink::agent
