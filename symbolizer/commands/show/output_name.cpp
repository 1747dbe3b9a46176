#include "symbolizer/commands/show/output_name.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "core/util/output_template.h"
#include "profil/reading/model/spawned_world.h"
#include "symbolizer/commands/console/messages.h"
#include "symbolizer/commands/show/own_report.h"

/// File: opens output files. With %n, O_EXCL makes sure that two processes never get the same
/// number. Without it the file is truncated, so a later report replaces an earlier one.

namespace csink::tool {
namespace {

/// Numbers that are tried for %n; then the error EEXIST is reported.
constexpr std::uint64_t kMostNumbers = 100'000;
/// O_NOCTTY: an output path may be a terminal.
constexpr int kFlags = O_CREAT | O_CLOEXEC | O_NOCTTY;

/// What the parts of a template are replaced with.
struct Values {
  const ProcessRow& process;
  std::uint64_t number;
  std::string text;  ///< The text for the part that is being expanded
};

// "20261120T161200Z": sorts by time and does not depend on the time zone.
std::string StartTime(std::uint64_t realtime_ns) {
  const auto seconds = static_cast<time_t>(realtime_ns / 1'000'000'000);
  tm parts = {};
  char text[32] = "";
  if (!gmtime_r(&seconds, &parts) || strftime(text, sizeof text, "%Y%m%dT%H%M%SZ", &parts) == 0) {
    return "";
  }
  return text;
}

/// An environment variable of this process; "" if it is not set.
std::string Variable(std::string_view name) {
  const char* value = std::getenv(std::string(name).c_str());
  return value ? value : "";
}

/// The text for one part of the template. The letters are those of core/util/output_template.h.
std::string TextOf(const TemplatePart& part, const Values& values) {
  const ProcessRow& process = values.process;
  switch (part.letter) {
    case 'p':
      return std::to_string(process.pid);
    case 'e':
      return process.program;
    case 'h':
      return process.host;
    case 'g':
      return std::to_string(process.generation);
    case 't':
      return StartTime(process.start_realtime_ns);
    case 'r':
      return process.rank >= 0 ? std::to_string(process.rank) : "";
    case 'j':
      return process.job;
    case 'n':
      return std::to_string(values.number);
    default:
      return Variable(part.variable);
  }
}

/// A TemplateValue. The text must outlive the call, so it is kept in `context`.
bool ValueOf(const TemplatePart& part, std::string_view& value, void* context) noexcept {
  auto& values = *static_cast<Values*>(context);
  values.text = TextOf(part, values);
  value = values.text;
  return true;
}

/// The process that started first, in its last image. Rows are sorted by start.
const ProcessRow& MainProcess(const Profile& profile) {
  // A profile without processes has no names: the parts of the template become empty or 0.
  static const ProcessRow kNobody;
  const ProcessRow* main = nullptr;
  for (const ProcessRow& process : profile.processes) {
    if (!main || (process.pid == main->pid && process.start_ticks == main->start_ticks)) {
      main = &process;
    }
  }
  return main ? *main : kNobody;
}

/// Makes all folders of a path, as mkdir -p does. Returns the last one that was made.
std::string MakeFoldersOf(const std::string& path) {
  std::string made;
  for (std::size_t at = path.find('/', 1); at != std::string::npos; at = path.find('/', at + 1)) {
    const std::string folder = path.substr(0, at);
    if (mkdir(folder.c_str(), 0777) == 0) made = folder;  // Errors are reported by open(2)
  }
  return made;
}

/// Opens the file; makes its folders only if open(2) says that they are missing. A folder may be a
/// misspelt one, so `says` prints a line about it.
int Open(const std::string& path, int flags, mode_t mode, bool says) {
  int fd = open(path.c_str(), kFlags | flags, mode);
  if (fd < 0 && errno == ENOENT) {
    const std::string made = MakeFoldersOf(path);
    if (says && !made.empty()) Warn("the folder " + made + " did not exist and was made");
    fd = open(path.c_str(), kFlags | flags, mode);
  }
  return fd;
}

/// Opens a new file or a report of ours, which it empties.
Result<UniqueFd> OpenOwnReport(const std::string& path, mode_t mode) {
  // Read for MayReplace. O_NONBLOCK: the open of a fifo must not wait.
  UniqueFd fd(Open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK, mode, false));
  if (!fd) return Error{ErrcFromErrno(errno), errno, "cannot be opened"};
  if (!MayReplace(fd.get())) {
    return Error{Errc::kPermission, 0, "the file exists and is not a report of csink"};
  }
  if (ftruncate(fd.get(), 0) != 0) return Error{ErrcFromErrno(errno), errno, "cannot be emptied"};
  MarkAsReport(fd.get());
  return fd;
}

/// Takes the rights of others from a file that has been there before.
void MakePrivate(int fd) {
  struct stat status;
  if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode)) (void)fchmod(fd, 0600);
}

// Whether the path is a terminal, pipe or /dev/null, or another name of one of the process's
// descriptors (/dev/stderr): such a name must not be changed.
bool IsSpecial(const std::string& path) {
  struct stat status;
  return path.starts_with("/dev/fd/") || path.starts_with("/dev/std") ||
         path.starts_with("/proc/") ||
         (stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode));
}

/// The spawned world of a job, with a dot before it; "": none.
std::string WorldSuffix(std::string_view job) {
  const std::string_view world = SpawnedWorld(job);
  if (world.empty()) return "";
  TemplatePath harmless;
  AddHarmless(world, TemplateRound::kLast, harmless);
  return "." + std::string(harmless.view());
}

/// What is appended to the name so that processes of one run do not overwrite each other's report:
/// the spawned world, the rank, and the pid of a process whose parent is profiled, too. "" if the
/// template tells them apart.
std::string TellingApart(const std::string& text, const Profile& profile, const std::string& path,
                         bool of_one_process) {
  if (TemplateHas(text, 'p') || IsSpecial(path)) return "";
  const ProcessRow& main = MainProcess(profile);
  std::string suffix;
  if (main.rank >= 0 && !TemplateHas(text, 'j')) suffix += WorldSuffix(main.job);
  if (!of_one_process) return suffix;
  if (main.rank >= 0 && !TemplateHas(text, 'r')) suffix += ".r" + std::to_string(main.rank);
  if (main.depth > 0) suffix += "." + std::to_string(main.pid);
  return suffix;
}

}  // namespace

Result<std::string> ExpandTemplate(const std::string& text, const Profile& profile,
                                   std::uint64_t number) {
  Values values{MainProcess(profile), number, {}};
  TemplatePath path;
  const auto expanded = csink::ExpandTemplate(text, ValueOf, &values, TemplateRound::kLast, path);
  if (!expanded) return Error{Errc::kLimit, ENAMETOOLONG, expanded.error().what};
  return std::string(path.view());
}

bool IsOfAnotherUser(const Profile& profile) {
  return geteuid() == 0 && std::any_of(profile.processes.begin(), profile.processes.end(),
                                       [](const ProcessRow& process) { return process.uid != 0; });
}

namespace {

/// Opens `path` for writing if it is new, or was last written before `begin_ns` (CLOCK_REALTIME),
/// and empties it. Sets `is_taken` if it is newer.
UniqueFd OpenIfOlder(const std::string& path, mode_t mode, std::uint64_t begin_ns, bool& is_taken) {
  is_taken = false;
  UniqueFd fd(Open(path, O_WRONLY | O_EXCL, mode, false));
  if (fd || errno != EEXIST) return fd;
  fd = UniqueFd(open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY));
  struct stat status;
  if (!fd || fstat(fd.get(), &status) != 0) return UniqueFd();
  // Two processes that find an old report: the lock lets one of them replace it. Without locks on
  // the file system the times alone decide.
  const bool is_held = flock(fd.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  if (!is_held) (void)fstat(fd.get(), &status);
  const std::uint64_t written_ns =
      static_cast<std::uint64_t>(status.st_mtim.tv_sec) * 1'000'000'000u +
      static_cast<std::uint64_t>(status.st_mtim.tv_nsec);
  is_taken = is_held || (status.st_mtim.tv_sec > 0 && written_ns >= begin_ns);
  // The time is set also where the file was empty before.
  if (is_taken || ftruncate(fd.get(), 0) != 0 || futimens(fd.get(), nullptr) != 0) {
    return UniqueFd();
  }
  return fd;
}

/// Opens the first of several names that no newer file has. `path` becomes that one.
Result<UniqueFd> OpenBesideNewer(const Profile& profile, mode_t mode, std::string& path) {
  std::uint64_t begin_ns = ~std::uint64_t{0};
  for (const ProcessRow& process : profile.processes) {
    begin_ns = std::min(begin_ns, process.start_realtime_ns);
  }
  const ProcessRow& main = MainProcess(profile);
  const std::string name = path;
  // Processes of two containers may have the same number, and those of two machines.
  const std::string of_process = name + "." + std::to_string(main.pid);
  TemplatePath host;
  AddHarmless(main.host, TemplateRound::kLast, host);
  const std::string of_host = of_process + "." + std::string(host.view());
  for (std::uint64_t number = 0; number < kMostNumbers; ++number) {
    path = number == 0   ? name
           : number == 1 ? of_process
           : number == 2 ? of_host
                         : of_host + "." + std::to_string(number - 1);
    bool is_taken = false;
    UniqueFd fd = OpenIfOlder(path, mode, begin_ns, is_taken);
    if (fd) return fd;
    if (!is_taken) break;
    errno = EEXIST;
  }
  return Error{ErrcFromErrno(errno), errno, "cannot be opened"};
}

}  // namespace

Result<UniqueFd> OpenOutput(const std::string& text, const Profile& profile, bool of_one_process,
                            std::string& path, Replaces replaces) {
  const bool is_private = IsOfAnotherUser(profile);
  const mode_t mode = is_private ? 0600 : 0666;
  const bool numbered = TemplateHas(text, 'n');
  path = text;
  for (std::uint64_t number = 1;; ++number) {
    const auto expanded = ExpandTemplate(text, profile, number);
    if (!expanded) return expanded.error();
    path = *expanded;
    const bool is_of_run = of_one_process || replaces == Replaces::kOlderFiles;
    if (is_of_run && !numbered) path += TellingApart(text, profile, path, of_one_process);
    // With %n a name that is taken means the next number. O_EXCL: two processes cannot take the
    // same one.
    if (replaces == Replaces::kOwnReports) return OpenOwnReport(path, mode);
    if (replaces == Replaces::kOlderFiles && !numbered && !IsSpecial(path)) {
      auto fd = OpenBesideNewer(profile, mode, path);
      if (fd && is_private) MakePrivate(fd->get());
      return fd;
    }
    UniqueFd fd(Open(path, O_WRONLY | (numbered ? O_EXCL : O_TRUNC), mode, !of_one_process));
    if (fd && is_private) MakePrivate(fd.get());
    if (fd) return fd;
    if (!numbered || errno != EEXIST || number == kMostNumbers) {
      return Error{ErrcFromErrno(errno), errno, "cannot be opened"};
    }
  }
}

}  // namespace csink::tool
