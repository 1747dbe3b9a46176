#pragma once

#include <cstddef>

#include "agent/lifecycle/exec_policy.h"
#include "agent/signals/program_memory.h"

namespace csink::agent {

/// If the program is to be sampled from outside (ExecPolicy::PlanOutside), calls
/// `execute(path, arguments, environment)` for csink-attach and returns its result; otherwise
/// returns false. The lists lie on this function's stack. `envp` must be readable; with a null or
/// unreadable `argv` the answer is false. Signals: safe, also in a vfork child.
template <class Execute>
bool TryOutside(const ExecPolicy& policy, const ExecTarget& target, char* const* argv,
                char* const* envp, Execute&& execute) noexcept {
  OutsideExec plan;
  ExecPolicy::Change change;
  // The arguments come last: an exec of a program that can be preloaded need not look at them.
  if (!argv || !policy.PlanOutside(target, envp, plan, change) || !MayReadTexts(argv) || !argv[0]) {
    return false;
  }
  std::size_t count = 1;  // With the last nullptr
  while (argv[count - 1]) ++count;
  char* const* const environment = policy.Apply(change, envp, __builtin_alloca(change.bytes));
  auto** const room = static_cast<char**>(__builtin_alloca((kBecomeWords + count) * sizeof(char*)));
  return execute(plan.attacher.c_str(), OutsideArguments(plan, argv, count, room), environment);
}

}  // namespace csink::agent
