#include "symbolizer/commands/users_place.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <utility>

#include "core/util/parse.h"
#include "core/util/unique_fd.h"
#include "profil/reader/other_user.h"
#include "profil/reader/small_reader.h"
#include "profil/spool/tree_names.h"
#include "symbolizer/commands/output.h"
#include "symbolizer/commands/spool_files.h"
#include "symbolizer/report/wording/shorten.h"

namespace csink::tool {
namespace {

/// Files of one user that are read. A tree of more processes leaves records, not spools; the limit
/// is for a user who fills his folder on purpose.
constexpr std::size_t kMostFiles = 20'000;

/// For std::unique_ptr.
struct CloseDir {
  void operator()(DIR* dir) const { closedir(dir); }
};

/// The names in an open folder.
std::vector<std::string> NamesIn(const UniqueFd& folder) {
  std::vector<std::string> names;
  // Opened again, because the stream takes over its descriptor.
  const int fd = openat(folder.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const std::unique_ptr<DIR, CloseDir> dir(fd >= 0 ? fdopendir(fd) : nullptr);
  while (const dirent* entry = dir ? readdir(dir.get()) : nullptr) {
    const std::string name = entry->d_name;
    if (name != "." && name != "..") names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

/// A folder of this user that others cannot write to, without a link in its last component. `mode`:
/// what it has to have.
UniqueFd OpenOwnFolder(const std::string& path, mode_t mode) {
  UniqueFd fd(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat status;
  const bool ours = fd && fstat(fd.get(), &status) == 0 && status.st_uid == geteuid();
  return ours && (status.st_mode & 07777) == mode ? std::move(fd) : UniqueFd();
}

constexpr mode_t kRootMode = 0711;
/// Sticky: nobody can remove the folder of another user.
constexpr mode_t kPlaceMode = 01733;

/// The user whose folder has this name; 0xffffffff: none, as for the kernel.
std::uint32_t UserOf(const std::string& name) {
  const auto uid = ParseUnsigned(name);
  return uid && *uid < 0xffffffff && std::to_string(*uid) == name ? static_cast<std::uint32_t>(*uid)
                                                                  : 0xffffffff;
}

/// Adds the files of one user. Others in his folder are none of ours.
void AddFiles(const std::string& path, std::uint32_t uid, std::vector<std::string>& files) {
  const UniqueFd folder = spool::OpenOtherUsersFolder(path, uid);
  if (!folder) return;
  std::size_t left = kMostFiles;
  for (const std::string& name : NamesIn(folder)) {
    struct stat status;
    if ((!ParseSpoolName(name) && !spool::IsSmallFile(name)) ||
        fstatat(folder.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0 ||
        !S_ISREG(status.st_mode) || status.st_uid != uid) {
      continue;
    }
    if (left-- == 0) {
      Warn(path + ": only the first " + std::to_string(kMostFiles) + " spools are read");
      return;
    }
    files.push_back(path + "/" + name);
  }
}

/// The places that the tree has; usually one.
std::vector<std::string> PlacesOf(const std::string& folder) {
  std::vector<std::string> places;
  const std::string name = report::BaseName(folder);
  if (geteuid() != 0 || !name.starts_with("tree.")) return places;
  for (const std::string_view root : kUsersRoots) {
    if (OpenOwnFolder(std::string(root), kRootMode))
      places.push_back(std::string(root) + "/" + name);
  }
  return places;
}

}  // namespace

void MakeUsersPlace(std::uint64_t tree) {
  if (geteuid() != 0) return;
  for (const std::string_view root : kUsersRoots) {
    const std::string path(root);
    // The umask may take bits away, so the modes are set afterwards.
    const bool made = mkdir(path.c_str(), 0700) == 0;
    if (made && chmod(path.c_str(), kRootMode) != 0) continue;
    const UniqueFd fd = OpenOwnFolder(path, kRootMode);
    const std::string name(TreeName(tree).view());
    if (!fd || mkdirat(fd.get(), name.c_str(), 0700) != 0) continue;
    if (fchmodat(fd.get(), name.c_str(), kPlaceMode, 0) == 0) return;
    unlinkat(fd.get(), name.c_str(), AT_REMOVEDIR);
  }
}

std::vector<std::string> UsersSpools(const std::string& folder) {
  std::vector<std::string> files;
  for (const std::string& place : PlacesOf(folder)) {
    const UniqueFd fd = OpenOwnFolder(place, kPlaceMode);
    if (!fd) continue;
    for (const std::string& name : NamesIn(fd)) {
      const std::uint32_t uid = UserOf(name);
      if (uid != 0xffffffff) AddFiles(place + "/" + name, uid, files);
    }
  }
  return files;
}

std::vector<std::string> SpoolsOfTree(const std::string& folder) {
  std::vector<std::string> spools = SpoolsIn(folder);
  for (std::string& path : UsersSpools(folder)) spools.push_back(std::move(path));
  return spools;
}

bool HasUsersPlace(const std::string& folder) {
  const std::vector<std::string> places = PlacesOf(folder);
  return std::any_of(places.begin(), places.end(), [](const std::string& place) {
    return static_cast<bool>(OpenOwnFolder(place, kPlaceMode));
  });
}

void RemoveSpool(const std::string& path) {
  const auto others = spool::AsOtherUsersFile(path);
  if (!others) {
    unlink(path.c_str());
    return;
  }
  const UniqueFd folder = spool::OpenOtherUsersFolder(std::string(others->folder), others->uid);
  if (folder) unlinkat(folder.get(), std::string(others->name).c_str(), 0);
}

bool RemoveUsersPlace(const std::string& folder) {
  bool empty = true;
  for (const std::string& place : PlacesOf(folder)) {
    const UniqueFd fd = OpenOwnFolder(place, kPlaceMode);
    if (!fd) continue;
    for (const std::string& name : NamesIn(fd)) {
      // A user's folder, or what a user has put in its place.
      if (unlinkat(fd.get(), name.c_str(), AT_REMOVEDIR) != 0 && errno == ENOTDIR) {
        unlinkat(fd.get(), name.c_str(), 0);
      }
    }
    empty = rmdir(place.c_str()) == 0 && empty;
  }
  return empty;
}

}  // namespace csink::tool
