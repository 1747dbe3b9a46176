#include "agent/process/selection.h"

#include <fcntl.h>

#include "agent/process/ancestors.h"
#include "agent/settings/process_filter.h"
#include "core/util/raw_log.h"
#include "core/util/raw_syscall.h"

/// File: whether this process is profiled at all, by CSINK_FOLLOW, CSINK_INCLUDE and CSINK_EXCLUDE.
/// A process that is not profiled behaves as with CSINK_ENABLE=0. Its children have the same
/// variables and decide for themselves.

namespace csink::agent {
namespace {

// Prints the first item of `variable` that could not be understood. Other bytes than printable
// ASCII are replaced, because the value comes from the environment and the line may go to a
// terminal.
void Warn(const char* variable, const FilterAnswer& answer) noexcept {
  if (answer.mistake.size() == 0) return;
  Text<700> line;
  line.Add(variable).Add(": '");
  for (const char c : answer.mistake.view()) line.Add(c >= ' ' && c < 127 ? c : '?');
  line.Add("'; this item is ignored");
  RawLog(LogLevel::kWarn, line.view());
}

}  // namespace

bool Selection::AtStart(const Config& config, const StartState& start) noexcept {
  const bool exec_is_followed = config.follow >= Follow::kExec;
  const bool has_lists = config.include.size() != 0 || config.exclude.size() != 0;
  // The default needs no file of /proc: CountAncestors reads several.
  if (exec_is_followed && !has_lists) return true;
  const std::uint32_t depth = CountAncestors(start.parent_pid);
  // CSINK_FOLLOW=none or fork: a parent with the agent has taken LD_PRELOAD out of the environment
  // at exec. A child started by the C library itself (system, popen) still has it and stops here.
  if (!exec_is_followed && depth != 0) return false;
  if (!has_lists) return true;

  char path[512];
  const long n = RawSyscall(SYS_readlinkat, AT_FDCWD, SyscallArg("/proc/self/exe"),
                            SyscallArg(path), sizeof path);
  char command[1024];
  const std::size_t bytes = CopyCommand(start, command);
  const ProcessFacts facts = {
      {path, n > 0 ? static_cast<std::size_t>(n) : 0}, {command, bytes}, depth};
  const FilterAnswer include = AskFilter(config.include.view(), facts);
  const FilterAnswer exclude = AskFilter(config.exclude.view(), facts);
  if (depth == 0) {  // once, not for each process of a tree
    Warn("CSINK_INCLUDE", include);
    Warn("CSINK_EXCLUDE", exclude);
  }
  // Whether the process makes a child is known at its end only (AtEnd).
  only_leaves_ = include.leaf;
  only_parents_ = exclude.leaf;
  return (include.empty || include.matches) && !exclude.matches;
}

}  // namespace csink::agent
