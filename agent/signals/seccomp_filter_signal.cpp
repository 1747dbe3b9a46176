#include <linux/audit.h>
#include <linux/seccomp.h>
#include <sys/syscall.h>

#include <cstddef>

#include "agent/signals/program_memory.h"
#include "agent/signals/seccomp_filter.h"
#include "core/util/raw_syscall.h"

/// File: an interpreter of classic BPF with the instructions that seccomp permits (bpf(4) of the
/// BSDs; Documentation/networking/filter.rst). It runs the filter once for each system call of the
/// agent: accumulator, index register and 16 words of memory, as in the kernel. Only the call's
/// number and the architecture are known; a filter that loads anything else is not decidable and
/// counts as unsafe.

namespace csink::agent {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#else
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#endif

// All system calls that the agent makes after its start, and those of libc for the agent's threads.
// scripts/check_filtered_calls.py checks that the list is complete. Calls that are newer than some
// headers stand as numbers.
constexpr long kOurCalls[] = {
    SYS_brk,
    SYS_chdir,
    SYS_clock_gettime,
    SYS_clone,
    SYS_clone3,
    SYS_close,
    436,  // close_range; Linux 5.9
    SYS_dup3,
    SYS_execve,
    SYS_exit,
    SYS_exit_group,
    SYS_faccessat,
    SYS_fallocate,
    SYS_fcntl,
    SYS_fgetxattr,
    SYS_flock,
    SYS_futex,
    SYS_getcwd,
    SYS_getdents64,
    SYS_geteuid,
    SYS_getgid,
    SYS_getpid,
    SYS_getppid,
    SYS_getrusage,
    SYS_getuid,
    SYS_getxattr,
    SYS_ioctl,
    SYS_kill,
    SYS_gettid,
    SYS_madvise,
    SYS_mkdirat,
    SYS_mknodat,
    SYS_mmap,
    SYS_mprotect,
    SYS_munmap,
    SYS_nanosleep,
    SYS_newfstatat,
    SYS_openat,
    SYS_perf_event_open,
    434,  // pidfd_open; Linux 5.3, newer than some headers
    438,  // pidfd_getfd
    SYS_ppoll,
    SYS_prctl,
    SYS_pread64,
    SYS_prlimit64,
    SYS_process_vm_readv,
    SYS_pwrite64,
    SYS_read,
    SYS_readlinkat,
    SYS_rseq,
    SYS_rt_sigaction,
    SYS_rt_sigpending,
    SYS_rt_sigprocmask,
    SYS_rt_sigqueueinfo,
    SYS_rt_sigreturn,
    SYS_rt_sigtimedwait,
    SYS_rt_tgsigqueueinfo,
    SYS_sched_getaffinity,
    SYS_sched_setaffinity,
    SYS_sched_yield,
    SYS_set_robust_list,
    SYS_statx,
    SYS_tgkill,
    SYS_timer_create,
    SYS_timer_delete,
    SYS_timer_settime,
    SYS_uname,
    SYS_unlinkat,
    SYS_unshare,
    SYS_wait4,
    SYS_waitid,
    SYS_write,
};

// The system calls of RawLog, which blocks SIGPIPE and SIGXFSZ around the write and takes back the
// signal of a failed write.
constexpr long kLogCalls[] = {SYS_rt_sigpending, SYS_rt_sigprocmask, SYS_rt_sigtimedwait,
                              SYS_write};

// The state of the filter's machine: accumulator, index register, scratch memory.
struct Machine {
  std::uint32_t a = 0;
  std::uint32_t x = 0;
  std::uint32_t memory[BPF_MEMWORDS] = {};
};

// The word of struct seccomp_data at `offset`. False: an argument or an instruction pointer, which
// are not known.
bool LoadData(std::uint32_t offset, long number, std::uint32_t* out) noexcept {
  switch (offset) {
    case offsetof(seccomp_data, nr):
      *out = static_cast<std::uint32_t>(number);
      return true;
    case offsetof(seccomp_data, arch):
      *out = kArchitecture;
      return true;
    default:
      return false;
  }
}

// One arithmetic instruction on the accumulator. Returns false for a division by zero and for an
// operation that seccomp does not permit.
bool Calculate(Machine& m, std::uint16_t operation, std::uint32_t operand) noexcept {
  switch (operation) {
    case BPF_ADD:
      m.a += operand;
      return true;
    case BPF_SUB:
      m.a -= operand;
      return true;
    case BPF_MUL:
      m.a *= operand;
      return true;
    case BPF_DIV:
      if (operand == 0) return false;
      m.a /= operand;
      return true;
    case BPF_OR:
      m.a |= operand;
      return true;
    case BPF_AND:
      m.a &= operand;
      return true;
    case BPF_XOR:
      m.a ^= operand;
      return true;
    case BPF_LSH:
      m.a = operand < 32 ? m.a << operand : 0;
      return true;
    case BPF_RSH:
      m.a = operand < 32 ? m.a >> operand : 0;
      return true;
    case BPF_NEG:
      m.a = 0 - m.a;
      return true;
    default:
      return false;
  }
}

// Whether a conditional jump is taken.
bool Jumps(const Machine& m, std::uint16_t test, std::uint32_t operand) noexcept {
  switch (test) {
    case BPF_JEQ:
      return m.a == operand;
    case BPF_JGT:
      return m.a > operand;
    case BPF_JGE:
      return m.a >= operand;
    default:  // BPF_JSET
      return (m.a & operand) != 0;
  }
}

// The fate by the filter's return value. Unknown actions kill, so they count as unsafe;
// SECCOMP_RET_TRACE and _USER_NOTIF depend on another process.
CallFate FateOfAction(std::uint32_t value) noexcept {
  switch (value & SECCOMP_RET_ACTION_FULL) {
    case SECCOMP_RET_ALLOW:
    case SECCOMP_RET_LOG:
    case SECCOMP_RET_ERRNO:
      return CallFate::kSafe;
    default:
      return CallFate::kUnsafe;
  }
}

}  // namespace

CallFate FateOf(const sock_fprog& filter, long number) noexcept {
  Machine m;
  // Classic BPF jumps only forward, so the number of steps is at most the number of instructions.
  // The kernel has not checked the filter yet: a jump may lead behind its end.
  for (std::uint32_t pc = 0; pc < filter.len; ++pc) {
    const sock_filter& line = filter.filter[pc];
    const std::uint32_t operand = BPF_SRC(line.code) == BPF_X ? m.x : line.k;
    switch (BPF_CLASS(line.code)) {
      case BPF_LD:
        if (BPF_MODE(line.code) == BPF_IMM) {
          m.a = line.k;
        } else if (BPF_MODE(line.code) == BPF_MEM && line.k < BPF_MEMWORDS) {
          m.a = m.memory[line.k];
        } else if (BPF_MODE(line.code) == BPF_LEN) {
          m.a = sizeof(seccomp_data);
        } else if (BPF_MODE(line.code) != BPF_ABS || !LoadData(line.k, number, &m.a)) {
          return CallFate::kUnsafe;
        }
        break;
      case BPF_LDX:
        if (BPF_MODE(line.code) == BPF_IMM) {
          m.x = line.k;
        } else if (BPF_MODE(line.code) == BPF_MEM && line.k < BPF_MEMWORDS) {
          m.x = m.memory[line.k];
        } else if (BPF_MODE(line.code) == BPF_LEN) {
          m.x = sizeof(seccomp_data);
        } else {
          return CallFate::kUnsafe;
        }
        break;
      case BPF_ST:
      case BPF_STX:
        if (line.k >= BPF_MEMWORDS) return CallFate::kUnsafe;
        m.memory[line.k] = BPF_CLASS(line.code) == BPF_ST ? m.a : m.x;
        break;
      case BPF_ALU:
        if (!Calculate(m, BPF_OP(line.code), operand)) return CallFate::kUnsafe;
        break;
      case BPF_JMP:
        if (BPF_OP(line.code) == BPF_JA) {
          if (line.k >= filter.len - pc) return CallFate::kUnsafe;
          pc += line.k;
        } else {
          pc += Jumps(m, BPF_OP(line.code), operand) ? line.jt : line.jf;
        }
        break;
      case BPF_RET:
        return FateOfAction(BPF_RVAL(line.code) == BPF_A ? m.a : line.k);
      case BPF_MISC:
        if (BPF_MISCOP(line.code) == BPF_TAX) {
          m.x = m.a;
        } else {
          m.a = m.x;
        }
        break;
      default:
        return CallFate::kUnsafe;
    }
  }
  return CallFate::kUnsafe;  // a program must end with a return
}

template <std::size_t N>
static bool AllowsAll(const sock_fprog& filter, const long (&calls)[N]) noexcept {
  for (const long call : calls) {
    if (FateOf(filter, call) != CallFate::kSafe) return false;
  }
  return true;
}

FilterVerdict JudgeFilter(const void* program_filter) noexcept {
  // Too large for the stack of a thread that installs a filter. The filter is
  // copied, because another thread could change it while it is examined.
  static sock_filter lines[BPF_MAXINSNS];  // 32 KiB of .bss
  sock_fprog filter = {};
  if (!CopyFromProgram(program_filter, &filter, sizeof filter) || filter.len == 0 ||
      filter.len > BPF_MAXINSNS ||
      !CopyFromProgram(filter.filter, lines, filter.len * sizeof lines[0])) {
    return {false, false, false};
  }
  filter.filter = lines;
  return {AllowsAll(filter, kOurCalls), AllowsAll(filter, kLogCalls),
          FateOf(filter, SYS_rt_sigreturn) == CallFate::kSafe};
}

}  // namespace csink::agent
