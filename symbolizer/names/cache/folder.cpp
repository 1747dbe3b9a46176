#include "symbolizer/names/cache/folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "core/util/cache_files.h"

/// File: system calls on the folder and its files, all relative to the folder's descriptor, so that
/// the folder that was checked is the one that is used. A file is complete or absent: it is written
/// under a name of its own and renamed. No call waits for another process.

namespace csink::symbolizer::cache {
namespace {

/// The ending of a file while it is written.
constexpr char kUnfinished[] = ".new";
/// Writing takes milliseconds, so the writer of an older temporary file was killed.
constexpr std::int64_t kAbandonedNs = 600 * std::int64_t{1'000'000'000};

/// Since 1970.
std::int64_t Nanoseconds(const timespec& time) {
  return time.tv_sec * std::int64_t{1'000'000'000} + time.tv_nsec;
}

/// The present time, in nanoseconds since 1970.
std::int64_t Now() {
  timespec now = {};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return Nanoseconds(now);
}

/// Whether only our user can have written it: our user owns it, and others have no write
/// permission.
bool IsOurs(const struct stat& status) {
  return status.st_uid == ::geteuid() && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/// A name that no other writer uses: pid, number within the process, time.
std::string UnfinishedName(const std::string& name) {
  static std::atomic<unsigned> number{0};
  char own[64];
  std::snprintf(own, sizeof own, ".%d.%u.%llx%s", static_cast<int>(::getpid()), number++,
                static_cast<unsigned long long>(Now()), kUnfinished);
  return name + own;
}

/// write(2) may take a part only. Returns false if the disk is full.
bool WriteAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t done = ::write(fd, bytes.data(), bytes.size());
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(done));
  }
  return true;
}

}  // namespace

std::optional<Folder> Folder::Open(const std::string& path) {
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  struct stat status;
  if (!fd || ::fstat(fd.get(), &status) != 0 || !IsOurs(status)) return std::nullopt;
  return Folder(std::move(fd));
}

std::optional<Folder> Folder::Make(const std::string& path) {
  // Only the parent folder is created: a missing home folder is not created.
  const std::size_t slash = path.rfind('/');
  if (slash != std::string::npos && slash != 0) ::mkdir(path.substr(0, slash).c_str(), 0700);
  ::mkdir(path.c_str(), 0700);
  return Open(path);
}

Buffer Folder::Read(const std::string& name, std::uint64_t max_bytes) const {
  // O_NONBLOCK: a FIFO in the folder must not block.
  const UniqueFd file(
      ::openat(fd_.get(), name.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat status;
  if (!file || ::fstat(file.get(), &status) != 0) return {};
  if (!S_ISREG(status.st_mode) || !IsOurs(status)) return {};
  const auto size = static_cast<std::uint64_t>(status.st_size);
  if (size == 0 || size > max_bytes) return {};
  Buffer bytes(static_cast<std::size_t>(size));
  std::size_t have = 0;
  while (have < bytes.size()) {
    const ssize_t got = ::read(file.get(), bytes.data() + have, bytes.size() - have);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return {};
    have += static_cast<std::size_t>(got);
  }
  // Marks the file as used, for Shrink. Explicitly: with relatime or noatime a read does not set
  // the time. A failure only makes the file look older.
  const timespec now[2] = {{0, UTIME_NOW}, {0, UTIME_NOW}};
  (void)::futimens(file.get(), now);
  return bytes;
}

bool Folder::Write(const std::string& name, const std::string& bytes) const {
  const std::string own = UnfinishedName(name);
  const UniqueFd file(
      ::openat(fd_.get(), own.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file) return false;
  // No fsync: after a crash of the machine the checksum finds a file that was not written whole.
  if (WriteAll(file.get(), bytes) &&
      ::renameat(fd_.get(), own.c_str(), fd_.get(), name.c_str()) == 0) {
    return true;
  }
  ::unlinkat(fd_.get(), own.c_str(), 0);
  return false;
}

void Folder::Remove(const std::string& name) const { ::unlinkat(fd_.get(), name.c_str(), 0); }

std::vector<File> Folder::ListNamed(std::string_view begin, std::string_view ending) const {
  std::vector<File> files;
  // A descriptor of its own, since closedir closes it, and two lists must not share a position.
  const int copy = ::openat(fd_.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* folder = copy < 0 ? nullptr : ::fdopendir(copy);
  if (folder == nullptr) {
    if (copy >= 0) ::close(copy);
    return files;
  }
  while (const dirent* item = ::readdir(folder)) {
    struct stat status;
    const std::string_view name = item->d_name;
    if (!name.starts_with(begin) || !name.ends_with(ending)) continue;
    if (::fstatat(fd_.get(), item->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) continue;
    if (!S_ISREG(status.st_mode)) continue;
    files.push_back(
        {item->d_name, static_cast<std::uint64_t>(status.st_size), Nanoseconds(status.st_mtim)});
  }
  ::closedir(folder);
  std::sort(files.begin(), files.end(), [](const File& a, const File& b) {
    // By name where times are equal, so that the order is the same each time.
    return a.used_ns != b.used_ns ? a.used_ns > b.used_ns : a.name < b.name;
  });
  return files;
}

std::vector<File> Folder::List() const { return ListNamed("", kEnding); }

std::size_t Folder::Shrink(std::uint64_t max_bytes) const {
  // Names end with .new only while they are written.
  for (const File& file : ListNamed("", kUnfinished)) {
    if (Now() - file.used_ns > kAbandonedNs) Remove(file.name);
  }
  std::uint64_t kept = 0;
  std::size_t removed = 0;
  for (const File& file : List()) {
    kept += file.bytes;
    // A file that does not fit is removed; smaller ones behind it may still fit.
    if (kept <= max_bytes) continue;
    kept -= file.bytes;
    Remove(file.name);
    ++removed;
  }
  return removed;
}

std::size_t Folder::Clear() const {
  // Measured costs are kept in the same folder (core/util/cache_files.h).
  std::size_t costs = 0;
  for (const std::string_view begin : {kEventCostFile, kInterruptCostFile}) {
    for (const File& file : ListNamed(begin, "")) {
      Remove(file.name);
      ++costs;
    }
  }
  return Shrink(0) + costs;
}

}  // namespace csink::symbolizer::cache
