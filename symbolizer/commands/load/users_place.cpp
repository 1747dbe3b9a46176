#include "symbolizer/commands/load/users_place.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <memory>
#include <string_view>
#include <utility>

#include "core/util/parse.h"
#include "core/util/unique_fd.h"
#include "profil/format/tree_names.h"
#include "profil/reading/reader/file.h"
#include "profil/reading/reader/other_user.h"
#include "profil/reading/reader/small_reader.h"
#include "symbolizer/commands/console/messages.h"
#include "symbolizer/commands/load/spool_files.h"
#include "symbolizer/report/wording/shorten.h"

namespace csink::tool {
namespace {

/// Files of one user that are read. A tree of more processes leaves records, not spools; the limit
/// is for a user who fills his folder on purpose.
constexpr std::size_t kMostFiles = 20'000;

/// An empty file in the folder of a tree whose spools the user wants to keep.
constexpr char kKeptMark[] = "tree.kept";

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
  const UniqueFd folder = spool::OpenFolderOf(path, uid);
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

/// A user who fills his file on purpose is not heard further.
constexpr std::size_t kMostMessageBytes = 256 * 1024;
constexpr std::size_t kMostMessages = 20;

/// The mark of this process's stderr; "" if that is closed.
std::string OwnStderrMark() {
  struct stat status;
  if (fstat(STDERR_FILENO, &status) != 0) return "";
  return std::string(StderrMark(status.st_dev, status.st_ino).view());
}

/// Makes an empty file for this user alone.
void MakeFile(const std::string& path) {
  const UniqueFd made(
      open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
}

/// The files of messages: the tree's own first.
std::vector<std::string> MessageFiles(const std::string& folder) {
  std::vector<std::string> files = {folder + "/" + kMessagesFile};
  for (const std::string& place : PlacesOf(folder)) {
    const UniqueFd fd = OpenOwnFolder(place, kPlaceMode);
    if (!fd) continue;
    for (const std::string& name : NamesIn(fd)) {
      if (UserOf(name) != 0xffffffff) files.push_back(place + "/" + name + "/" + kMessagesFile);
    }
  }
  return files;
}

}  // namespace

void BeginMessages(const std::string& folder) {
  MakeFile(folder + "/" + kMessagesFile);
  const std::string mark = OwnStderrMark();
  if (mark.empty()) return;
  MakeFile(folder + "/" + mark);
  for (const std::string& place : PlacesOf(folder)) {
    if (OpenOwnFolder(place, kPlaceMode)) MakeFile(place + "/" + mark);
  }
}

bool SayMessages(const std::string& folder) {
  std::map<std::string, std::size_t> texts;
  std::vector<std::string> order;
  for (const std::string& path : MessageFiles(folder)) {
    // Every begin of bytes is accepted.
    const auto bytes = spool::ReadWholeFile(path, "", "too many messages");
    if (!bytes) continue;
    std::string_view rest(reinterpret_cast<const char*>(bytes->data()),
                          std::min(bytes->size(), kMostMessageBytes));
    while (!rest.empty()) {
      const std::string line = report::Printable(std::string(NextToken(rest, '\n')));
      // Each line begins as the agent prints it.
      if (line.starts_with("csink: ") && texts[line]++ == 0) order.push_back(line);
    }
  }
  for (std::size_t i = 0; i < order.size() && i < kMostMessages; ++i) {
    const std::size_t times = texts[order[i]];
    const std::string more = times > 1 ? " (" + std::to_string(times) + " times)" : "";
    (void)WriteAll(STDERR_FILENO, order[i] + more + "\n");
  }
  if (order.size() > kMostMessages) {
    Warn(std::to_string(order.size() - kMostMessages) + " more messages are not shown");
  }
  // A process may have made the folder again.
  if (access((folder + "/" + kMessagesFile).c_str(), F_OK) == 0) return true;
  Warn("the tree's folder " + folder +
       " was removed while the program ran: what its processes had left there is missing");
  return false;
}

void RemoveMessages(const std::string& folder) {
  for (const std::string& path : MessageFiles(folder)) RemoveSpool(path);
  std::vector<UniqueFd> folders;
  folders.push_back(OpenFolderToClean(folder));
  for (const std::string& place : PlacesOf(folder)) {
    folders.push_back(OpenOwnFolder(place, kPlaceMode));
  }
  // Those of an earlier csink, too, which was killed.
  for (const UniqueFd& fd : folders) {
    if (!fd) continue;
    for (const std::string& name : NamesIn(fd)) {
      if (name.starts_with("stderr.") || name == kKeptMark) unlinkat(fd.get(), name.c_str(), 0);
    }
  }
}

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

void RemoveSpool(const std::string& path) {
  const auto others = spool::AsOtherUsersFile(path);
  if (!others) return RemoveFile(path);
  const UniqueFd folder = spool::OpenFolderOf(std::string(others->folder), others->uid);
  if (folder) unlinkat(folder.get(), std::string(others->name).c_str(), 0);
}

void MarkAsKept(const std::string& folder) { MakeFile(folder + "/" + kKeptMark); }

bool IsMarkedAsKept(const std::string& folder) {
  struct stat status;
  return lstat((folder + "/" + kKeptMark).c_str(), &status) == 0;
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
