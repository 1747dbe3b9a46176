#include "agent/process/process_state.h"
#include "core/util/raw_syscall.h"
#include "core/util/thread_id.h"

namespace csink::agent {

pid_t OwnPid() noexcept { return static_cast<pid_t>(RawSyscall(SYS_getpid)); }

void ProcessState::RememberProcess() noexcept { pid_ = OwnPid(); }
bool ProcessState::IsOurProcess() const noexcept { return sandboxed_ || OwnPid() == pid_; }
pid_t ProcessState::Tid() const noexcept { return sandboxed_ ? 1 : AskTid(); }

}  // namespace csink::agent
