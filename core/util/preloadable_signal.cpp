#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <cstdint>
#include <cstring>

#include "core/util/parse.h"
#include "core/util/preloadable.h"
#include "core/util/raw_syscall.h"
#include "core/util/text.h"
#include "core/util/unique_fd.h"

// Reads the first 1 KiB of the program: the "#!" line of a script, or the ELF header with the
// program headers, which linkers usually put right behind it. Set-id bits are tested before the
// machine and the linking, because the dynamic linker ignores LD_PRELOAD in such a program in any
// case. Everything is read by pread64 and openat alone, since the caller may be a vfork child of
// the profiled program.

namespace csink {
namespace {

constexpr int kMostInterpreters = 4;  // as the kernel
constexpr std::size_t kLookBytes = 1024;
#if defined(__x86_64__)
constexpr unsigned kOwnMachine = EM_X86_64;
#else
constexpr unsigned kOwnMachine = EM_AARCH64;
#endif

std::string_view BaseOf(std::string_view path) noexcept {
  std::string_view base = path;
  while (!path.empty()) base = NextToken(path, '/');
  return base;
}

// "ld-linux-x86-64.so.2", "ld-2.31.so" and the like: a program that has no PT_INTERP and yet
// preloads.
bool IsLoader(std::string_view path) noexcept {
  const std::string_view base = BaseOf(path);
  return base.starts_with("ld-") || base.starts_with("ld.so");
}

bool ReadAt(int fd, void* to, std::size_t bytes, std::uint64_t at) noexcept {
  return RawSyscall(SYS_pread64, fd, SyscallArg(to), static_cast<long>(bytes),
                    static_cast<long>(at)) == static_cast<long>(bytes);
}

// musl's loader is called ld-musl-MACHINE.so.1. Only its name is compared.
PreloadObstacle OfInterpreter(int fd, const Elf64_Phdr& segment) noexcept {
  char path[256] = {};
  const std::size_t bytes = segment.p_filesz < sizeof path ? segment.p_filesz : sizeof path - 1;
  if (!ReadAt(fd, path, bytes, segment.p_offset)) return PreloadObstacle::kNone;
  return BaseOf(path).starts_with("ld-musl") ? PreloadObstacle::kMusl : PreloadObstacle::kNone;
}

// The dynamic linker is named by the segment PT_INTERP (System V ABI, chapter 5). A program without
// this segment is static, also where it is a static PIE.
PreloadObstacle OfLinking(int fd, const char* start, std::size_t got,
                          const Elf64_Ehdr& elf) noexcept {
  for (unsigned i = 0; i < elf.e_phnum; ++i) {
    const std::uint64_t at = elf.e_phoff + std::uint64_t{i} * sizeof(Elf64_Phdr);
    Elf64_Phdr segment;
    if (at < got && got - at >= sizeof segment) {
      std::memcpy(&segment, start + at, sizeof segment);
    } else if (!ReadAt(fd, &segment, sizeof segment, at)) {
      return PreloadObstacle::kNone;  // cannot be told
    }
    if (segment.p_type == PT_INTERP) return OfInterpreter(fd, segment);
  }
  return PreloadObstacle::kStatic;
}

// Whether the kernel runs the program with other rights than the caller's; the dynamic linker then
// ignores a LD_PRELOAD with slashes (ld.so(8), secure-execution mode). A set-id bit for the
// caller's own id changes nothing. File capabilities give root nothing new.
PreloadObstacle OfRights(int fd) noexcept {
  struct stat64 st = {};
  if (RawSyscall(SYS_newfstatat, fd, SyscallArg(""), SyscallArg(&st), AT_EMPTY_PATH) < 0 ||
      (st.st_mode & S_IFMT) != S_IFREG) {
    return PreloadObstacle::kNone;
  }
  const auto uid = static_cast<unsigned>(RawSyscall(SYS_getuid));
  if ((st.st_mode & S_ISUID) && st.st_uid != uid) return PreloadObstacle::kSetId;
  // Without the group's right to execute, the set-group-id bit stands for something else.
  constexpr unsigned kSetGroup = S_ISGID | S_IXGRP;
  if ((st.st_mode & kSetGroup) == kSetGroup &&
      st.st_gid != static_cast<unsigned>(RawSyscall(SYS_getgid))) {
    return PreloadObstacle::kSetId;
  }
  if (uid != 0 && RawSyscall(SYS_fgetxattr, fd, SyscallArg("security.capability"), 0, 0) > 0) {
    return PreloadObstacle::kCapabilities;
  }
  return PreloadObstacle::kNone;
}

// One file. A script leaves its interpreter in `interpreter`.
PreloadObstacle Look(int fd, std::string_view path, Text<256>& interpreter) noexcept {
  char start[kLookBytes] = {};
  const long r = RawSyscall(SYS_pread64, fd, SyscallArg(start), sizeof start, 0);
  if (r < 4) return PreloadObstacle::kNone;
  const auto got = static_cast<std::size_t>(r);
  if (start[0] == '#' && start[1] == '!') {  // the kernel ignores a script's own set-id bits
    std::string_view line(start + 2, got - 2);
    line = NextToken(line, '\n');
    while (!line.empty() && (line[0] == ' ' || line[0] == '\t')) line.remove_prefix(1);
    for (const char c : line) {
      if (c == ' ' || c == '\t') break;
      interpreter.Add(c);
    }
    return PreloadObstacle::kNone;
  }
  if (got < EI_NIDENT || std::memcmp(start, ELFMAG, SELFMAG) != 0) return PreloadObstacle::kNone;
  if (const PreloadObstacle rights = OfRights(fd); rights != PreloadObstacle::kNone) return rights;
  if (start[EI_CLASS] != ELFCLASS64 || got < sizeof(Elf64_Ehdr)) {
    return PreloadObstacle::kOtherMachine;
  }
  Elf64_Ehdr elf;
  std::memcpy(&elf, start, sizeof elf);
  if (elf.e_machine != kOwnMachine) return PreloadObstacle::kOtherMachine;
  if (elf.e_phentsize != sizeof(Elf64_Phdr) || IsLoader(path)) return PreloadObstacle::kNone;
  return OfLinking(fd, start, got, elf);
}

}  // namespace

PreloadObstacle FindPreloadObstacle(int fd, std::string_view path) noexcept {
  Text<256> interpreter;
  PreloadObstacle found = Look(fd, path, interpreter);
  // An interpreter may be a script, too. O_NONBLOCK: opening a fifo must not wait.
  for (int i = 0; i < kMostInterpreters; ++i) {
    if (found != PreloadObstacle::kNone || interpreter.size() == 0) return found;
    const long r = RawSyscall(SYS_openat, AT_FDCWD, SyscallArg(interpreter.c_str()),
                              O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    const UniqueFd script_runner(r >= 0 ? static_cast<int>(r) : -1);
    Text<256> next;
    if (script_runner) found = Look(script_runner.get(), interpreter.view(), next);
    interpreter = next;
  }
  return found;
}

}  // namespace csink
