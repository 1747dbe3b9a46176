#include <linux/sched.h>
#include <signal.h>

#include <cstdint>
#include <cstring>

#include "core/machine/clone_thread.h"
#include "core/machine/raw_thread.h"
#include "core/util/raw_syscall.h"

namespace csink {
namespace {

constexpr long kMaskBytes = 8;
// The flags of pthread_create without CLONE_FS (root, working directory and umask become copies)
// and without those that store the thread's id: nothing waits for the thread's end.
constexpr unsigned long kFlags =
    CLONE_VM | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM | CLONE_SETTLS;

}  // namespace

long StartRawThread(void (*body)(void*), void* arg, RawThreadMemory& memory) noexcept {
  // A valid thread pointer for code that the compiler protects: x86-64 has variables below it and a
  // pointer to itself at it, aarch64 has variables above it. The stack protector's value is beside
  // it; any value is correct.
  unsigned char* tls = memory.tls + RawThreadMemory::kTlsBytes / 2;
  const auto self = reinterpret_cast<std::uintptr_t>(tls);
  std::memcpy(tls, &self, sizeof self);
  // The new thread inherits the mask, so a handler of the program never runs on it.
  const std::uint64_t all = ~std::uint64_t{0};
  std::uint64_t before = 0;
  RawSyscall(SYS_rt_sigprocmask, SIG_SETMASK, SyscallArg(&all), SyscallArg(&before), kMaskBytes);
  const long r =
      CloneThread(kFlags, body, arg, memory.stack + RawThreadMemory::kStackBytes, tls, nullptr);
  RawSyscall(SYS_rt_sigprocmask, SIG_SETMASK, SyscallArg(&before), 0, kMaskBytes);
  return r;
}

}  // namespace csink
