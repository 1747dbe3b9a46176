#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "core/machine/child.h"
#include "core/machine/own_files.h"
#include "core/util/raw_syscall.h"
#include "core/util/unique_fd.h"
#include "profil/format/evidence.h"
#include "profil/inside/spool/file_piece.h"

namespace csink {
namespace {

// True if the file may have `bytes` bytes. An allocation beyond RLIMIT_FSIZE would send SIGXFSZ,
// which ends a program by default; so the kernel is not asked for one.
bool MayGrowTo(std::uint64_t bytes) noexcept {
  const std::uint64_t limit = FileSizeLimit();
  return limit == spool::kNoFileLimit || bytes <= limit;
}

// Allocates [from, from + bytes) on disk, because a write to a mapped page without a block would
// raise SIGBUS on a full disk. On file systems without fallocate, writes zeros. Returns 0 or
// -errno.
long Allocate(int fd, std::uint64_t from, std::uint64_t bytes) noexcept {
  long r = 0;
  // tmpfs returns EINTR if any signal is pending, even for another thread.
  do {
    r = RawSyscall(SYS_fallocate, fd, 0, static_cast<long>(from), static_cast<long>(bytes));
  } while (r == -EINTR);
  if (r != -EOPNOTSUPP && r != -ENOSYS) return r;
  static const char kZeros[4096] = {};
  for (std::uint64_t done = 0; done < bytes;) {
    const std::uint64_t piece = bytes - done < sizeof kZeros ? bytes - done : sizeof kZeros;
    r = RawSyscall(SYS_pwrite64, fd, SyscallArg(kZeros), static_cast<long>(piece),
                   static_cast<long>(from + done));
    if (r == -EINTR) continue;
    if (r <= 0) return r < 0 ? r : -ENOSPC;
    done += static_cast<std::uint64_t>(r);  // A disk that is nearly full writes a part
  }
  return 0;
}

// Maps the piece. MAP_POPULATE: page faults happen here and not one by one in drains.
void* MapFile(int fd, std::uint64_t from, std::uint64_t bytes) noexcept {
  const long r = RawSyscall(SYS_mmap, 0, static_cast<long>(bytes), PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_POPULATE, fd, static_cast<long>(from));
  if (r < 0 && r > -4096) return nullptr;
  void* at = reinterpret_cast<void*>(r);
  // A forked child has a spool of its own.
  RawSyscall(SYS_madvise, r, static_cast<long>(bytes), MADV_DONTFORK);
  return at;
}

void OpenHere(FilePiece& piece) noexcept {
  piece.result = RawSyscall(SYS_openat, AT_FDCWD, SyscallArg(piece.path),
                            piece.flags | O_RDWR | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (piece.result < 0) return;
  piece.opened = true;
  const UniqueFd fd(static_cast<int>(piece.result));
  struct stat64 st = {};
  piece.result =
      RawSyscall(SYS_newfstatat, fd.get(), SyscallArg(""), SyscallArg(&st), AT_EMPTY_PATH);
  if (piece.result < 0) return;
  // The program may have deleted or replaced the file; another file must not be changed.
  if (piece.known && (st.st_dev != piece.device || st.st_ino != piece.inode)) {
    piece.result = -ESTALE;
    return;
  }
  piece.device = st.st_dev;
  piece.inode = st.st_ino;
  piece.result =
      MayGrowTo(piece.from + piece.bytes) ? Allocate(fd.get(), piece.from, piece.bytes) : -EFBIG;
  if (piece.result < 0) return;
  piece.address = MapFile(fd.get(), piece.from, piece.bytes);
  piece.result = piece.address ? 0 : -ENOMEM;
}

[[maybe_unused]] void Open(void* piece) { OpenHere(*static_cast<FilePiece*>(piece)); }

[[maybe_unused]] int OpenInChild(void* piece) {
  Open(piece);
  return 0;
}

}  // namespace

std::uint64_t FileSizeLimit() noexcept {
  struct rlimit64 limit = {};
  if (RawSyscall(SYS_prlimit64, 0, RLIMIT_FSIZE, 0, SyscallArg(&limit)) < 0 ||
      limit.rlim_cur == RLIM64_INFINITY) {
    return spool::kNoFileLimit;
  }
  return limit.rlim_cur;
}

void OpenFilePiece(FilePiece& piece) noexcept {
#if !defined(CSINK_SANITIZED)
  // Not on the caller's stack, which may be the small one of a signal handler.
  alignas(64) static unsigned char stack[kChildStackBytes];
  int status = 0;
  // A thread is tried first: a child would be seen by the program's wait with __WALL, and its CPU
  // time would count as that of the program's children.
  if (RunWithOwnFiles(Open, &piece, stack)) return;
  if (RunChild(OpenInChild, &piece, &status, stack)) return;
#endif
  if (!piece.opened) Open(&piece);  // No thread or child could be created (process limit)
}

}  // namespace csink
