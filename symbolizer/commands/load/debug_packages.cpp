#include "symbolizer/commands/load/debug_packages.h"

#include <dirent.h>
#include <sys/utsname.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <memory>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "core/util/text_file.h"

namespace csink::tool {
namespace {

/// Modules whose package is looked for; the verdict lists no more.
constexpr std::size_t kMostModules = 4;
/// Functions without names with a smaller share are not worth a package.
constexpr double kLeastUnnamed = 0.01;
/// One list of files for each installed package.
constexpr char kDpkgLists[] = "/var/lib/dpkg/info";
constexpr std::string_view kListSuffix = ".list";

/// The value of a variable in os-release(5), without quotes.
std::string VariableOf(const std::string& text, const std::string& name) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(name + "=")) continue;
    std::string value = line.substr(name.size() + 1);
    std::erase(value, '"');
    std::erase(value, '\'');
    return value;
  }
  return "";
}

/// `path` without a leading "/usr". Since the merge of /lib into /usr/lib, a file of the list
/// /lib/x is mapped as /usr/lib/x, and both may be in lists.
std::string WithoutUsr(const std::string& path) {
  constexpr std::string_view kUsr = "/usr";
  return path.starts_with("/usr/") ? path.substr(kUsr.size()) : path;
}

/// Whether `text` has the whole line `name` or "/usr" + `name`. memmem(3) takes a third of the time
/// of std::string::find, which stops at each slash.
bool HasLine(const std::string& text, const std::string& name) {
  const std::string line = name + "\n";
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  for (const char* at = begin;; ++at) {
    at = static_cast<const char*>(
        memmem(at, static_cast<std::size_t>(end - at), line.data(), line.size()));
    if (at == nullptr) return false;
    std::string_view before(begin, static_cast<std::size_t>(at - begin));
    if (before.ends_with("/usr")) before.remove_suffix(4);
    if (before.empty() || before.back() == '\n') return true;
  }
}

/// The names of dpkg's lists in `folder`, those first whose package has a name like the file's:
/// most files are in such a package, and only a few lists are read then.
std::vector<std::string> ListsFor(const std::string& path, const std::string& folder) {
  const std::string_view file = std::string_view(path).substr(path.rfind('/') + 1);
  // readdir(3): std::filesystem splits each path into its parts, which took two fifths of a short
  // report on a machine with 1,262 packages (4,444 files).
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(::opendir(folder.c_str()), ::closedir);
  if (!entries) return {};
  std::vector<std::pair<std::ptrdiff_t, std::string>> found;
  while (const dirent* const entry = ::readdir(entries.get())) {
    const std::string_view package = entry->d_name;
    if (!package.ends_with(kListSuffix)) continue;
    const auto differs = std::mismatch(file.begin(), file.end(), package.begin(), package.end());
    found.emplace_back(differs.first - file.begin(), package);
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<std::string> lists;
  for (auto& [same, list] : found) lists.push_back(std::move(list));
  return lists;
}

}  // namespace

std::string DebugPackageOf(const std::string& path, const std::string& root) {
  // Files of users are in no package.
  if (!path.starts_with("/usr/") && !path.starts_with("/lib") && !path.starts_with("/bin/") &&
      !path.starts_with("/sbin/") && !path.starts_with("/opt/")) {
    return "";
  }
  const std::string name = WithoutUsr(path);
  const std::string folder = root + kDpkgLists;
  for (const std::string& list : ListsFor(path, folder)) {
    if (!HasLine(ReadTextFile(folder + "/" + list), name)) continue;
    // "liblzma5:amd64.list"
    std::string package = list.substr(0, list.size() - kListSuffix.size());
    package = package.substr(0, package.find(':'));
    // The C library's names are in a package of the main archive.
    return package == "libc6" ? "libc6-dbg" : package + "-dbgsym";
  }
  return "";
}

std::string DebugArchive(const std::string& root) {
  const std::string release = ReadTextFile(root + "/etc/os-release");
  const std::string id = VariableOf(release, "ID");
  const std::string codename = VariableOf(release, "VERSION_CODENAME");
  // https://wiki.debian.org/AutomaticDebugPackages, https://documentation.ubuntu.com/server,
  // https://sourceware.org/elfutils/Debuginfod.html
  std::string source;
  std::string server;
  if (id == "debian") {
    if (!codename.empty()) {
      source = "(deb http://debug.mirrors.debian.org/debian-debug " + codename + "-debug main), ";
    }
    server = "https://debuginfod.debian.net";
  } else if (id == "ubuntu") {
    if (!codename.empty()) {
      source =
          "(deb http://ddebs.ubuntu.com " + codename + " main restricted universe multiverse), ";
    }
    server = "https://debuginfod.ubuntu.com";
  } else if (id == "fedora") {
    server = "https://debuginfod.fedoraproject.org/";
  } else if (id == "arch") {
    server = "https://debuginfod.archlinux.org";
  } else if (id.starts_with("opensuse")) {
    server = "https://debuginfod.opensuse.org/";
  }
  if (server.empty()) return "";
  return source + "or keep the spool (CSINK_KEEP=1) and run DEBUGINFOD_URLS=" + server +
         " csink report FILE";
}

void AddDebugPackages(report::Report& report, const std::string& root) {
  utsname machine = {};
  uname(&machine);
  // The lists of dpkg are those of this machine, and the files may be those of another machine.
  if (report.host != machine.nodename) return;
  std::error_code error;
  const bool has_dpkg = std::filesystem::is_directory(root + kDpkgLists, error);
  std::size_t count = 0;
  bool helps = false;
  for (report::ModuleProblem& module : report.verdict.modules_without_symbols) {
    if (module.unnamed < kLeastUnnamed || !module.problem.empty()) continue;
    if (++count > kMostModules) break;
    if (has_dpkg) module.package = DebugPackageOf(module.path, root);
    // The archive has no names of a file that no package owns. Packages other than dpkg's are not
    // looked at.
    helps = helps || !has_dpkg || !module.package.empty();
  }
  if (helps) report.verdict.debug_archive = DebugArchive(root);
}

}  // namespace csink::tool
