#include "symbolizer/commands/live/private_page.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace csink::tool {
namespace {

/// A page is in a folder of its own; the names are those that RemoveOldPages looks for.
constexpr char kPrefix[] = "csink-view.";
constexpr char kFile[] = "/page.html";
/// Pages stay for a day: csink has ended by then and cannot see when the browser closes the page.
constexpr time_t kDay = 24 * 60 * 60;

/// Removes the page and its folder, unless other files are in it. Errors are ignored.
void RemovePage(const std::string& folder) {
  unlink((folder + kFile).c_str());
  rmdir(folder.c_str());
}

/// Removes the folders of earlier pages. Only folders of this user are looked at, and no link is
/// followed: others can write to /tmp, too. A folder with other files in it stays.
void RemoveOldPages(const std::string& root) {
  std::error_code error;
  for (std::filesystem::directory_iterator entry(root, error), end; !error && entry != end;
       entry.increment(error)) {
    if (!entry->path().filename().string().starts_with(kPrefix)) continue;
    struct stat status = {};
    const std::string folder = entry->path().string();
    const bool is_ours = lstat(folder.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
                         status.st_uid == geteuid();
    if (is_ours && status.st_mtim.tv_sec + kDay < time(nullptr)) RemovePage(folder);
  }
}

}  // namespace

std::vector<std::string> PrivateRoots() {
  std::vector<std::string> roots;
  const char* run = std::getenv("XDG_RUNTIME_DIR");
  if (run && run[0] == '/') roots.push_back(run);
  const char* temporary = std::getenv("TMPDIR");
  // After XDG_RUNTIME_DIR, which is the user's own folder and is emptied at the end of the session.
  roots.push_back(temporary && temporary[0] == '/' ? temporary : "/tmp");
  return roots;
}

void PrivatePage::Remove() const { RemovePage(folder); }

Result<PrivatePage> MakePrivatePage(const std::vector<std::string>& roots) {
  Error error{Errc::kInvalid, 0, "no folder for the page"};
  for (const std::string& root : roots) {
    RemoveOldPages(root);
    PrivatePage page;
    page.folder = root + "/" + kPrefix + "XXXXXX";
    if (mkdtemp(page.folder.data())) {  // Mode 0700
      page.path = page.folder + kFile;
      // O_EXCL: the folder is new, so that the file cannot exist.
      page.fd.reset(open(page.path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
      if (page.fd) return page;
    }
    error = Error{ErrcFromErrno(errno), errno, "cannot make a folder for the page"};
    rmdir(page.folder.c_str());
  }
  return error;
}

}  // namespace csink::tool
