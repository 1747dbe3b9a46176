#include "profil/reading/reader/other_user.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>

#include "core/util/parse.h"
#include "profil/format/tree_names.h"

namespace csink::spool {
namespace {

/// The number in "tree.<16 hex digits>".
std::optional<std::uint64_t> TreeIn(std::string_view name) {
  constexpr std::string_view kPrefix = "tree.";
  if (!name.starts_with(kPrefix) || name.size() != kPrefix.size() + 16) return std::nullopt;
  std::uint64_t tree = 0;
  for (const char c : name.substr(kPrefix.size())) {
    const auto digit = std::string_view("0123456789abcdef").find(c);
    if (digit == std::string_view::npos) return std::nullopt;
    tree = tree << 4 | digit;
  }
  return tree;
}

}  // namespace

std::optional<OtherUsersFile> AsOtherUsersFile(std::string_view path) {
  for (const std::string_view root : kUsersRoots) {
    if (!path.starts_with(root) || path.size() <= root.size() || path[root.size()] != '/') continue;
    std::string_view rest = path.substr(root.size() + 1);
    const auto tree = TreeIn(NextToken(rest, '/'));
    const auto uid = ParseUnsigned(NextToken(rest, '/'));
    if (!tree || !uid || *uid > 0xffffffff || rest.empty() ||
        rest.find('/') != std::string_view::npos) {
      return std::nullopt;
    }
    return OtherUsersFile{path.substr(0, path.size() - rest.size() - 1), *tree,
                          static_cast<std::uint32_t>(*uid), rest};
  }
  return std::nullopt;
}

std::uint64_t TreeOf(std::string_view path) {
  if (const auto file = AsOtherUsersFile(path)) return file->tree;
  const std::size_t name = path.rfind('/');
  if (name == std::string_view::npos) return 0;
  path = path.substr(0, name);
  return TreeIn(path.substr(path.rfind('/') + 1)).value_or(0);
}

UniqueFd OpenFolderOf(const std::string& folder, std::uint32_t uid) {
  UniqueFd fd(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat status;
  if (!fd || fstat(fd.get(), &status) != 0) return UniqueFd();
  if (status.st_uid == uid && (status.st_mode & 022) == 0) return fd;
  errno = EPERM;
  return UniqueFd();
}

UniqueFd OpenOtherUsersFile(const OtherUsersFile& file) {
  const UniqueFd folder = OpenFolderOf(std::string(file.folder), file.uid);
  if (!folder) return UniqueFd();
  // O_NONBLOCK: the open of a fifo must not wait for a writer. The user cannot make devices.
  UniqueFd fd(openat(folder.get(), std::string(file.name).c_str(),
                     O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  struct stat status;
  if (!fd || fstat(fd.get(), &status) != 0) return UniqueFd();
  // st_nlink: a second name of a file would let a third user's file be read as this user's, where
  // the kernel allows such links (fs.protected_hardlinks).
  if (S_ISREG(status.st_mode) && status.st_uid == file.uid && status.st_nlink <= 1) return fd;
  errno = EPERM;
  return UniqueFd();
}

const char* Distrust(Spool& spool, const OtherUsersFile& file) {
  if (spool.header.tree_id != file.tree) return "a spool of another tree, left by another user";
  if (!spool.processes.empty()) return "a merged file, left by another user";
  spool.header.uid = file.uid;
  for (Region& region : spool.regions) {
    // Reading files of the kernel may have effects.
    const bool of_kernel = region.path.starts_with("/proc/") || region.path.starts_with("/sys/");
    const bool comparable = !region.build_id.empty() || region.inode != 0;
    if (of_kernel || (region.path.starts_with('/') && !comparable)) region.path = {};
  }
  return nullptr;
}

}  // namespace csink::spool
