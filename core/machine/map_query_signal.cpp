#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>

#include "core/machine/map_query.h"
#include "core/util/raw_syscall.h"

// File: one ioctl (PROCMAP_QUERY, Linux 6.11) instead of the text of all mappings: microseconds
// instead of milliseconds in a program with thousands of them.

namespace csink {
namespace {

// struct procmap_query of linux/fs.h (Linux 6.11). The caller sets size, query_flags, query_addr,
// and sizes and addresses of the two buffers. The kernel sets the rest, and both sizes.
struct ProcmapQuery {
  std::uint64_t size;
  std::uint64_t query_flags;
  std::uint64_t query_addr;
  std::uint64_t vma_start;
  std::uint64_t vma_end;
  std::uint64_t vma_flags;
  std::uint64_t vma_page_size;
  std::uint64_t vma_offset;
  std::uint64_t inode;
  std::uint32_t dev_major;
  std::uint32_t dev_minor;
  std::uint32_t vma_name_size;
  std::uint32_t build_id_size;
  std::uint64_t vma_name_addr;
  std::uint64_t build_id_addr;
};
static_assert(sizeof(ProcmapQuery) == 104);

// PROCMAP_QUERY_VMA_*. As query flags they restrict the search: kExecutable finds only mappings
// with that right. Without PROCMAP_QUERY_COVERING_OR_NEXT_VMA the mapping must cover the address.
constexpr std::uint64_t kReadable = 1;
constexpr std::uint64_t kWritable = 2;
constexpr std::uint64_t kExecutable = 4;
constexpr std::uint64_t kShared = 8;
constexpr auto kProcmapQuery = static_cast<long>(_IOWR('f', 17, ProcmapQuery));

}  // namespace

MapQuery::MapQuery(const char* proc_path) noexcept {
  const long r = RawSyscall(SYS_openat, AT_FDCWD, SyscallArg(proc_path), O_RDONLY | O_CLOEXEC);
  if (r >= 0) fd_.reset(static_cast<int>(r));
}

MapQuery::Answer MapQuery::Ask(std::uint64_t address, char* name, std::size_t name_bytes,
                               Found& found) noexcept {
  if (!fd_) return Answer::kUnsupported;
  ProcmapQuery query = {};
  // A later kernel may have a longer struct; by this size it sees which one the caller has.
  query.size = sizeof query;
  query.query_flags = kExecutable;
  query.query_addr = address;
  query.vma_name_size = static_cast<std::uint32_t>(name_bytes);
  query.vma_name_addr = reinterpret_cast<std::uint64_t>(name);
  // The kernel reads the build-id from the page cache, which saves reading the image's notes. A
  // file without one gives size 0 and no error.
  query.build_id_size = sizeof found.build_id;
  query.build_id_addr = reinterpret_cast<std::uint64_t>(&found.build_id);
  const long r = RawSyscall(SYS_ioctl, fd_.get(), kProcmapQuery, SyscallArg(&query));
  // The kernel's answer where the name or the build-id does not fit.
  if (r == -ENAMETOOLONG) return Answer::kNoRoom;
  if (r == -ENOENT) return Answer::kNothing;
  // ENOTTY on kernels before 6.11; EPERM or ENOSYS from a seccomp filter. The caller then reads the
  // text file.
  if (r < 0) return Answer::kUnsupported;

  MapsLine& line = found.line;
  // The line looks as if it came from the text file, so that both ways have one user.
  line = MapsLine{};
  line.start = query.vma_start;
  line.end = query.vma_end;
  line.offset = query.vma_offset;
  line.inode = query.inode;
  line.dev_major = query.dev_major;
  line.dev_minor = query.dev_minor;
  line.readable = query.vma_flags & kReadable;
  line.writable = query.vma_flags & kWritable;
  line.executable = query.vma_flags & kExecutable;
  line.shared = query.vma_flags & kShared;
  // The kernel has stored the sizes that it found; that of the name includes the NUL.
  line.path = query.vma_name_size > 1 ? std::string_view(name, query.vma_name_size - 1)
                                      : std::string_view();
  const NamedFile file = {line.inode, line.dev_major, line.dev_minor, /*escaped=*/false};
  if (!line.path.empty()) {
    const DecodedName decoded = DecodeFileName(name, line.path.size(), file, nullptr);
    line.path = std::string_view(name, decoded.bytes);
    line.deleted = decoded.deleted;
  }
  found.build_id_bytes =
      query.build_id_size <= sizeof found.build_id ? query.build_id_size : sizeof found.build_id;
  return Answer::kFound;
}

}  // namespace csink
