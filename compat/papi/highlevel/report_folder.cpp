#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "compat/papi/highlevel/high_level.h"
#include "compat/papi/highlevel/region_report.h"
#include "core/counting/system/cycle_clock.h"
#include "core/util/unique_fd.h"

/// File: where the report of regions goes. The folder is chosen when the first region begins and
/// made when the report is written. Processes of an MPI job share it; each writes a file of its
/// own.

namespace csink::papi {
namespace {

std::string WorkingFolder() {
  char path[PATH_MAX];
  return getcwd(path, sizeof path) ? path : ".";
}

/// YYYYMMDD-hhmmss in local time.
std::string Stamp(std::time_t now) {
  std::tm local = {};
  localtime_r(&now, &local);
  char text[32];
  std::strftime(text, sizeof text, "%Y%m%d-%H%M%S", &local);
  return text;
}

/// Renames a folder of an earlier run. A folder that changed within the last second is kept: it
/// belongs to other processes of the same job.
void PutAside(const std::string& folder) {
  struct stat there = {};
  const std::time_t now = std::time(nullptr);
  if (stat(folder.c_str(), &there) != 0 || !S_ISDIR(there.st_mode) || there.st_mtime >= now) return;
  const std::string kept = folder + "-" + Stamp(now);
  // ENOENT: another process of the job has renamed it.
  if (rename(folder.c_str(), kept.c_str()) == 0 || errno == ENOENT) return;
  SayWarning(folder + " of an earlier run cannot be renamed (" + std::strerror(errno) +
             "): the report of this run is stored beside the older reports");
}

/// Makes the folder and its parents. Another process of the job may make the same one at any
/// moment, so EEXIST is success if it is a folder. False: errno tells why.
bool MakeFolder(const std::string& path) {
  if (mkdir(path.c_str(), 0777) == 0) return true;
  if (errno == ENOENT) {
    const std::size_t slash = path.find_last_of('/');
    if (slash == path.npos || slash == 0 || !MakeFolder(path.substr(0, slash))) return false;
    if (mkdir(path.c_str(), 0777) == 0) return true;
  }
  struct stat there = {};
  if (errno != EEXIST || stat(path.c_str(), &there) != 0) return false;
  if (S_ISDIR(there.st_mode)) return true;
  errno = ENOTDIR;
  return false;
}

/// The MPI rank of this process; -1: none. Variables that are not a number are ignored: other
/// software may use these names.
int RankOfMpi() noexcept {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "ALPS_APP_PE", "PMI_RANK", "SLURM_PROCID"}) {
    const char* text = secure_getenv(name);
    if (text == nullptr) continue;
    const char* const end = text + std::strlen(text);
    int rank = -1;
    const auto [stop, error] = std::from_chars(text, end, rank);
    if (error == std::errc() && stop == end && rank >= 0) return rank;
  }
  return -1;
}

/// Six digits, as PAPI does; papi_hl_output_writer looks for such names.
std::string PathOf(const std::string& folder, int rank) {
  char name[32];
  std::snprintf(name, sizeof name, "/rank_%06d.json", rank);
  return folder + name;
}

UniqueFd OpenFile(const std::string& folder, std::string& path) {
  constexpr int kFlags = O_WRONLY | O_CREAT | O_CLOEXEC;
  if (const int rank = RankOfMpi(); rank >= 0) {
    path = PathOf(folder, rank);
    return UniqueFd(open(path.c_str(), kFlags | O_TRUNC, 0666));
  }
  std::uint64_t seed = static_cast<std::uint64_t>(getpid()) * 0x9e3779b97f4a7c15U + RealNs();
  for (int attempt = 0; attempt < 1000; ++attempt) {
    // Without a rank the number is random; O_EXCL finds numbers that are in use. The constants are
    // those of Knuth's MMIX generator.
    seed = seed * 6364136223846793005U + 1442695040888963407U;
    path = PathOf(folder, static_cast<int>((seed >> 33) % 1'000'000));
    UniqueFd file(open(path.c_str(), kFlags | O_EXCL, 0666));
    if (file || errno != EEXIST) return file;
  }
  return UniqueFd();
}

/// False: errno has the reason. A partial file is left.
bool WriteAll(int fd, std::string_view text) noexcept {
  while (!text.empty()) {
    const ssize_t written = write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace

std::string ReportFolder() {
  const char* wanted = secure_getenv("PAPI_OUTPUT_DIRECTORY");
  std::string folder = wanted && *wanted ? wanted : "";
  // An absolute path: the program may change its working directory before it ends.
  if (folder.empty() || folder.front() != '/') {
    folder = WorkingFolder() + (folder.empty() ? "" : "/") + folder;
  }
  folder += "/papi_hl_output";
  PutAside(folder);
  return folder;
}

void SaveReport(const std::string& folder, std::string_view text) {
  std::string path = folder;
  bool saved = false;
  if (MakeFolder(folder)) {
    const UniqueFd file = OpenFile(folder, path);
    saved = file && WriteAll(file.get(), text);
  }
  if (saved) return;
  SayWarning("the regions are lost: " + path + " cannot be written (" + std::strerror(errno) +
             "); set PAPI_OUTPUT_DIRECTORY to another folder");
}

void PrintReport(std::string_view text) {
  std::fputs("\n\nPAPI-HL Output:\n", stdout);
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fputs("\n", stdout);
  std::fflush(stdout);
}

}  // namespace csink::papi
