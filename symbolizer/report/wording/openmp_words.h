#pragma once

#include <string_view>

/// File: what the names of functions tell about OpenMP: which ones are the bodies of regions, and
/// what a thread in a function of the runtime does.

namespace csink::report {

/// What a thread does in a function of the runtime.
enum class OpenMpRole {
  kNone,         ///< The name does not tell
  kBarrier,      ///< Waits in a barrier of its team
  kLock,         ///< Waits for a lock, a critical or an ordered section
  kIdle,         ///< Waits for the next region
  kForkBarrier,  ///< LLVM: has passed its part of a region's last barrier, or is idle
  kFork,         ///< Starts the threads of a region
  kParallel,     ///< The call of a region: starts, runs and ends it
};

/// Whether a function is the body of a parallel region or of a task that a compiler put into a
/// function of its own. `name`: as in the symbol table, or demangled. GCC: "main._omp_fn.0"; Clang:
/// ".omp_outlined.", "main.omp_outlined", ".omp_task_entry.".
bool IsOutlined(std::string_view name);
/// Whether the name is one of Clang's for a task.
bool IsOutlinedTask(std::string_view name);
/// The function in whose source the region is, by the outlined function's name: "main" for
/// "main._omp_fn.0"; empty: the name does not tell.
std::string_view EnclosingFunction(std::string_view name);

/// The role of a function of libgomp or libomp.
OpenMpRole RoleOf(std::string_view function);
/// Whether the name is one of a runtime's own functions, also in a program that is linked
/// statically.
bool IsOpenMpFunction(std::string_view function);

}  // namespace csink::report
