#if defined(__x86_64__)
#include <cpuid.h>
#endif
#include <elf.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>
#include <time.h>

#include <cstring>
#include <string_view>

#include "agent/process/start_state.h"
#include "core/machine/clocks.h"
#include "core/util/copy_text.h"
#include "core/util/maps_line.h"
#include "core/util/parse.h"
#include "core/util/raw_syscall.h"
#include "core/util/small_file.h"
#include "profil/format/tree_names.h"

/// File: facts about the process for the spool's header, by raw system calls and files of /proc,
/// because the spool may be made in a handler.

namespace csink::agent {
namespace {

// fstat by newfstatat with AT_EMPTY_PATH: one call for all architectures.
bool Stat(int fd, struct stat64& st) noexcept {
  return RawSyscall(SYS_newfstatat, fd, SyscallArg(""), SyscallArg(&st), AT_EMPTY_PATH) >= 0;
}

// The executable's path and, as the program's name, its last component. Without /proc the name of
// the main thread or the first argument stands for it.
void ReadExecutable(spool::Header& header) noexcept {
  const long n = RawSyscall(SYS_readlinkat, AT_FDCWD, SyscallArg("/proc/self/exe"),
                            SyscallArg(header.executable), sizeof header.executable - 1);
  header.executable[n > 0 ? n : 0] = 0;
  // The file tells a deleted program from one whose name ends like this.
  struct stat64 st = {};
  if (std::string_view(header.executable).ends_with(" (deleted)")) {
    NamedFile file;
    if (RawSyscall(SYS_newfstatat, AT_FDCWD, SyscallArg("/proc/self/exe"), SyscallArg(&st), 0) >=
        0) {
      file = {st.st_ino, major(st.st_dev), minor(st.st_dev), /*escaped=*/false};
    }
    (void)DecodeFileName(header.executable, static_cast<std::size_t>(n), file, nullptr);
  }
  std::string_view path(header.executable);
  if (path.empty()) {  // no /proc: the kernel's own word for us is the best there is
    if (header.command[0] == 0) RawSyscall(SYS_prctl, PR_GET_NAME, SyscallArg(header.command));
    std::string_view command(header.command);
    path = NextToken(command, ' ');
  }
  std::string_view base = path;
  while (!path.empty()) base = NextToken(path, '/');
  CopyText(header.program, base);
}

// The processor's name by CPUID (leaves 0x80000002 to 0x80000004). /proc/cpuinfo asks every CPU for
// its frequency on some kernels, and the caller waits. Other architectures have no name here.
void ReadCpuModel([[maybe_unused]] spool::Header& header) noexcept {
#if defined(__x86_64__)
  constexpr unsigned kBrandFirst = 0x80000002;
  constexpr unsigned kBrandLast = 0x80000004;
  unsigned words[12] = {};
  unsigned highest = 0;
  unsigned ignored;
  __cpuid(0x80000000, highest, ignored, ignored, ignored);
  if (highest < kBrandLast) return;
  for (unsigned leaf = kBrandFirst; leaf <= kBrandLast; ++leaf) {
    unsigned* four = words + (leaf - kBrandFirst) * 4;
    __cpuid(leaf, four[0], four[1], four[2], four[3]);
  }
  std::string_view brand(reinterpret_cast<const char*>(words), sizeof words);
  brand = NextToken(brand, 0);
  while (!brand.empty() && brand.front() == ' ') brand.remove_prefix(1);
  while (!brand.empty() && brand.back() == ' ') brand.remove_suffix(1);
  CopyText(header.cpu, brand);
#endif
}

}  // namespace

// The second field may contain blanks and parentheses, so fields are counted from the last ')'.
std::uint64_t ProcessStartTicks(pid_t pid) noexcept {
  Text<40> path;
  path.Add("/proc/");
  if (pid == 0) {
    path.Add("self");
  } else {
    path.Number(static_cast<std::uint64_t>(pid));
  }
  const SmallFile<512> file(path.Add("/stat").c_str());
  const std::string_view text = file.view();
  std::size_t at = text.size();
  while (at > 0 && text[at - 1] != ')') --at;
  std::string_view rest(text.data() + at, text.size() - at);
  NextToken(rest, ' ');
  for (int field = 3; field < 22; ++field) NextToken(rest, ' ');
  const Result<std::uint64_t> ticks = ParseUnsigned(NextToken(rest, ' '));
  return ticks ? *ticks : 0;
}

void ReadStartState(StartState& state) noexcept {
  struct stat64 st = {};
  // Device and inode identify what descriptor 2 refers to, even if the program moves it to another
  // number.
  state.has_stderr = Stat(2, st);
  state.stderr_device = st.st_dev;
  state.stderr_inode = st.st_ino;
  state.saved_stderr = -1;
  state.monotonic_ns = MonotonicNs();
  state.realtime_ns = state.image_realtime_ns = RealtimeNs();
  ProcessCpuNs(&state.user_ns, &state.system_ns, &state.switches);
  state.parent_pid = static_cast<pid_t>(RawSyscall(SYS_getppid));
  const long n = RawSyscall(SYS_getcwd, SyscallArg(state.directory), sizeof state.directory);
  if (n <= 0) state.directory[0] = 0;
}

void RememberArguments(StartState& state, int count, char* const* arguments) noexcept {
  if (count <= 0 || !arguments || !arguments[0]) return;
  const char* end = arguments[0];
  for (int i = 0; i < count; ++i) {
    if (arguments[i] != end) return;  // not as the kernel lays them out
    end += std::strlen(end) + 1;
  }
  state.arguments = arguments[0];
  state.argument_bytes = static_cast<std::size_t>(end - arguments[0]);
}

std::size_t CopyCommand(const StartState& state, char (&command)[1024]) noexcept {
  // The kernel separates arguments by NULs; a line for users has blanks.
  constexpr std::size_t kMost = sizeof command - 1;
  std::size_t bytes = state.argument_bytes < kMost ? state.argument_bytes : kMost;
  if (bytes != 0) {
    std::memcpy(command, state.arguments, bytes);
  } else {
    const SmallFile<kMost> file("/proc/self/cmdline");
    bytes = file.view().size();
    std::memcpy(command, file.view().data(), bytes);
  }
  while (bytes > 0 && command[bytes - 1] == 0) --bytes;
  for (std::size_t i = 0; i < bytes; ++i) {
    if (command[i] == 0) command[i] = ' ';
  }
  command[bytes] = 0;
  return bytes;
}

bool IsStartStderr(const StartState& state, int fd) noexcept {
  struct stat64 st = {};
  return state.has_stderr && fd >= 0 && Stat(fd, st) && st.st_dev == state.stderr_device &&
         st.st_ino == state.stderr_inode;
}

void DescribeProcess(const StartState& state, spool::Header& header, bool brief) noexcept {
#if defined(__x86_64__)
  header.elf_machine = EM_X86_64;
#else
  header.elf_machine = EM_AARCH64;
#endif
  header.pid = static_cast<std::uint32_t>(RawSyscall(SYS_getpid));
  header.parent_pid = static_cast<std::uint32_t>(state.parent_pid);
  // The effective user, who owns the files that the process creates.
  header.uid = static_cast<std::uint32_t>(RawSyscall(SYS_geteuid));
  // Reading /proc/self/stat costs 10 us (docs/design/profil.md).
  if (!brief) header.process_start_ticks = ProcessStartTicks();
  header.start_realtime_ns = state.realtime_ns;
  header.image_realtime_ns = state.image_realtime_ns;
  header.start_monotonic_ns = state.monotonic_ns;
  header.start_user_ns = state.user_ns;
  header.start_system_ns = state.system_ns;
  header.start_switches = state.switches;
  CopyCommand(state, header.command);
  ReadExecutable(header);
  if (!brief) ReadCpuModel(header);
  CopyText(header.working_directory, state.directory);
  struct utsname name = {};
  if (RawSyscall(SYS_uname, SyscallArg(&name)) == 0) {
    CopyText(header.host, name.nodename);
    if (!brief) CopyText(header.kernel, name.release);
  }
}

void SpoolStem(const spool::Header& header, Text<256>& stem) noexcept {
  const auto add = [&stem](const char* text) {
    for (; *text; ++text) {
      const char c = *text;
      const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                         (c >= '0' && c <= '9') || c == '_' || c == '+' || c == '-';
      stem.Add(plain ? c : '_');
    }
  };
  // Without /proc, names may be unknown; the file name keeps its parts.
  add(header.program[0] ? header.program : "program");
  stem.Add('.');
  add(header.host[0] ? header.host : "host");
  stem.Add('.').Number(header.pid).Add('.').Number(header.process_start_ticks);
}

void SettleClock(std::uint64_t tree, StartState& state) noexcept {
  if (tree == 0 || HasClocksOfTree(tree, state.realtime_ns, state.monotonic_ns)) return;
  LearnTimeNamespace();
  state.monotonic_ns = MonotonicNs();
}

}  // namespace csink::agent
