#pragma once

#include <fcntl.h>
#include <sys/stat.h>

#include <cstdint>

#include "core/util/raw_syscall.h"
#include "core/util/text.h"

/// File: which files a process sees under their paths: its mount namespace and its root folder.
/// `csink run` writes its own into the tree's folder, and the agents compare theirs: where they
/// differ, the paths in a spool do not lead csink to the files that were mapped.
/// Threads: any. Signals: safe.

namespace csink {

namespace spool {
/// A symbolic link in a tree's folder, to FileView's text, a colon, and the pid of csink.
inline constexpr char kFileViewName[] = "files";
}  // namespace spool

struct FileView {
  Text<128> text;  ///< "mnt:[4026531841]:DEVICE:INODE"; parts that are not known are left out
};

/// The view of the calling process.
inline FileView OwnFileView() noexcept {
  FileView view;
  char link[64];
  const long n = RawSyscall(SYS_readlinkat, AT_FDCWD, SyscallArg("/proc/thread-self/ns/mnt"),
                            SyscallArg(link), sizeof link);
  if (n > 0) view.text.Add(std::string_view(link, static_cast<std::size_t>(n)));
  struct stat64 root = {};
  if (RawSyscall(SYS_newfstatat, AT_FDCWD, SyscallArg("/"), SyscallArg(&root), 0) >= 0) {
    view.text.Add(':').Number(root.st_dev).Add(':').Number(root.st_ino);
  }
  return view;
}

/// Whether the view of the calling process is known to be another one than that of the tree whose
/// folder this is.
inline bool SeesOtherFiles(std::string_view tree_folder) noexcept {
  Text<600> path;
  path.Add(tree_folder).Add('/').Add(spool::kFileViewName);
  char link[192];
  const long n =
      RawSyscall(SYS_readlinkat, AT_FDCWD, SyscallArg(path.c_str()), SyscallArg(link), sizeof link);
  if (n <= 0) return false;
  FileView own = OwnFileView();
  own.text.Add(':');
  return !std::string_view(link, static_cast<std::size_t>(n)).starts_with(own.text.view());
}

}  // namespace csink
