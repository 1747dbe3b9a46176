#include "symbolizer/commands/load/spool_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <mutex>
#include <set>
#include <utility>

#include "core/util/option_tokens.h"
#include "core/util/parse.h"
#include "profil/reading/reader/other_user.h"
#include "symbolizer/commands/load/users_place.h"
#include "symbolizer/names/locate/live_process.h"
#include "symbolizer/report/wording/shorten.h"

/// File: names and folders of spools. The agent makes the names and the folders of single processes
/// (agent/results); this file must agree with it.

namespace csink::tool {
namespace {

/// Begin of the names of folders of trees.
constexpr char kTreePrefix[] = "tree.";

/// For std::unique_ptr.
struct CloseDir {
  void operator()(DIR* dir) const { closedir(dir); }
};

/// Whether `text` ends with `end` and has something before it.
bool EndsWith(const std::string& text, const std::string& end) {
  return text.size() > end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

/// The entries of a folder that have this file type and whose names `wanted` accepts, sorted, with
/// the folder's path. Type 0: all but folders. Symbolic links are not followed, because other users
/// can write to /tmp.
template <class Wanted>
std::vector<std::string> NamesIn(const std::string& folder, mode_t type, Wanted wanted) {
  std::vector<std::string> paths;
  UniqueFd opened = OpenSpoolFolder(folder);
  const std::unique_ptr<DIR, CloseDir> dir(opened ? fdopendir(opened.get()) : nullptr);
  if (!dir) return paths;
  (void)opened.release();  // closedir(3) closes it
  while (const dirent* entry = readdir(dir.get())) {
    const std::string name = entry->d_name;
    struct stat status;
    if (!wanted(name) ||
        fstatat(dirfd(dir.get()), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) {
      continue;
    }
    if ((status.st_mode & S_IFMT) == type || (type == 0 && !S_ISDIR(status.st_mode)))
      paths.push_back(folder + "/" + name);
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

/// A variable of the environment; "" if it is not set.
std::string Environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

/// Accepts any word as a key: only the agent knows the valid keys.
bool LooksLikeKey(std::string_view word) noexcept {
  return !word.empty() &&
         word.find_first_not_of("abcdefghijklmnopqrstuvwxyz_") == std::string_view::npos;
}

/// The folder that the user chose for spools; "" if none. Decides as the agent does:
/// CSINK_SPOOL_DIR wins over CSINK_OPTIONS.
std::string ChosenFolder() {
  std::string chosen = Environment("CSINK_SPOOL_DIR");
  if (!chosen.empty()) return chosen;
  const std::string options = Environment("CSINK_OPTIONS");
  OptionTokens tokens(options, LooksLikeKey);
  for (Option option; tokens.Next(option);) {
    if (option.key == "spool_dir" && !option.mistake) chosen = option.value;
  }
  return chosen;
}

/// Opens a root folder for a tree's folder, and creates it if it does not exist. Invalid if it is
/// not usable. A folder that the user chose may belong to anybody, and may be a link.
UniqueFd OpenRoot(const std::string& path) {
  if (mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) return UniqueFd();
  return OpenSpoolFolder(path);
}

/// The folder above, and the last name. A path without a slash is in the working folder.
std::pair<std::string, std::string> Split(const std::string& path) {
  const auto slash = path.rfind('/');
  if (slash == std::string::npos) return {".", path};
  return {slash == 0 ? "/" : path.substr(0, slash), path.substr(slash + 1)};
}

/// The path without slashes at its end.
std::string WithoutSlash(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

/// The usual folders, in the order in which the agent tries them.
std::vector<std::string> UsualRoots() {
  std::vector<std::string> roots;
  const std::string own = "csink-" + std::to_string(getuid());
  if (const std::string run = Environment("XDG_RUNTIME_DIR"); run.starts_with('/')) {
    roots.push_back(run + "/csink");
  }
  roots.push_back("/dev/shm/" + own);
  const std::string temporary = Environment("TMPDIR");
  if (temporary.starts_with('/') && temporary != "/tmp") roots.push_back(temporary + "/" + own);
  roots.push_back("/tmp/" + own);
  return roots;
}

bool IsUsualRoot(const std::string& folder) {
  const auto roots = UsualRoots();
  return std::find(roots.begin(), roots.end(), folder) != roots.end();
}

}  // namespace

std::optional<SpoolName> ParseSpoolName(const std::string& path) {
  if (!EndsWith(path, spool::kFileSuffix)) return std::nullopt;
  std::string stem = report::BaseName(path);
  stem.resize(stem.size() - (sizeof spool::kFileSuffix - 1));
  std::string_view rest = stem;
  SpoolName name;
  name.path = path;
  // Dots separate the parts.
  name.program = NextToken(rest, '.');
  name.host = NextToken(rest, '.');
  const auto pid = ParseUnsigned(NextToken(rest, '.'));
  const auto ticks = ParseUnsigned(NextToken(rest, '.'));
  const auto generation = ParseUnsigned(rest);
  if (!pid || !ticks || !generation || *pid > 0xffffffffu || *generation > 0xffffffffu) {
    return std::nullopt;
  }
  name.pid = static_cast<std::uint32_t>(*pid);
  name.start_ticks = *ticks;
  name.generation = static_cast<std::uint32_t>(*generation);
  return name;
}

bool IsUsualFolder(const std::string& folder) {
  const std::string path = WithoutSlash(folder);
  if (IsUsualRoot(path)) return true;
  const auto [above, name] = Split(path);
  return name.starts_with(kTreePrefix) && IsUsualRoot(above);
}

UniqueFd OpenFolderToClean(const std::string& folder) {
  return spool::OpenFolderOf(WithoutSlash(folder), geteuid());
}

UniqueFd OpenSpoolFolder(const std::string& folder) {
  if (IsUsualFolder(folder)) {
    const auto [above, name] = Split(WithoutSlash(folder));
    // The folder of a tree is safe only if the folder above is.
    if (IsUsualRoot(above) && !OpenFolderToClean(above)) return UniqueFd();
    return OpenFolderToClean(folder);
  }
  return UniqueFd(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

void RemoveFile(const std::string& path) {
  const auto [folder, name] = Split(path);
  const UniqueFd fd = IsUsualFolder(folder) ? OpenSpoolFolder(folder) : OpenFolderToClean(folder);
  if (fd) unlinkat(fd.get(), name.c_str(), 0);
}

int RemoveFolder(const std::string& path) {
  const auto [above, name] = Split(WithoutSlash(path));
  const UniqueFd fd = OpenSpoolFolder(above);
  return fd && unlinkat(fd.get(), name.c_str(), AT_REMOVEDIR) == 0 ? 0 : errno;
}

std::vector<std::string> SpoolsIn(const std::string& folder) {
  return SpoolsIn(folder, [](const std::string&) { return true; });
}

std::vector<std::string> SpoolsIn(const std::string& folder,
                                  const std::function<bool(const std::string&)>& wanted) {
  return NamesIn(folder, S_IFREG, [&wanted](const std::string& name) {
    return EndsWith(name, spool::kFileSuffix) && wanted(name);
  });
}

std::vector<std::string> FilesIn(const std::string& folder,
                                 const std::function<bool(const std::string&)>& wanted) {
  return NamesIn(folder, 0, wanted);
}

std::vector<std::string> TreesIn(const std::string& folder) {
  return NamesIn(folder, S_IFDIR,
                 [](const std::string& name) { return name.rfind(kTreePrefix, 0) == 0; });
}

std::vector<std::string> SpoolsBelow(const std::string& folder) {
  std::vector<std::string> spools = SpoolsOfTree(folder);
  for (const std::string& tree : TreesIn(folder)) {
    for (const std::string& path : SpoolsOfTree(tree)) spools.push_back(path);
  }
  return spools;
}

std::vector<std::string> OtherImages(const std::string& path) {
  std::vector<std::string> images;
  const auto own = ParseSpoolName(path);
  if (!own) return images;
  const auto slash = path.rfind('/');
  for (const std::string& other :
       SpoolsIn(slash == std::string::npos ? "." : path.substr(0, slash))) {
    const auto name = ParseSpoolName(other);
    // Not compared by path: "x.csink" and "./x.csink" are the same file.
    const bool is_own =
        name && name->generation == own->generation && name->program == own->program;
    if (name && name->SameProcess(*own) && !is_own) images.push_back(other);
  }
  return images;
}

std::vector<std::string> SpoolRoots() {
  if (const std::string chosen = ChosenFolder(); !chosen.empty()) return {chosen};
  return UsualRoots();
}

/// On tmpfs, stores into a mapped file do not change its time (list_command.cpp), so a spool's time
/// may be older than its last sample.
std::vector<std::string> NewestSpools() {
  std::vector<SpoolName> names;
  std::size_t newest = 0;
  timespec latest = {};
  for (const std::string& root : SpoolRoots()) {
    std::vector<std::string> folders = TreesIn(root);
    folders.push_back(root);
    for (const std::string& folder : folders) {
      for (const std::string& path : SpoolsIn(folder)) {
        struct stat status = {};
        const auto name = ParseSpoolName(path);
        if (!name || stat(path.c_str(), &status) != 0) continue;
        const auto when = std::pair(status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
        if (names.empty() || when > std::pair(latest.tv_sec, latest.tv_nsec)) {
          latest = status.st_mtim;
          newest = names.size();
        }
        names.push_back(*name);
      }
    }
  }
  std::vector<std::string> spools;
  for (const SpoolName& name : names) {
    if (name.SameProcess(names[newest])) spools.push_back(name.path);
  }
  return spools;
}

Result<std::string> MakeTreeFolder(std::uint64_t tree_id) {
  char name[32];
  std::snprintf(name, sizeof name, "%s%016" PRIx64, kTreePrefix, tree_id);
  for (const std::string& root : SpoolRoots()) {
    const UniqueFd fd = OpenRoot(root);
    if (!fd || mkdirat(fd.get(), name, 0700) != 0) continue;
    // The path is passed to programs with other working folders, so it must be absolute.
    const std::string path = root + "/" + name;
    const std::unique_ptr<char, decltype(&std::free)> whole(realpath(path.c_str(), nullptr),
                                                            &std::free);
    if (whole) return std::string(whole.get());
  }
  return Error{Errc::kPermission, errno, "no folder for spools can be created"};
}

std::optional<std::uint64_t> StartTicks(std::uint32_t pid) {
  const auto stat = symbolizer::ReadProcessStat("/proc/" + std::to_string(pid));
  // A zombie process does not drain any more.
  return stat && !stat->ended() ? std::optional(stat->start_ticks) : std::nullopt;
}

namespace {

/// Whether the process that started at `start_ticks` still runs under this number.
bool Runs(std::uint32_t pid, std::uint64_t start_ticks) {
  return StartTicks(pid) && symbolizer::HasStart("/proc", pid, start_ticks);
}

/// Name and inode of all spools that processes have mapped. The device is left out: that of
/// /proc/PID/maps differs from stat(2)'s on btrfs and overlayfs.
using MappedFiles = std::set<std::pair<std::string, ino_t>>;

/// Adds what one process has mapped.
void AddMapped(const std::string& process, MappedFiles& files) {
  std::ifstream maps(process + "/maps");
  for (std::string line; std::getline(maps, line);) {
    if (!EndsWith(line, spool::kFileSuffix)) continue;
    // address perms offset device inode path (proc(5))
    std::string_view rest = line;
    for (int field = 0; field < 4; ++field) NextToken(rest, ' ');
    if (const auto inode = ParseUnsigned(NextToken(rest, ' '))) {
      files.emplace(report::BaseName(line), static_cast<ino_t>(*inode));
    }
  }
}

MappedFiles AllMapped() {
  MappedFiles files;
  const std::unique_ptr<DIR, CloseDir> dir(opendir("/proc"));
  while (const dirent* entry = dir ? readdir(dir.get()) : nullptr) {
    if (ParseUnsigned(entry->d_name)) AddMapped(std::string("/proc/") + entry->d_name, files);
  }
  return files;
}

}  // namespace

bool IsMappedAnywhere(const std::string& path) {
  static std::mutex mutex;
  static MappedFiles files;
  static time_t looked_at = 0;
  const std::lock_guard guard(mutex);
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  // A report of many spools asks for each; a live page goes on for hours.
  if (looked_at == 0 || now.tv_sec > looked_at + 1) {
    files = AllMapped();
    looked_at = now.tv_sec;
  }
  struct stat status;
  return stat(path.c_str(), &status) == 0 &&
         files.contains({report::BaseName(path), status.st_ino});
}

ProcessState StateOf(const spool::Header& header, const std::string& path) {
  if (header.state == spool::State::kComplete) return ProcessState::kComplete;
  std::string_view rest = path;
  NextToken(rest, '/');
  const bool in_proc = NextToken(rest, '/') == "proc";
  const auto outer = ParseUnsigned(NextToken(rest, '/'));
  // "/proc/PID/root/...": the process runs in another pid namespace, where its own number means
  // nothing here.
  if (in_proc && outer && *outer <= 0x7fffffff) {
    const bool same = Runs(static_cast<std::uint32_t>(*outer), header.process_start_ticks);
    return same ? ProcessState::kLive : ProcessState::kUnknown;
  }
  char host[sizeof header.host] = {};
  // Folders may be shared by several machines.
  gethostname(host, sizeof host - 1);
  const bool runs =
      std::string(host) == header.host && Runs(header.pid, header.process_start_ticks);
  return runs || IsMappedAnywhere(path) ? ProcessState::kLive : ProcessState::kUnknown;
}

std::optional<std::string> MappedSpool(std::uint32_t pid) {
  const std::string process = "/proc/" + std::to_string(pid);
  std::ifstream maps(process + "/maps");
  std::optional<std::string> found;
  for (std::string line; std::getline(maps, line);) {
    const auto slash = line.find('/');
    // The path is the last field of a line and the first with a slash (proc(5)). A removed file has
    // " (deleted)" behind its name, so that ParseSpoolName refuses the name.
    if (slash == std::string::npos || !ParseSpoolName(line.substr(slash))) continue;
    const std::string path = line.substr(slash);
    const std::string through_root = process + "/root" + path;
    // The path is opened through the process's own root, because it may run in a container.
    found = access(through_root.c_str(), R_OK) == 0 ? through_root : path;
  }
  return found;
}

}  // namespace csink::tool
