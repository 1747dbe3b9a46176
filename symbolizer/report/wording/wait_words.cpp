#include "symbolizer/report/wording/wait_words.h"

#include <elf.h>

#include <algorithm>

namespace csink::report {
namespace {

using spool::DescriptorKind;
using spool::WaitKind;

/// What is known about a kind of wait.
struct KindRow {
  WaitKind kind;
  const char* word;
  const char* words;  ///< Empty: the name of the system call says more
  unsigned traits;
};
/// The first row is that of kUnknown.
constexpr KindRow kKinds[] = {
#define CSINK_WAIT_KIND(kind, number, word, words, traits) {WaitKind::kind, word, words, traits},
#include "profil/format/wait_kinds.inc"
#undef CSINK_WAIT_KIND
};

/// The row of a kind; that of kUnknown for a number that a newer agent wrote.
const KindRow& RowOf(WaitKind kind) {
  const auto it = std::find_if(std::begin(kKinds), std::end(kKinds),
                               [&](const KindRow& row) { return row.kind == kind; });
  return it == std::end(kKinds) ? kKinds[0] : *it;
}

/// "a pipe"; empty: unknown.
const char* DescriptorWords(DescriptorKind kind) {
  switch (kind) {
    case DescriptorKind::kFile:
      return "a file";
    case DescriptorKind::kDirectory:
      return "a directory";
    case DescriptorKind::kPipe:
      return "a pipe";
    case DescriptorKind::kUnixSocket:
      return "a local socket";
    case DescriptorKind::kNetworkSocket:
      return "a network socket";
    case DescriptorKind::kTerminal:
      return "a terminal";
    case DescriptorKind::kEvent:
      return "an eventfd";
    case DescriptorKind::kTimer:
      return "a timerfd";
    case DescriptorKind::kSignal:
      return "a signalfd";
    case DescriptorKind::kEpoll:
      return "an epoll descriptor";
    case DescriptorKind::kUnknown:
    case DescriptorKind::kOther:
      break;
  }
  return "";
}

/// System calls that may block for long. Numbers: Linux, arch/x86/entry/syscalls/syscall_64.tbl and
/// include/uapi/asm-generic/unistd.h; -1: the machine does not have it.
struct Call {
  const char* name;
  std::int32_t x86_64;
  std::int32_t aarch64;
};
/// In the order of x86-64. Also the names of the C library's functions (IsWaitFunction).
constexpr Call kCalls[] = {
    {"read", 0, 63},
    {"write", 1, 64},
    {"open", 2, -1},
    {"close", 3, 57},
    {"poll", 7, -1},
    {"mmap", 9, 222},
    {"mprotect", 10, 226},
    {"munmap", 11, 215},
    {"brk", 12, 214},
    {"ioctl", 16, 29},
    {"pread64", 17, 67},
    {"pwrite64", 18, 68},
    {"readv", 19, 65},
    {"writev", 20, 66},
    {"select", 23, -1},
    {"msync", 26, 227},
    {"madvise", 28, 233},
    {"pause", 34, -1},
    {"nanosleep", 35, 101},
    {"sendfile", 40, 71},
    {"connect", 42, 203},
    {"accept", 43, 202},
    {"sendto", 44, 206},
    {"recvfrom", 45, 207},
    {"sendmsg", 46, 211},
    {"recvmsg", 47, 212},
    {"clone", 56, 220},
    {"fork", 57, -1},
    {"vfork", 58, -1},
    {"execve", 59, 221},
    {"wait4", 61, 260},
    {"semop", 65, 193},
    {"msgsnd", 69, 189},
    {"msgrcv", 70, 188},
    {"fcntl", 72, 25},
    {"flock", 73, 32},
    {"fsync", 74, 82},
    {"fdatasync", 75, 83},
    {"ftruncate", 77, 46},
    {"rename", 82, -1},
    {"unlink", 87, -1},
    {"rt_sigtimedwait", 128, 137},
    {"rt_sigsuspend", 130, 133},
    {"sync", 162, 81},
    {"futex", 202, 98},
    {"io_getevents", 208, 4},
    {"getdents64", 217, 61},
    {"restart_syscall", 219, 128},
    {"semtimedop", 220, 192},
    {"clock_nanosleep", 230, 115},
    {"epoll_wait", 232, -1},
    {"mq_timedsend", 242, 182},
    {"mq_timedreceive", 243, 183},
    {"waitid", 247, 95},
    {"openat", 257, 56},
    {"pselect6", 270, 72},
    {"ppoll", 271, 73},
    {"splice", 275, 76},
    {"tee", 276, 77},
    {"vmsplice", 278, 75},
    {"epoll_pwait", 281, 22},
    {"fallocate", 285, 47},
    {"accept4", 288, 242},
    {"preadv", 295, 69},
    {"pwritev", 296, 70},
    {"recvmmsg", 299, 243},
    {"syncfs", 306, 267},
    {"sendmmsg", 307, 269},
    {"getrandom", 318, 278},
    {"copy_file_range", 326, 285},
    {"preadv2", 327, 286},
    {"pwritev2", 328, 287},
    {"io_uring_enter", 426, 426},
    {"clone3", 435, 435},
    {"epoll_pwait2", 441, 441},
    {"futex_waitv", 449, 449},
    {"futex_wait", 455, 455},
};

/// The object that a function waits for.
struct FunctionKind {
  std::string_view text;
  WaitKind kind;
};
/// Beginnings of names, without leading underscores. A longer one stands before its own beginning.
constexpr FunctionKind kBeginnings[] = {
    {"pthread_mutex_", WaitKind::kMutex},
    {"lll_lock_wait", WaitKind::kMutex},
    {"mtx_", WaitKind::kMutex},
    {"std::mutex::", WaitKind::kMutex},
    {"std::recursive_mutex::", WaitKind::kMutex},
    {"std::timed_mutex::", WaitKind::kMutex},
    {"pthread_rwlock_rdlock", WaitKind::kReadLock},
    {"pthread_rwlock_timedrdlock", WaitKind::kReadLock},
    {"pthread_rwlock_clockrdlock", WaitKind::kReadLock},
    {"std::shared_mutex::lock_shared", WaitKind::kReadLock},
    {"pthread_rwlock_wrlock", WaitKind::kWriteLock},
    {"pthread_rwlock_timedwrlock", WaitKind::kWriteLock},
    {"pthread_rwlock_clockwrlock", WaitKind::kWriteLock},
    {"std::shared_mutex::", WaitKind::kWriteLock},
    {"pthread_cond_", WaitKind::kCondition},
    {"cnd_", WaitKind::kCondition},
    {"std::condition_variable", WaitKind::kCondition},
    {"sem_", WaitKind::kSemaphore},
    {"new_sem_", WaitKind::kSemaphore},
    {"std::counting_semaphore", WaitKind::kSemaphore},
    {"pthread_barrier_wait", WaitKind::kBarrier},
    {"pthread_join", WaitKind::kJoin},
    {"pthread_timedjoin", WaitKind::kJoin},
    {"pthread_clockjoin", WaitKind::kJoin},
    {"thrd_join", WaitKind::kJoin},
    {"std::thread::join", WaitKind::kJoin},
};
/// Parts of names: Rust's standard library and parking_lot.
constexpr FunctionKind kParts[] = {
    {"Mutex::lock_contended", WaitKind::kMutex},
    {"RawMutex::lock_slow", WaitKind::kMutex},
    {"RwLock::read_contended", WaitKind::kReadLock},
    {"RawRwLock::lock_shared_slow", WaitKind::kReadLock},
    {"RwLock::write_contended", WaitKind::kWriteLock},
    {"RawRwLock::lock_exclusive_slow", WaitKind::kWriteLock},
    {"Condvar::wait", WaitKind::kCondition},
};

}  // namespace

bool Is(WaitTraits trait, WaitKind kind) { return (RowOf(kind).traits & trait) != 0; }

const char* WordFor(WaitKind kind) { return RowOf(kind).word; }

std::string WaitWords(WaitKind kind, DescriptorKind descriptor, const std::string& call) {
  std::string words = RowOf(kind).words;
  if (words.empty()) return call.empty() ? "unknown" : call;
  const std::string of = DescriptorWords(descriptor);
  if (of.empty()) return words;
  switch (kind) {
    case WaitKind::kRead:
    case WaitKind::kPoll:
      return words + " of " + of;
    case WaitKind::kWrite:
    case WaitKind::kSend:
      return words + " to " + of;
    case WaitKind::kReceive:
      return words + " from " + of;
    default:
      return words;
  }
}

std::string SystemCallName(std::uint32_t machine, std::int32_t number) {
  if (number < 0) return "";
  for (const Call& call : kCalls) {
    if ((machine == EM_X86_64 && call.x86_64 == number) ||
        (machine == EM_AARCH64 && call.aarch64 == number)) {
      return call.name;
    }
  }
  return "system call " + std::to_string(number);
}

WaitKind KindOfFunction(std::string_view function) {
  std::string_view name = function;
  // glibc's internal names: "__GI___pthread_mutex_lock", "__lll_lock_wait", "__new_sem_wait".
  if (name.starts_with("__GI_")) name.remove_prefix(5);
  while (name.starts_with('_')) name.remove_prefix(1);
  for (const FunctionKind& row : kBeginnings) {
    if (name.starts_with(row.text)) return row.kind;
  }
  // Rust's names have a path before them ("std::sys::..."), so these are searched within the name.
  for (const FunctionKind& row : kParts) {
    if (name.find(row.text) != std::string_view::npos) return row.kind;
  }
  return WaitKind::kUnknown;
}

bool IsWaitFunction(std::string_view function) {
  // Functions of the C library that wait and are no system calls by name.
  static constexpr std::string_view kMore[] = {
      "sleep", "usleep",  "thrd_sleep",  "wait",         "waitpid", "recv",
      "send",  "sigwait", "sigwaitinfo", "sigtimedwait", "lockf",   "syscall"};
  // Names that begin with two underscores are the implementation's (C17, 7.1.3).
  if (function.starts_with("__") || function.starts_with("_IO_")) return true;
  if (KindOfFunction(function) != WaitKind::kUnknown) return true;
  const auto is_call = [&](const Call& call) { return function == call.name; };
  return std::any_of(std::begin(kCalls), std::end(kCalls), is_call) ||
         std::find(std::begin(kMore), std::end(kMore), function) != std::end(kMore);
}

bool IsRuntimeModule(std::string_view module) {
  static constexpr std::string_view kNames[] = {
      "libc",           "libpthread",     "librt",    "libm", "libdl",           "libstdc++",
      "libc++",         "libc++abi",      "libgcc_s", "ld",   "ld-linux-x86-64", "ld-linux-aarch64",
      "ld-musl-x86_64", "ld-musl-aarch64"};
  if (module == "[vdso]" || module == "[kernel]" || module == "[csink agent]") return true;
  // "libc.so.6", and "libc-2.31.so" of older releases.
  const std::size_t so = module.find(".so");
  if (so == std::string_view::npos) return false;
  std::string_view name = module.substr(0, so);
  const std::size_t version = name.find("-2.");
  if (version != std::string_view::npos) name = name.substr(0, version);
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

bool IsStandardFunction(std::string_view function) {
  // A template's name has its result before it: "void std::this_thread::sleep_for<...>(...)".
  std::string_view name = function.substr(0, function.find_first_of("<("));
  name = name.substr(name.rfind(' ') == std::string_view::npos ? 0 : name.rfind(' ') + 1);
  return name.starts_with("std::") || name.starts_with("__gnu_cxx::") ||
         name.starts_with("core::") || name.starts_with("parking_lot");
}

}  // namespace csink::report
