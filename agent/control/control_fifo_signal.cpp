#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <sched.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>

#include <utility>

#include "agent/control/control_fifo.h"
#include "agent/process/task_list.h"
#include "core/util/parse.h"
#include "core/util/raw_syscall.h"

/// File: opening, locking and watching the two fifos of CSINK_CONTROL, and the descriptors of the
/// control thread.
///
/// A path comes from the environment, and its folder may be one that every user can write to. The
/// type is checked before the open; type, owner and mode are checked after it, on the descriptor.
/// The descriptors are 10 or higher, because a report's child gets 0 to 2.

namespace csink::agent {
namespace {

// The headers of the C library may be older than these calls (Linux 5.9, 5.3 and 5.6). Their
// numbers are the same on all machines.
constexpr long kCloseRange = 436;
constexpr long kPidfdOpen = 434;
constexpr long kPidfdGetfd = 438;
// Above descriptors 0 to 2, which the child of a report gets.
constexpr long kLeastDescriptor = 10;

// The text for a negative errno. EXDEV, EUSERS and EBADE are never returned by the calls made here;
// OpenFifo and WhyNotOurs use them for "no fifo", "another user's fifo" and "open to others".
const char* WhyRefused(long r) noexcept {
  switch (-r) {
    case ENOENT:
      return "no such folder";
    case ENOTDIR:
      return "a component of the path is not a folder";
    case EACCES:
    case EPERM:
      return "permission denied";
    case EROFS:
      return "read-only file system";
    case ENAMETOOLONG:
      return "the name is too long";
    case EXDEV:
      return "a file that is not a fifo has this name";
    case EUSERS:
      return "the fifo belongs to another user";
    case EBADE:
      return "other users may read or write the fifo: chmod 600";
    default:
      return "the fifo cannot be created";
  }
}

bool StatAt(int fd, const char* path, int flags, struct stat64& st) noexcept {
  return RawSyscall(SYS_newfstatat, fd, SyscallArg(path), SyscallArg(&st), flags) == 0;
}

// 0 if the open descriptor is a fifo that only this user can use, else a negative errno for
// WhyRefused. Who can write to the fifo decides what the program does, root's program included: a
// snapshot writes files with the rights of the program.
long WhyNotOurs(int fd, struct stat64& st) noexcept {
  if (!StatAt(fd, "", AT_EMPTY_PATH, st) || !S_ISFIFO(st.st_mode)) return -EXDEV;
  if (st.st_uid != static_cast<unsigned>(RawSyscall(SYS_geteuid))) return -EUSERS;
  return (st.st_mode & 077) != 0 ? -EBADE : 0;
}

void CloseEverything() noexcept {
  ForEachName(
      "/proc/thread-self/fd",
      [](const char* name, void*) {
        const Result<std::uint64_t> fd = ParseUnsigned(std::string_view(name));
        if (fd) RawSyscall(SYS_close, static_cast<long>(*fd));
      },
      nullptr);
}

// Locks the command fifo for its server. False: another process serves it.
bool LockToServe(int fd) noexcept {
  // csink ctl takes a shared lock for an instant to see whether a process serves the fifo. A new
  // image that gave way to it would never serve, and no process would remove the fifos.
  for (int i = 0; i < 1000; ++i) {
    // File systems without locks have other errors: the fifo is served there, too.
    if (RawSyscall(SYS_flock, fd, LOCK_EX | LOCK_NB) != -EWOULDBLOCK) return true;
    if (RawSyscall(SYS_flock, fd, LOCK_SH | LOCK_NB) != 0) return false;  // An exclusive lock
    RawSyscall(SYS_flock, fd, LOCK_UN);
    const timespec pause = {0, 1'000'000};
    RawSyscall(SYS_nanosleep, SyscallArg(&pause), 0);
  }
  return false;
}

}  // namespace

void MadeFifo::Remove() noexcept {
  struct stat64 st = {};
  if (path.size() == 0) return;
  if (RawSyscall(SYS_newfstatat, AT_FDCWD, SyscallArg(path.c_str()), SyscallArg(&st),
                 AT_SYMLINK_NOFOLLOW) == 0 &&
      st.st_dev == device && st.st_ino == inode) {
    RawSyscall(SYS_unlinkat, AT_FDCWD, SyscallArg(path.c_str()), 0);
  }
  path.Clear();
}

void ExpandControlPath(std::string_view text, std::string_view directory, std::uint64_t pid,
                       Text<640>& path) noexcept {
  path.Clear();
  if (!text.empty() && text[0] != '/' && !directory.empty()) path.Add(directory).Add('/');
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char next = text[i] == '%' && i + 1 < text.size() ? text[i + 1] : '\0';
    if (next == 'p') {
      path.Number(pid);
    } else {
      path.Add(text[i]);
    }
    if (next == 'p' || next == '%') ++i;
  }
}

bool HasPid(std::string_view text) noexcept {
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    if (text[i] != '%') continue;
    if (text[++i] == 'p') return true;
  }
  return false;
}

void TakeOwnDescriptors() noexcept {
  // With CLOSE_RANGE_UNSHARE the kernel makes the new table without the descriptors of the range,
  // so none is copied. Kernels before 5.9 need two steps.
  if (RawSyscall(kCloseRange, 0, ~0u, CLOSE_RANGE_UNSHARE) == 0) return;
  if (RawSyscall(SYS_unshare, CLONE_FILES) == 0) CloseEverything();
}

BorrowedStderr::BorrowedStderr() noexcept {
  // pidfd_getfd copies descriptor 2 from the table of the program's first thread, which this thread
  // no longer shares.
  const long process = RawSyscall(kPidfdOpen, RawSyscall(SYS_getpid), 0);
  long fd = -ENOSYS;
  if (process >= 0) {
    fd = RawSyscall(kPidfdGetfd, process, 2, 0);
    RawSyscall(SYS_close, process);
  }
  // Before Linux 5.6. /proc/self is the program's first thread.
  if (fd == -ENOSYS) {
    fd = RawSyscall(SYS_openat, AT_FDCWD, SyscallArg("/proc/self/fd/2"), O_WRONLY | O_APPEND);
  }
  if (fd < 0 || fd == 2) return;
  RawSyscall(SYS_dup3, fd, 2, O_CLOEXEC);
  RawSyscall(SYS_close, fd);
}

BorrowedStderr::~BorrowedStderr() { RawSyscall(SYS_close, 2); }

UniqueFd ControlFifos::OpenFifo(const char* path, MadeFifo& made, Place& place,
                                const char** why) noexcept {
  const long r = RawSyscall(SYS_mknodat, AT_FDCWD, SyscallArg(path), S_IFIFO | 0600, 0);
  struct stat64 st = {};
  long error = r < 0 && r != -EEXIST ? r : 0;
  // The type is examined before the open, because opening a device may have effects (a tape drive
  // rewinds).
  if (error == 0 && !StatAt(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, st)) error = -ENOENT;
  if (error == 0 && !S_ISFIFO(st.st_mode)) error = -EXDEV;
  UniqueFd fd;
  if (error == 0) {
    const long opened = RawSyscall(SYS_openat, AT_FDCWD, SyscallArg(path),
                                   O_RDWR | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
    if (opened < 0) {
      error = opened;
    } else {
      // Examined after the open: the name may have been exchanged in between.
      const UniqueFd low(static_cast<int>(opened));
      const long high = RawSyscall(SYS_fcntl, opened, F_DUPFD_CLOEXEC, kLeastDescriptor);
      if (high >= 0) fd.reset(static_cast<int>(high));
      error = fd ? WhyNotOurs(fd.get(), st) : -EXDEV;
    }
  }
  if (error != 0) {
    *why = WhyRefused(error);
    return {};
  }
  place = {st.st_dev, st.st_ino};
  if (r == 0) Own(&made, path, place);
  return fd;
}

void ControlFifos::Own(MadeFifo* made, std::string_view path, const Place& place) noexcept {
  if (!made) return;
  made->device = place.device;
  made->inode = place.inode;
  made->path.Clear();
  made->path.Add(path);
}

void ControlFifos::Inherit(MadeFifo* commands, MadeFifo* answers) const noexcept {
  Own(commands, path_.view(), place_);
  Own(answers, answer_path_.view(), answer_place_);
}

ControlFifos::Outcome ControlFifos::Open(std::string_view path, MadeFifo& commands,
                                         MadeFifo& answers, const char** why) noexcept {
  constexpr std::string_view kAnswers = ".ack";
  path_.Clear();
  path_.Add(path);
  answer_path_.Clear();
  answer_path_.Add(path).Add(kAnswers);
  if (answer_path_.size() != path.size() + kAnswers.size()) {
    *why = WhyRefused(-ENAMETOOLONG);
    return Outcome::kRefused;
  }
  UniqueFd fd = OpenFifo(path_.c_str(), commands, place_, why);
  if (!fd) return Outcome::kRefused;
  // The lock belongs to the open file description, so the kernel releases it when the thread ends,
  // by exec and kill -9, too.
  if (!LockToServe(fd.get())) return Outcome::kTaken;
  answers_ = OpenFifo(answer_path_.c_str(), answers, answer_place_, why);
  if (!answers_) {
    commands.Remove();
    return Outcome::kRefused;
  }
  commands_ = std::move(fd);
  return Outcome::kOpen;
}

void ControlFifos::Revisit(MadeFifo& commands, MadeFifo& answers) noexcept {
  struct stat64 st = {};
  const auto lost = [&st](const char* path, const Place& place) {
    return !StatAt(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, st) ||
           (S_ISFIFO(st.st_mode) && (st.st_dev != place.device || st.st_ino != place.inode));
  };
  const char* why = nullptr;
  Place place;
  if (lost(path_.c_str(), place_)) {
    UniqueFd fd = OpenFifo(path_.c_str(), commands, place, &why);
    if (fd && RawSyscall(SYS_flock, fd.get(), LOCK_EX | LOCK_NB) == 0) {
      commands_ = std::move(fd);
      place_ = place;
    }
  }
  if (lost(answer_path_.c_str(), answer_place_)) {
    UniqueFd fd = OpenFifo(answer_path_.c_str(), answers, place, &why);
    if (fd) {
      answers_ = std::move(fd);
      answer_place_ = place;
    }
  }
}

std::size_t ControlFifos::Read(char* buffer, std::size_t size) noexcept {
  const long n = RawSyscall(SYS_read, commands_.get(), SyscallArg(buffer), static_cast<long>(size));
  return n > 0 ? static_cast<std::size_t>(n) : 0;
}

void ControlFifos::DropOldAnswers() noexcept {
  char old[1024];
  // Limited: a script that writes into the answer fifo must not keep this thread here for ever. 128
  // KiB is more than a pipe holds by default.
  for (int i = 0; i < 128; ++i) {
    if (RawSyscall(SYS_read, answers_.get(), SyscallArg(old), sizeof old) <= 0) return;
  }
}

void ControlFifos::Answer(std::string_view text) noexcept {
  // A write of at most PIPE_BUF (4,096) bytes to a pipe is atomic, so answers never mix (pipe(7)).
  // An answer that fills the buffer is cut and ended by a line end.
  Text<1024> line;
  line.Add(text);
  if (line.size() + 1 >= 1024)
    line.data()[line.size() - 1] = '\n';
  else
    line.Add('\n');
  RawSyscall(SYS_write, answers_.get(), SyscallArg(line.c_str()), static_cast<long>(line.size()));
}

}  // namespace csink::agent
