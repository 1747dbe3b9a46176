#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "agent/exec/exec_target.h"
#include "core/util/parse.h"
#include "core/util/raw_syscall.h"
#include "core/util/unique_fd.h"

namespace csink::agent {
namespace {

using spool::Refusal;

constexpr int kMostInterpreters = 4;  // as the kernel
constexpr std::size_t kLookBytes = 1024;
#if defined(__x86_64__)
constexpr unsigned kOwnMachine = EM_X86_64;
#else
constexpr unsigned kOwnMachine = EM_AARCH64;
#endif

// Absolute paths that were found good, by hash: a make runs the same ten programs all day.
constexpr std::size_t kGood = 64;
std::atomic<std::uint64_t> g_good[kGood];

std::uint64_t Hash(const char* text) noexcept {
  std::uint64_t hash = 0xcbf29ce484222325ull;  // FNV-1a
  for (; *text; ++text) hash = (hash ^ static_cast<unsigned char>(*text)) * 0x100000001b3ull;
  return hash | 1;
}

bool IsLoader(std::string_view path) noexcept {
  std::string_view base = path;
  while (!path.empty()) base = NextToken(path, '/');
  return base.starts_with("ld-") || base.starts_with("ld.so");
}

bool HasInterpreter(int fd, const char* start, std::size_t got, const Elf64_Ehdr& elf) noexcept {
  for (unsigned i = 0; i < elf.e_phnum; ++i) {
    const std::uint64_t at = elf.e_phoff + std::uint64_t{i} * sizeof(Elf64_Phdr);
    Elf64_Phdr segment;
    if (at + sizeof segment <= got) {
      std::memcpy(&segment, start + at, sizeof segment);
    } else if (RawSyscall(SYS_pread64, fd, SyscallArg(&segment), sizeof segment,
                          static_cast<long>(at)) != static_cast<long>(sizeof segment)) {
      return true;  // cannot be told
    }
    if (segment.p_type == PT_INTERP) return true;
  }
  return false;
}

Refusal OfRights(int fd) noexcept {
  struct stat64 st = {};
  if (RawSyscall(SYS_newfstatat, fd, SyscallArg(""), SyscallArg(&st), AT_EMPTY_PATH) < 0 ||
      (st.st_mode & S_IFMT) != S_IFREG) {
    return Refusal::kNone;
  }
  const auto uid = static_cast<unsigned>(RawSyscall(SYS_getuid));
  if ((st.st_mode & S_ISUID) && st.st_uid != uid) return Refusal::kSetId;
  if ((st.st_mode & S_ISGID) && st.st_gid != static_cast<unsigned>(RawSyscall(SYS_getgid))) {
    return Refusal::kSetId;
  }
  if (uid != 0 && RawSyscall(SYS_fgetxattr, fd, SyscallArg("security.capability"), 0, 0) > 0) {
    return Refusal::kCapabilities;
  }
  return Refusal::kNone;
}

// One file. A script leaves its interpreter in `interpreter`.
Refusal Look(int fd, std::string_view path, Text<256>& interpreter) noexcept {
  char start[kLookBytes] = {};
  const long r = RawSyscall(SYS_pread64, fd, SyscallArg(start), sizeof start, 0);
  if (r < 4) return Refusal::kNone;
  const auto got = static_cast<std::size_t>(r);
  if (start[0] == '#' && start[1] == '!') {  // the kernel ignores a script's own set-id bits
    std::string_view line(start + 2, got - 2);
    line = NextToken(line, '\n');
    while (!line.empty() && (line[0] == ' ' || line[0] == '\t')) line.remove_prefix(1);
    for (const char c : line) {
      if (c == ' ' || c == '\t') break;
      interpreter.Add(c);
    }
    return Refusal::kNone;
  }
  if (got < EI_NIDENT || std::memcmp(start, ELFMAG, SELFMAG) != 0) return Refusal::kNone;
  if (const Refusal rights = OfRights(fd); rights != Refusal::kNone) return rights;
  if (start[EI_CLASS] != ELFCLASS64 || got < sizeof(Elf64_Ehdr)) return Refusal::kOtherMachine;
  Elf64_Ehdr elf;
  std::memcpy(&elf, start, sizeof elf);
  if (elf.e_machine != kOwnMachine) return Refusal::kOtherMachine;
  if (elf.e_phentsize != sizeof(Elf64_Phdr) || IsLoader(path)) return Refusal::kNone;
  return HasInterpreter(fd, start, got, elf) ? Refusal::kNone : Refusal::kStatic;
}

UniqueFd Open(int folder, const char* path) noexcept {
  const long r = RawSyscall(SYS_openat, folder, SyscallArg(path),
                            O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  return UniqueFd(r >= 0 ? static_cast<int>(r) : -1);
}

// What the kernel calls an open file.
void NameOf(int fd, Text<512>& path) noexcept {
  Text<32> link;
  link.Add("/proc/self/fd/").Signed(fd);
  char name[500];
  const long n =
      RawSyscall(SYS_readlinkat, AT_FDCWD, SyscallArg(link.c_str()), SyscallArg(name), sizeof name);
  if (n > 0) {
    path.Add(std::string_view(name, static_cast<std::size_t>(n)));
  } else {
    path.Add("[descriptor ").Signed(fd).Add(']');
  }
}

const char* PathList() noexcept {
  for (char** variable = environ; variable && *variable; ++variable) {
    if (std::strncmp(*variable, "PATH=", 5) == 0) return *variable + 5;
  }
  return "/bin:/usr/bin";
}

// Along PATH of this process, the first file that may be executed.
bool Search(const char* name, Text<512>& path) noexcept {
  std::string_view rest = PathList();
  while (!rest.empty()) {
    const std::string_view folder = NextToken(rest, ':');
    path.Clear();
    path.Add(folder.empty() ? "." : folder).Add('/').Add(name);
    if (RawSyscall(SYS_faccessat, AT_FDCWD, SyscallArg(path.c_str()), X_OK) == 0) return true;
  }
  return false;
}

}  // namespace

Refusal WhyNotFollowed(const ExecTarget& target, Text<512>& path) noexcept {
  Text<256> interpreter;
  const bool is_folder = !target.name || !target.name[0];
  std::uint64_t key = 0;
  Refusal why = Refusal::kNone;
  if (is_folder) {
    NameOf(target.folder, path);
    why = Look(target.folder, path.view(), interpreter);
  } else {
    // A name that is not there, or not in memory, is the exec's own business.
    if (!target.search &&
        RawSyscall(SYS_faccessat, target.folder, SyscallArg(target.name), F_OK) < 0) {
      return Refusal::kNone;
    }
    if (target.search && !std::memchr(target.name, '/', std::strlen(target.name))) {
      if (!Search(target.name, path)) return Refusal::kNone;
    } else {
      path.Add(target.name);
    }
    key = Hash(path.c_str());
    if (path.c_str()[0] == '/' && g_good[key % kGood].load(std::memory_order_relaxed) == key) {
      return Refusal::kNone;
    }
    const UniqueFd fd = Open(target.folder, path.c_str());
    if (!fd) return Refusal::kNone;
    why = Look(fd.get(), path.view(), interpreter);
  }
  for (int i = 0; i < kMostInterpreters && why == Refusal::kNone && interpreter.size() != 0; ++i) {
    const UniqueFd fd = Open(AT_FDCWD, interpreter.c_str());
    Text<256> next;
    if (fd) why = Look(fd.get(), interpreter.view(), next);
    interpreter = next;
  }
  if (why == Refusal::kNone && key != 0 && path.c_str()[0] == '/') {
    g_good[key % kGood].store(key, std::memory_order_relaxed);
  }
  return why;
}

}  // namespace csink::agent
