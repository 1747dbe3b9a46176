#include <errno.h>
#include <unistd.h>

#include <cstring>

#include "agent/process/start_state.h"
#include "agent/process/task_list.h"
#include "agent/results/spool_place.h"
#include "core/util/raw_log.h"
#include "core/util/raw_syscall.h"
#include "profil/inside/spool/tree_place.h"

/// File: finds a folder for the spool and creates the spool there. Folders in /dev/shm and /tmp are
/// reachable for all users, so each folder is opened without following a link and its owner and
/// mode are checked on the open descriptor.

namespace csink::agent {
namespace {

// Words for the user. strerror is not signal-safe.
const char* ErrnoText(int e) noexcept {
  switch (e) {
    case EACCES:
    case EPERM:
      return "permission denied";
    case ENOENT:
      return "no such folder";
    case ENOTDIR:
      return "not a folder";
    case ENOSPC:
      return "no space left on the device";
    case EDQUOT:
      return "the disk quota is reached";
    case EFBIG:
      return "the limit of file sizes is reached (RLIMIT_FSIZE, ulimit -f)";
    case ENOMEM:
      return "no memory to map it (RLIMIT_AS, ulimit -v)";
    case ENAMETOOLONG:
      return "the folder's name is too long";
    case EROFS:
      return "read-only file system";
    case EMFILE:
      return "too many open files (RLIMIT_NOFILE, ulimit -n)";
    case ENFILE:
      return "the system's limit of open files is reached (fs.file-max)";
    case ELOOP:
      return "a symbolic link, not a folder";
    default:
      return "refused";
  }
}

// How many spools of this process are in the folder. An exec keeps the process number and the start
// ticks, but the program's name may change with each image, so only the numbers are compared.
unsigned CountImages(const char* folder, const spool::Header& header) noexcept {
  struct Count {
    Text<64> lineage;
    unsigned images = 0;
  } count;
  count.lineage.Add('.').Number(header.pid).Add('.').Number(header.process_start_ticks).Add('.');
  ForEachName(
      folder,
      [](const char* name, void* arg) {
        auto* count = static_cast<Count*>(arg);
        const std::size_t length = count->lineage.size();
        const std::size_t name_length = std::strlen(name);
        // Anywhere in the name: program and host stand before the numbers.
        for (std::size_t i = 0; i + length <= name_length; ++i) {
          if (std::memcmp(name + i, count->lineage.c_str(), length) == 0) {
            ++count->images;
            break;
          }
        }
      },
      &count);
  return count.images;
}

// Creates the spool in `directory`, which is created if necessary. kOk, or why that failed.
Error TrySpoolIn(SpoolWriter& spool, std::string_view directory,
                 const spool::Header& header) noexcept {
  const Text<512> folder = Text<512>().Add(directory);
  const long usable = EnsurePrivateFolder(folder.c_str());
  if (usable != 0) {
    return Error{Errc::kSystem, static_cast<int>(-usable), "the folder cannot be used"};
  }
  // The generation is counted in this folder; Create takes the next free number if it is in use.
  Text<256> stem;
  SpoolStem(header, stem);
  const Result<void> created =
      spool.Create(directory, stem.view(), header, CountImages(folder.c_str(), header));
  return created ? Error{} : created.error();
}

}  // namespace

Error SpoolPlace::CreateInUsualPlace(SpoolWriter& spool, const spool::Header& header,
                                     Text<512>& place) const noexcept {
  // Unset, or a relative path, which XDG's specification calls invalid.
  if (runtime_dir_.c_str()[0] == '/') {
    place.Add(runtime_dir_.view()).Add("/csink");
    if (TrySpoolIn(spool, place.view(), header).code == Errc::kOk) return {};
  }
  place.Clear();
  // One folder for each user, because these directories are shared.
  place.Add("/dev/shm/csink-").Number(header.uid);
  if (TrySpoolIn(spool, place.view(), header).code == Errc::kOk) return {};
  place.Clear();
  place.Add(temporary_dir_.view()).Add("/csink-").Number(header.uid);
  // Only the error of the last place is reported.
  return TrySpoolIn(spool, place.view(), header);
}

// csink run reads the tree's folder and the place for the tree's other users, so a spool elsewhere
// would be lost.
Error SpoolPlace::CreateInTree(SpoolWriter& spool, const spool::Header& header,
                               std::string_view wanted) const noexcept {
  const Error error = TrySpoolIn(spool, wanted, header);
  if (error.code == Errc::kOk || !MeansOtherUser(error.sys_errno)) return error;
  Text<512> folder;
  if (EnsureUsersFolder(header.tree_id, folder) != 0) return error;
  return TrySpoolIn(spool, folder.view(), header);
}

bool SpoolPlace::Create(SpoolWriter& spool, const spool::Header& header, std::string_view wanted,
                        int* refused) const noexcept {
  Text<512> place;
  Text<512> line;
  line.Add("the spool cannot be created in ");
  if (header.tree_id != 0 && !wanted.empty()) {
    const Error error = CreateInTree(spool, header, wanted);
    if (error.code == Errc::kOk) return true;
    if (refused) *refused = error.sys_errno;
    line.Add(wanted)
        .Add(": ")
        .Add(ErrnoText(error.sys_errno))
        .Add(": this process is not profiled");
    // A container, bwrap --dev: a spool in this process's own /dev/shm would end with it.
    if (error.sys_errno == ENOENT) {
      line.Add("; if it has another /dev or root folder than csink run, set CSINK_SPOOL_DIR for ");
      line.Add("csink run to a folder that both see");
    }
    RawLog(LogLevel::kWarn, line.view());
    return false;
  }
  // A folder that the user named but that cannot be used costs a line, not the profile.
  if (!wanted.empty()) {
    const Error error = TrySpoolIn(spool, wanted, header);
    if (error.code == Errc::kOk) return true;
    line.Add(wanted).Add(": ").Add(ErrnoText(error.sys_errno));
    if (CreateInUsualPlace(spool, header, place).code == Errc::kOk) {
      line.Add("; it was created in ").Add(place.view());
      line.Add(" (CSINK_SPOOL_DIR must be a folder that only you can write to, with free space)");
      RawLog(LogLevel::kWarn, line.view());
      return true;
    }
  } else {
    const Error error = CreateInUsualPlace(spool, header, place);
    if (error.code == Errc::kOk) return true;
    line.Add(place.view()).Add(": ").Add(ErrnoText(error.sys_errno));
  }
  line.Add(
      ": this process is not profiled; set CSINK_SPOOL_DIR to a folder that only you can write "
      "to, ");
  RawLog(LogLevel::kWarn, line.Add("with free space").view());
  return false;
}

}  // namespace csink::agent
