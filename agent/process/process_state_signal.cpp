#include "agent/process/process_state.h"
#include "core/util/raw_syscall.h"
#include "core/util/thread_id.h"

namespace csink::agent {

// A raw system call: glibc before 2.25 kept the number in a cache, which a child made by clone or
// vfork inherits.
pid_t OwnPid() noexcept { return static_cast<pid_t>(RawSyscall(SYS_getpid)); }

void ProcessState::RememberProcess() noexcept { pid_ = OwnPid(); }
bool ProcessState::IsOurProcess() const noexcept { return sandboxed_ || OwnPid() == pid_; }
// In a sandbox gettid may kill, so every thread gets the same, non-zero owner.
pid_t ProcessState::Tid() const noexcept { return sandboxed_ ? 1 : AskTid(); }

}  // namespace csink::agent
