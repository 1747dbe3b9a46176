#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "agent/settings/config.h"
#include "agent/start/event_cost.h"
#include "core/machine/clocks.h"
#include "core/perf/counting_obstacles.h"
#include "core/util/cache_files.h"
#include "core/util/parse.h"
#include "core/util/raw_syscall.h"
#include "core/util/small_file.h"
#include "core/util/unique_fd.h"

/// File: the measured costs, stored as one line: magic and version, boot id, user, both costs in
/// ns. Any other content counts as no file, and the costs are measured again. The program may run
/// as root or in another user's folder, so files and folders are used only if they belong to this
/// user, never through a link, and the file is replaced by rename.

namespace csink::agent {
namespace {

constexpr std::string_view kMagic = "csink-event-cost 1";
// 1 s: a larger number is no cost of a switch, so the line is damaged.
constexpr std::uint64_t kMostCostNs = 1'000'000'000;

std::string_view VariableOrNothing(const char* name) noexcept {
  const char* value = FindVariable(environ, name);
  return value ? std::string_view(value) : std::string_view();
}

// The folder of csink's cache, found as in symbolizer/names/cache/settings.cpp.
void FindFolder(Text<512>& folder) noexcept {
  const std::string_view asked = VariableOrNothing("CSINK_CACHE");
  const Result<bool> switched = ParseBool(asked);
  if (asked.substr(0, 1) == "/") {
    folder.Add(asked);
  } else if (asked.empty() || (switched && *switched)) {
    const std::string_view base = VariableOrNothing("XDG_CACHE_HOME");
    const std::string_view home = VariableOrNothing("HOME");
    if (base.substr(0, 1) == "/") {
      folder.Add(base).Add("/csink");
    } else if (home.substr(0, 1) == "/") {
      folder.Add(home).Add("/.cache/csink");
    }
  }
  if (folder.size() > 400) folder.Clear();  // the text may have been cut
}

// The line for `cost`, without the newline.
Text<160> LineOf(const CostSurroundings& where, const SwitchCost& cost) noexcept {
  Text<160> line;
  line.Add(kMagic).Add(' ').Add(where.boot_id.view()).Add(' ').Number(where.uid);
  return Text<160>(
      line.Add(" cycles ").Number(cost.cycles_ns).Add(" task-clock ").Number(cost.task_clock_ns));
}

bool TakeCost(std::string_view& rest, std::string_view name, std::uint64_t& cost_ns) noexcept {
  if (NextToken(rest, ' ') != name) return false;
  const Result<std::uint64_t> value = ParseUnsigned(NextToken(rest, ' '));
  if (!value || *value > kMostCostNs) return false;
  cost_ns = *value;
  return true;
}

// Accepts exactly the line that LineOf writes for the values read, so that nothing else in the file
// can pass.
bool ParseLine(std::string_view text, const CostSurroundings& where, SwitchCost& cost) noexcept {
  if (!text.starts_with(kMagic) || text.back() != '\n') return false;
  text.remove_suffix(1);
  std::string_view rest = text;
  rest.remove_prefix(kMagic.size());  // not substr: it may throw, which needs libstdc++
  if (!NextToken(rest, ' ').empty() || NextToken(rest, ' ') != where.boot_id.view()) return false;
  const Result<std::uint64_t> uid = ParseUnsigned(NextToken(rest, ' '));
  SwitchCost read;
  if (!uid || *uid != where.uid || !TakeCost(rest, "cycles", read.cycles_ns) ||
      !TakeCost(rest, "task-clock", read.task_clock_ns) ||
      LineOf(where, read).view() != text) {  // no other text in the line
    return false;
  }
  cost = read;
  return true;
}

bool IsOurs(int fd, const CostSurroundings& where, struct stat64& st) noexcept {
  const long r = RawSyscall(SYS_newfstatat, fd, SyscallArg(""), SyscallArg(&st), AT_EMPTY_PATH);
  return r >= 0 && st.st_uid == where.uid;
}

// Opens a folder that belongs to this user. Missing levels are made, at most `levels` of them, and
// only in a folder of this user: root must not leave its folders in another user's home.
UniqueFd OpenFolder(std::string_view path, const CostSurroundings& where, int levels) noexcept {
  Text<512> text;
  text.Add(path);
  constexpr long kFlags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
  long r = RawSyscall(SYS_openat, AT_FDCWD, SyscallArg(text.c_str()), kFlags);
  const std::size_t slash = path.rfind('/');
  if (r == -ENOENT && levels > 0 && slash != 0 && slash != std::string_view::npos) {
    const UniqueFd parent = OpenFolder(path.substr(0, slash), where, levels - 1);
    const char* name = text.c_str() + slash + 1;
    if (!parent) return {};
    RawSyscall(SYS_mkdirat, parent.get(), SyscallArg(name), 0700);
    r = RawSyscall(SYS_openat, parent.get(), SyscallArg(name), kFlags | O_NOFOLLOW);
  }
  UniqueFd folder(r < 0 ? -1 : static_cast<int>(r));
  struct stat64 st = {};
  if (!folder || !IsOurs(folder.get(), where, st)) return {};
  return folder;
}

bool MayWrite(std::size_t bytes) noexcept {
  rlimit limit = {};  // a write beyond the limit sends SIGXFSZ to the program
  return RawSyscall(SYS_prlimit64, 0, RLIMIT_FSIZE, 0, SyscallArg(&limit)) >= 0 &&
         limit.rlim_cur >= bytes;
}

}  // namespace

CostSurroundings ReadCostSurroundings() noexcept {
  CostSurroundings where;
  where.is_virtual = IsVirtualMachine();
  where.clock_ns = MonotonicNs;
  if (!where.is_virtual) return where;
  const SmallFile<64> boot("/proc/sys/kernel/random/boot_id");
  std::string_view text = boot.view();
  where.boot_id.Add(NextToken(text, '\n'));
  where.uid = static_cast<std::uint64_t>(RawSyscall(SYS_geteuid));
  FindFolder(where.folder);
  // A home folder on a file server is shared by many machines.
  struct utsname name = {};
  RawSyscall(SYS_uname, SyscallArg(&name));
  where.file.Add(kEventCostFile);
  for (const char* c = name.nodename; *c != 0; ++c) where.file.Add(*c == '/' ? '_' : *c);
  return where;
}

bool ReadSwitchCost(const CostSurroundings& where, SwitchCost& cost) noexcept {
  if (where.folder.size() == 0 || where.boot_id.size() == 0) return false;
  Text<640> path;
  path.Add(where.folder.view()).Add('/').Add(where.file.view());
  // O_NONBLOCK: if the path is a pipe or a device, opening it must not stop the program.
  const long r = RawSyscall(SYS_openat, AT_FDCWD, SyscallArg(path.c_str()),
                            O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (r < 0) return false;
  const UniqueFd fd(static_cast<int>(r));
  struct stat64 st = {};
  if (!IsOurs(fd.get(), where, st) || !S_ISREG(st.st_mode) || (st.st_mode & 022)) return false;
  char text[200];
  const long n = RawSyscall(SYS_read, fd.get(), SyscallArg(text), sizeof text);
  return n > 0 && ParseLine({text, static_cast<std::size_t>(n)}, where, cost);
}

bool WriteSwitchCost(const CostSurroundings& where, const SwitchCost& cost) noexcept {
  if (where.folder.size() == 0 || where.boot_id.size() == 0) return false;
  Text<160> line = LineOf(where, cost);
  line.Add('\n');
  if (!MayWrite(line.size())) return false;
  const UniqueFd folder = OpenFolder(where.folder.view(), where, 2);
  if (!folder) return false;
  // A name of this process: others may write at the same time, and the rename makes one of them
  // win.
  Text<160> own;  // csink's cache removes abandoned .new files
  own.Add('.').Add(where.file.view()).Add('.');
  own.Number(static_cast<std::uint64_t>(RawSyscall(SYS_getpid))).Add(".new");
  const long r = RawSyscall(SYS_openat, folder.get(), SyscallArg(own.c_str()),
                            O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (r < 0) return false;
  const UniqueFd fd(static_cast<int>(r));
  const auto bytes = static_cast<long>(line.size());
  if (RawSyscall(SYS_write, fd.get(), SyscallArg(line.c_str()), bytes) == bytes &&
      RawSyscall(SYS_renameat, folder.get(), SyscallArg(own.c_str()), folder.get(),
                 SyscallArg(where.file.c_str())) >= 0) {
    return true;
  }
  RawSyscall(SYS_unlinkat, folder.get(), SyscallArg(own.c_str()), 0);
  return false;
}

}  // namespace csink::agent
