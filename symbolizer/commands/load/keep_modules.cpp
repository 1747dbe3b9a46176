#include "symbolizer/commands/load/keep_modules.h"

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <filesystem>
#include <set>

#include "core/util/parse.h"
#include "profil/format/file_view.h"
#include "profil/reading/reader/reader.h"
#include "symbolizer/commands/load/spool_files.h"
#include "symbolizer/names/locate/kept_module.h"

namespace csink::tool {
namespace {

std::string LinkText(const std::string& link) {
  char text[PATH_MAX];
  const ssize_t bytes = readlink(link.c_str(), text, sizeof text);
  return bytes <= 0 ? std::string() : std::string(text, static_cast<std::size_t>(bytes));
}

/// The pid of csink in the text of its link; 0: there is none.
pid_t PidIn(const std::string& text) {
  const auto colon = text.rfind(':');
  const auto pid = ParseUnsigned(colon == std::string::npos ? "" : text.substr(colon + 1));
  return pid && *pid <= 0x7fffffff ? static_cast<pid_t>(*pid) : 0;
}

/// Whether the path leads `csink run` to the same file as the process. False if that is not known.
class ViewOfTheTree {
 public:
  explicit ViewOfTheTree(const std::string& folder) {
    const std::string text = LinkText(folder + "/" + spool::kFileViewName);
    is_same_ = !SeesOtherFiles(folder);
    if (const pid_t pid = PidIn(text); pid != 0) root_ = "/proc/" + std::to_string(pid) + "/root";
  }
  bool LeadsTo(const std::string& path) const {
    if (is_same_) return true;
    struct stat here, there;
    return !root_.empty() && stat(path.c_str(), &here) == 0 &&
           stat((root_ + path).c_str(), &there) == 0 && here.st_dev == there.st_dev &&
           here.st_ino == there.st_ino;
  }

 private:
  bool is_same_ = true;
  std::string root_;
};

}  // namespace

void KeepModulesOf(const std::string& spool_path) {
  const auto spool = spool::ReadSpoolFile(spool_path);
  if (!spool) return;
  std::set<std::uint32_t> sampled;
  for (const spool::Hit& hit : spool->hits) sampled.insert(hit.region);
  const std::string folder = std::filesystem::path(spool_path).parent_path();
  const ViewOfTheTree tree(folder);
  for (const std::uint32_t index : sampled) {
    if (index >= spool->regions.size()) continue;
    const spool::Region& region = spool->regions[index];
    const bool is_file = region.path.starts_with('/') &&
                         (region.flags & (spool::kRegionAnonymous | spool::kRegionVdso)) == 0;
    const bool is_deleted = (region.flags & spool::kRegionDeleted) != 0;
    if (!is_file) continue;
    symbolizer::ModuleRequest request;
    request.path = region.path;
    if (!is_deleted && tree.LeadsTo(request.path)) continue;
    request.build_id.assign(region.build_id.begin(), region.build_id.end());
    request.device_major = region.device_major;
    request.device_minor = region.device_minor;
    request.inode = region.inode;
    request.is_deleted = is_deleted;
    request.kept_folder = folder;
    request.processes = {{spool->header.pid, spool->header.process_start_ticks}};
    (void)symbolizer::KeepModule(request, "/proc");
  }
}

void SayWhereFilesAre(const std::string& folder) {
  FileView view = OwnFileView();
  view.text.Add(':').Number(static_cast<std::uint64_t>(getpid()));
  // Without it, only deleted files are kept.
  (void)!symlink(view.text.c_str(), (folder + "/" + spool::kFileViewName).c_str());
}

void ForgetWhereFilesAre(const std::string& folder) {
  unlink((folder + "/" + spool::kFileViewName).c_str());
}

std::vector<std::string> KeptIn(const std::string& folder) {
  return FilesIn(folder, [](const std::string& name) {
    return name.starts_with(symbolizer::kKeptPrefix) || name == spool::kFileViewName;
  });
}

void RemoveLeftKept(const std::string& folder) {
  const pid_t pid = PidIn(LinkText(folder + "/" + spool::kFileViewName));
  if (pid == 0 || kill(pid, 0) == 0 || errno != ESRCH) return;
  for (const std::string& path : KeptIn(folder)) RemoveFile(path);
}

}  // namespace csink::tool
