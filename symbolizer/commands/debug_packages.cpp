#include "symbolizer/commands/debug_packages.h"

#include <sys/utsname.h>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string_view>
#include <system_error>
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

/// The names under which dpkg may know a file. Since the merge of /lib into /usr/lib, a file of the
/// list /lib/x is mapped as /usr/lib/x.
std::vector<std::string> NamesOf(const std::string& path) {
  constexpr std::string_view kUsr = "/usr";
  std::vector<std::string> names = {path};
  if (path.starts_with("/usr/")) {
    names.push_back(path.substr(kUsr.size()));
  } else {
    names.push_back(std::string(kUsr) + path);
  }
  return names;
}

/// Whether `text` has `line` as a whole line.
bool HasLine(const std::string& text, const std::string& line) {
  for (std::size_t at = text.find(line); at != text.npos; at = text.find(line, at + 1)) {
    const std::size_t end = at + line.size();
    if ((at == 0 || text[at - 1] == '\n') && (end == text.size() || text[end] == '\n')) return true;
  }
  return false;
}

}  // namespace

std::string DebugPackageOf(const std::string& path, const std::string& root) {
  // Files of users are in no package.
  if (!path.starts_with("/usr/") && !path.starts_with("/lib") && !path.starts_with("/bin/") &&
      !path.starts_with("/sbin/") && !path.starts_with("/opt/")) {
    return "";
  }
  const std::vector<std::string> names = NamesOf(path);
  std::error_code error;
  for (std::filesystem::directory_iterator entry(root + kDpkgLists, error), end;
       !error && entry != end; entry.increment(error)) {
    if (entry->path().extension() != ".list") continue;
    const std::string text = ReadTextFile(entry->path().string());
    if (std::none_of(names.begin(), names.end(),
                     [&](const std::string& name) { return HasLine(text, name); })) {
      continue;
    }
    // "liblzma5:amd64.list"
    std::string package = entry->path().stem().string();
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
