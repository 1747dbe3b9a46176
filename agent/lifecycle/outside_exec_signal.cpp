#include <elf.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstring>

#include "agent/lifecycle/outside_exec.h"
#include "core/machine/deadly_calls.h"
#include "core/machine/installed_program.h"
#include "core/util/parse.h"
#include "core/util/raw_syscall.h"
#include "core/util/small_file.h"
#include "core/util/unique_fd.h"

/// File: whether csink-attach can take the place of a program that cannot be preloaded. Every
/// condition is tested before the exec, because after it there is no way back to the caller.

namespace csink::agent {
namespace {

using spool::Refusal;

// A 32-bit program of x86-64. Programs of other processors run only where an emulator is
// registered, and elsewhere exec must return ENOEXEC.
bool IsI386(const char* path) noexcept {
#if defined(__x86_64__)
  const SmallFile<sizeof(Elf32_Ehdr)> file(path);
  Elf32_Ehdr header;
  if (file.view().size() != sizeof header) return false;
  std::memcpy(&header, file.view().data(), sizeof header);
  return std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_machine == EM_386;
#else
  (void)path;
  return false;
#endif
}

// The fields before TracerPid have some 130 bytes, and the name up to 64.
bool IsTraced() noexcept {
  const SmallFile<512> status("/proc/thread-self/status");
  const std::string_view tracer = FieldOf(status.view(), "TracerPid");
  return !tracer.empty() && tracer != "0";
}

// Whether the memory is limited, or the limits cannot be read: csink-attach might then not start.
bool MemoryIsLimited() noexcept {
  for (const int resource : {RLIMIT_AS, RLIMIT_DATA}) {
    struct rlimit limit = {};
    if (RawSyscall(SYS_prlimit64, 0, resource, 0, SyscallArg(&limit)) < 0 ||
        limit.rlim_cur != RLIM_INFINITY) {
      return true;
    }
  }
  return false;
}

// The event that csink-attach samples by default; 5 us.
bool PerfIsPermitted() noexcept {
  if (IsDeadly(DeadlyCall::kPerfEventOpen)) return false;
  perf_event_attr attr;
  std::memset(&attr, 0, sizeof attr);
  attr.size = PERF_ATTR_SIZE_VER1;
  attr.type = PERF_TYPE_SOFTWARE;
  attr.config = PERF_COUNT_SW_TASK_CLOCK;
  attr.disabled = 1;
  attr.exclude_kernel = 1;
  attr.exclude_hv = 1;
  const long fd =
      RawSyscall(SYS_perf_event_open, SyscallArg(&attr), 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
  const UniqueFd event(fd >= 0 ? static_cast<int>(fd) : -1);
  return fd >= 0;
}

// The library as LD_PRELOAD names it: dladdr takes the loader's lock, which a vfork child must not.
// A relative entry would be searched from the working directory, which the program may change.
bool FindAttacher(std::string_view agent, Text<512>& path) noexcept {
  return agent.starts_with('/') && FindInstalled(agent, "csink-attach", ProgramKind::kHelper, path);
}

}  // namespace

bool PlanOutsideExec(const ExecTarget& target, std::string_view agent, OutsideExec& plan) noexcept {
  // csink-attach executes the program by its name, from the same working directory.
  if (target.folder != AT_FDCWD || !target.name || !target.name[0]) return false;
  plan.why = WhyNotFollowed(target, plan.program);
  const bool possible = plan.why == Refusal::kStatic || plan.why == Refusal::kMusl ||
                        (plan.why == Refusal::kOtherMachine && IsI386(plan.program.c_str()));
  // Longer texts would have been cut.
  if (!possible || plan.program.size() >= 511 || agent.size() >= 511) return false;
  // A file that exec would refuse must be refused by exec itself.
  if (!MayExecute(plan.program.c_str()) || IsTraced() || MemoryIsLimited() || !PerfIsPermitted() ||
      !FindAttacher(agent, plan.attacher)) {
    return false;
  }
  // A static program ignores LD_PRELOAD and passes it on. A musl program would die of the entry.
  if (plan.why == Refusal::kStatic) plan.agent.Add(agent);
  plan.why_number.Number(static_cast<std::uint64_t>(plan.why));
  return true;
}

char* const* OutsideArguments(const OutsideExec& plan, char* const* arguments, std::size_t count,
                              char** room) noexcept {
  const char* const words[kBecomeWords] = {plan.attacher.c_str(), "become", plan.why_number.c_str(),
                                           plan.agent.c_str(), plan.program.c_str()};
  for (std::size_t i = 0; i < kBecomeWords; ++i) room[i] = const_cast<char*>(words[i]);
  std::memcpy(room + kBecomeWords, arguments, count * sizeof(char*));
  return room;
}

}  // namespace csink::agent
