#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <cstring>

#include "core/util/raw_syscall.h"
#include "core/util/unique_fd.h"
#include "profil/spool/small_writer.h"

/// File: a record is put together in the caller's buffer and appended by one write(2). The file is
/// opened for each record and closed at once: the agent keeps no descriptor in the program's table.

namespace csink {
namespace {

// A write beyond RLIMIT_FSIZE would send SIGXFSZ to the program, which kills it by default.
bool MayGrowTo(std::uint64_t bytes) noexcept {
  struct rlimit limit = {};
  if (RawSyscall(SYS_prlimit64, 0, RLIMIT_FSIZE, 0, SyscallArg(&limit)) < 0) return false;
  return limit.rlim_cur == RLIM_INFINITY || bytes <= limit.rlim_cur;
}

}  // namespace

void SmallRecordWriter::Begin(spool::SmallKind kind, std::uint32_t wait_us_plus_one) noexcept {
  overflow_ = false;
  used_ = 0;
  spool::SmallHead head = {};
  std::memcpy(head.magic, spool::kSmallMagic, sizeof head.magic);
  head.version = spool::kSmallVersion;
  head.kind = kind;
  head.wait_us_plus_one = wait_us_plus_one;
  Put(&head, sizeof head);
}

void SmallRecordWriter::Put(const void* bytes, std::size_t count) noexcept {
  // Kept until Append, which then writes nothing: a part of a record would be damage.
  if (count > capacity_ - used_) {
    overflow_ = true;
    return;
  }
  std::memcpy(buffer_ + used_, bytes, count);
  used_ += count;
}

void SmallRecordWriter::Align() noexcept {
  constexpr char kZeros[8] = {};
  Put(kZeros, (8 - used_ % 8) % 8);
}

int SmallRecordWriter::TryAppend(const char* path) noexcept {
  Align();  // The checksum is computed over 64-bit words.
  if (overflow_) return E2BIG;
  spool::SmallHead head;
  std::memcpy(&head, buffer_, sizeof head);
  head.bytes = static_cast<std::uint32_t>(used_);
  head.checksum = 0;
  std::memcpy(buffer_, &head, sizeof head);
  head.checksum = spool::SmallChecksum(buffer_, used_ / 8);
  std::memcpy(buffer_, &head, sizeof head);

  // O_NOFOLLOW and O_NONBLOCK: neither a link nor a fifo under this name must divert or stop the
  // program.
  const long r =
      RawSyscall(SYS_openat, AT_FDCWD, SyscallArg(path),
                 O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
  if (r < 0) return static_cast<int>(-r);
  const UniqueFd fd(static_cast<int>(r));
  struct stat64 st = {};
  if (RawSyscall(SYS_newfstatat, fd.get(), SyscallArg(""), SyscallArg(&st), AT_EMPTY_PATH) < 0 ||
      (st.st_mode & S_IFMT) != S_IFREG) {
    return EINVAL;
  }
  if (!MayGrowTo(static_cast<std::uint64_t>(st.st_size) + used_)) return EFBIG;
  // One write with O_APPEND: processes of the tree append at the same time, and their records must
  // not mix.
  const long written =
      RawSyscall(SYS_write, fd.get(), SyscallArg(buffer_), static_cast<long>(used_));
  if (written < 0) return static_cast<int>(-written);
  return written == static_cast<long>(used_) ? 0 : ENOSPC;
}

}  // namespace csink
