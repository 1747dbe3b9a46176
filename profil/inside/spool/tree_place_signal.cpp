#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "core/util/raw_syscall.h"
#include "core/util/unique_fd.h"
#include "profil/inside/spool/append_file.h"
#include "profil/inside/spool/tree_place.h"

/// File: folders in /dev/shm and /tmp are reachable for all users, so each folder is opened without
/// following a link, and its owner and mode are checked on the open descriptor.

namespace csink {

long EnsurePrivateFolder(const char* path) noexcept {
  const long made = RawSyscall(SYS_mkdirat, AT_FDCWD, SyscallArg(path), 0700);
  if (made < 0 && made != -EEXIST) return made;
  const long r = RawSyscall(SYS_openat, AT_FDCWD, SyscallArg(path),
                            O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (r < 0) return r;
  const UniqueFd fd(static_cast<int>(r));
  struct stat64 st = {};
  // By the descriptor: the name may be replaced between the two calls.
  const long stated =
      RawSyscall(SYS_newfstatat, fd.get(), SyscallArg(""), SyscallArg(&st), AT_EMPTY_PATH);
  if (stated < 0) return stated;
  const bool own = st.st_uid == static_cast<unsigned>(RawSyscall(SYS_geteuid));
  return own && (st.st_mode & 022) == 0 ? 0 : -EPERM;
}

// EPERM: of the comparison above, where the process is another user but has kept root's
// capabilities.
bool MeansOtherUser(int error) noexcept { return error == EACCES || error == EPERM; }

long EnsureUsersFolder(std::uint64_t tree, Text<512>& folder) noexcept {
  const auto user = static_cast<std::uint64_t>(RawSyscall(SYS_geteuid));
  long result = -ENOENT;
  for (const std::string_view root : kUsersRoots) {
    folder.Clear();
    folder.Add(root).Add('/').Add(TreeName(tree).view()).Add('/').Number(user);
    const long r = EnsurePrivateFolder(folder.c_str());
    if (r == 0) return 0;
    // A root that was not used by csink run has no folder of the tree. Its error says nothing.
    if (r != -ENOENT) result = r;
  }
  return result;
}

int AppendInTree(SmallRecordWriter& record, std::string_view folder, std::uint64_t tree) noexcept {
  Text<512> path;
  path.Add(folder).Add('/').Add(spool::kSmallFileName);
  const int error = record.TryAppend(path.c_str());
  if (!MeansOtherUser(error)) return error;
  Text<512> own;
  if (EnsureUsersFolder(tree, own) != 0) return error;
  return record.TryAppend(own.Add('/').Add(spool::kSmallFileName).c_str());
}

bool IsStderrOfTree(std::string_view folder, std::uint64_t tree, std::uint64_t device,
                    std::uint64_t inode) noexcept {
  const Text<64> mark = StderrMark(device, inode);
  Text<512> path;
  path.Add(folder).Add('/').Add(mark.view());
  if (RawSyscall(SYS_faccessat, AT_FDCWD, SyscallArg(path.c_str()), 0) == 0) return true;
  for (const std::string_view root : kUsersRoots) {
    path.Clear();
    path.Add(root).Add('/').Add(TreeName(tree).view()).Add('/').Add(mark.view());
    if (RawSyscall(SYS_faccessat, AT_FDCWD, SyscallArg(path.c_str()), 0) == 0) return true;
  }
  return false;
}

int AppendMessage(std::string_view folder, std::uint64_t tree, std::string_view line) noexcept {
  Text<512> path;
  path.Add(folder).Add('/').Add(kMessagesFile);
  // Not created: without csink run nobody would read it.
  const int error = AppendToFile(path.c_str(), line.data(), line.size(), 0);
  if (!MeansOtherUser(error)) return error;
  path.Clear();
  if (EnsureUsersFolder(tree, path) != 0) return error;
  path.Add('/').Add(kMessagesFile);
  return AppendToFile(path.c_str(), line.data(), line.size(), O_CREAT);
}

}  // namespace csink
