#include "symbolizer/report/wording/openmp_words.h"

#include <algorithm>
#include <iterator>

namespace csink::report {
namespace {

/// Parts of names of outlined functions. GCC: tree-nested and omp-low.cc ("_omp_fn"); Clang:
/// CGOpenMPRuntime.cpp ("omp_outlined", ".omp_task_entry.").
constexpr std::string_view kOutlined[] = {"._omp_fn.", ".omp_outlined", ".omp_task_entry."};

/// What a thread does in functions whose name begins so.
struct Role {
  std::string_view beginning;
  OpenMpRole role;
};
/// Beginnings of names; a longer one stands before its own beginning. libgomp: bar.c, team.c,
/// critical.c, loop.c; libomp: kmp_barrier.cpp, kmp_runtime.cpp, kmp_csupport.cpp.
constexpr Role kRoles[] = {
    {"gomp_team_barrier", OpenMpRole::kBarrier},
    {"gomp_team_end", OpenMpRole::kBarrier},
    {"gomp_team_start", OpenMpRole::kFork},
    {"gomp_barrier_handle_tasks", OpenMpRole::kBarrier},
    {"gomp_barrier_wait", OpenMpRole::kIdle},
    {"gomp_simple_barrier_wait", OpenMpRole::kIdle},
    {"gomp_mutex_lock", OpenMpRole::kLock},
    {"gomp_ordered_sync", OpenMpRole::kLock},
    {"GOMP_barrier", OpenMpRole::kBarrier},
    // The functions without a barrier stand before the beginning that they share with a barrier.
    {"GOMP_loop_end_nowait", OpenMpRole::kNone},
    {"GOMP_loop_end", OpenMpRole::kBarrier},
    {"GOMP_sections_end_nowait", OpenMpRole::kNone},
    {"GOMP_sections_end", OpenMpRole::kBarrier},
    {"GOMP_single_copy_start", OpenMpRole::kBarrier},
    {"GOMP_parallel_end", OpenMpRole::kBarrier},
    {"GOMP_parallel", OpenMpRole::kParallel},
    {"GOMP_teams", OpenMpRole::kParallel},
    {"GOMP_critical", OpenMpRole::kLock},
    {"GOMP_atomic_start", OpenMpRole::kLock},
    {"GOMP_ordered_start", OpenMpRole::kLock},
    {"omp_set_lock", OpenMpRole::kLock},
    {"omp_set_nest_lock", OpenMpRole::kLock},
    {"__kmp_fork_barrier", OpenMpRole::kForkBarrier},
    {"__kmp_join_barrier", OpenMpRole::kBarrier},
    {"__kmp_barrier", OpenMpRole::kBarrier},
    {"__kmp_join_call", OpenMpRole::kBarrier},
    {"__kmp_internal_join", OpenMpRole::kBarrier},
    {"__kmp_fork_call", OpenMpRole::kFork},
    {"__kmp_acquire_", OpenMpRole::kLock},
    {"__kmpc_barrier", OpenMpRole::kBarrier},
    {"__kmpc_cancel_barrier", OpenMpRole::kBarrier},
    {"__kmpc_critical", OpenMpRole::kLock},
    {"__kmpc_ordered", OpenMpRole::kLock},
    {"__kmpc_set_lock", OpenMpRole::kLock},
    {"__kmpc_set_nest_lock", OpenMpRole::kLock},
    {"__kmpc_fork_call", OpenMpRole::kParallel},
    {"__kmpc_fork_teams", OpenMpRole::kParallel},
    {"__kmp_invoke_microtask", OpenMpRole::kParallel},
};

/// Beginnings of the names of the runtimes' own functions: libgomp, then libomp.
constexpr std::string_view kOwn[] = {"GOMP_", "gomp_", "__kmp_", "__kmpc_"};

}  // namespace

bool IsOutlined(std::string_view name) {
  return std::any_of(std::begin(kOutlined), std::end(kOutlined), [&](std::string_view part) {
    return name.find(part) != std::string_view::npos;
  });
}

bool IsOutlinedTask(std::string_view name) {
  return name.find(".omp_task_entry.") != std::string_view::npos;
}

std::string_view EnclosingFunction(std::string_view name) {
  // Up to the first mark: a name may have several.
  std::size_t end = name.size();
  for (const std::string_view part : kOutlined) end = std::min(end, name.find(part));
  if (end == name.size()) return {};
  name = name.substr(0, end);
  // The demangler's style: "solve(int) [clone ._omp_fn.0]".
  constexpr std::string_view kClone = " [clone ";
  if (name.ends_with(kClone)) name.remove_suffix(kClone.size());
  return name;
}

OpenMpRole RoleOf(std::string_view function) {
  const auto it = std::find_if(std::begin(kRoles), std::end(kRoles), [&](const Role& row) {
    return function.starts_with(row.beginning);
  });
  return it == std::end(kRoles) ? OpenMpRole::kNone : it->role;
}

// By beginnings that the runtimes reserve for themselves. In a program that is linked statically
// the runtime has no module of its own.
bool IsOpenMpFunction(std::string_view function) {
  return std::any_of(std::begin(kOwn), std::end(kOwn),
                     [&](std::string_view beginning) { return function.starts_with(beginning); });
}

}  // namespace csink::report
