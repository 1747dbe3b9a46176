#include <fcntl.h>
#include <linux/stat.h>
#include <sys/stat.h>

#include "agent/waiting/descriptor_kind.h"
#include "core/util/raw_syscall.h"
#include "core/util/text.h"

/// File: the kind of a descriptor from the text of its link in /proc, or, for sockets and paths,
/// from one more system call on that link. The descriptor is in the program's table, not in that of
/// the calling thread.

namespace csink::agent {
namespace {

using spool::DescriptorKind;

// AT_STATX_DONT_SYNC: the type without a question to the server of a network file system, which may
// not answer.
constexpr int kDontSync = 0x4000;

// The address family of a socket: sockfs gives its protocol's name as an extended attribute, "TCP",
// "UNIX" or "UNIX-STREAM".
DescriptorKind KindOfSocket(const char* path) noexcept {
  char name[32] = {};
  const long got = RawSyscall(SYS_getxattr, SyscallArg(path), SyscallArg("system.sockprotoname"),
                              SyscallArg(name), sizeof name);
  // An error leaves the family unknown: the name does not fit (ERANGE), or the socket is gone.
  if (got < 4) return got < 0 ? DescriptorKind::kUnknown : DescriptorKind::kNetworkSocket;
  return std::string_view(name, 4) == "UNIX" ? DescriptorKind::kUnixSocket
                                             : DescriptorKind::kNetworkSocket;
}

// The kind of the file behind a path that the kernel gave: the name does not tell its type. A FIFO
// with a name is a pipe like any other.
DescriptorKind KindOfFile(const char* path) noexcept {
  struct statx facts = {};
  if (RawSyscall(SYS_statx, AT_FDCWD, SyscallArg(path), kDontSync, STATX_TYPE,
                 SyscallArg(&facts)) != 0) {
    return DescriptorKind::kUnknown;
  }
  switch (facts.stx_mode & S_IFMT) {
    case S_IFREG:
      return DescriptorKind::kFile;
    case S_IFDIR:
      return DescriptorKind::kDirectory;
    case S_IFIFO:
      return DescriptorKind::kPipe;
    default:
      return DescriptorKind::kOther;
  }
}

}  // namespace

DescriptorKind KindOfLink(std::string_view link) noexcept {
  struct Known {
    std::string_view begin;
    DescriptorKind kind;
  };
  // A local array of views needs no relocations, unlike a static one. The rows are searched in this
  // order, so the general beginning stands behind the special ones.
  const Known known[] = {
      {"pipe:", DescriptorKind::kPipe},
      {"anon_inode:[eventfd", DescriptorKind::kEvent},
      {"anon_inode:[timerfd", DescriptorKind::kTimer},
      {"anon_inode:[signalfd", DescriptorKind::kSignal},
      {"anon_inode:[eventpoll", DescriptorKind::kEpoll},
      {"anon_inode:", DescriptorKind::kOther},
      {"/dev/pts/", DescriptorKind::kTerminal},
      {"/dev/tty", DescriptorKind::kTerminal},
      {"/dev/console", DescriptorKind::kTerminal},
  };
  for (const Known& row : known) {
    if (link.starts_with(row.begin)) return row.kind;
  }
  return DescriptorKind::kUnknown;
}

DescriptorKind KindOfDescriptor(std::string_view folder, pid_t tid, int number) noexcept {
  if (number < 0) return DescriptorKind::kUnknown;
  Text<128> path;
  // Not PID/fd, which shows the main thread's table: a thread may have a table of its own (unshare
  // of CLONE_FILES), and the main thread may have ended.
  path.Add(folder).Add("/task/").Signed(tid).Add("/fd/").Signed(number);
  // All beginnings that KindOfLink knows are short, so the rest of a long path may be cut off.
  char text[64];
  const long got =
      RawSyscall(SYS_readlinkat, AT_FDCWD, SyscallArg(path.c_str()), SyscallArg(text), sizeof text);
  if (got <= 0) return DescriptorKind::kUnknown;
  const std::string_view link(text, static_cast<std::size_t>(got));
  const DescriptorKind kind = KindOfLink(link);
  if (kind != DescriptorKind::kUnknown) return kind;
  // Neither a socket nor a path tells its kind by the text of the link.
  if (link.starts_with("socket:")) return KindOfSocket(path.c_str());
  return link.starts_with("/") ? KindOfFile(path.c_str()) : DescriptorKind::kOther;
}

}  // namespace csink::agent
