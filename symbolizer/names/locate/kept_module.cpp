#include "symbolizer/names/locate/kept_module.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <utility>

#include "core/util/hex.h"
#include "symbolizer/names/locate/module_of_process.h"

namespace csink::symbolizer {
namespace {

constexpr std::uint64_t kPiece = 1u << 20;

/// Bytes of all kept files in a folder.
std::uint64_t BytesKeptIn(const std::string& folder) {
  std::uint64_t bytes = 0;
  const std::unique_ptr<DIR, int (*)(DIR*)> list(::opendir(folder.c_str()), ::closedir);
  if (!list) return 0;
  while (const dirent* entry = ::readdir(list.get())) {
    struct stat status;
    if (!std::string_view(entry->d_name).starts_with(kKeptPrefix) ||
        ::fstatat(::dirfd(list.get()), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) {
      continue;
    }
    bytes += static_cast<std::uint64_t>(status.st_size);
  }
  return bytes;
}

/// Writes all bytes of the object. Returns false if the object is shorter than it was, or the disk
/// is full.
bool Copy(const ObjectBytes& object, int fd) {
  for (std::uint64_t at = 0; at < object.size();) {
    const Buffer piece = object.Read(at, std::min(kPiece, object.size() - at));
    if (piece.size() == 0) return false;
    std::size_t written = 0;
    while (written < piece.size()) {
      const ssize_t n = ::write(fd, piece.bytes().data() + written, piece.size() - written);
      if (n <= 0) return false;
      written += static_cast<std::size_t>(n);
    }
    at += piece.size();
  }
  return true;
}

}  // namespace

std::string KeptName(const ModuleRequest& request) {
  std::string name(kKeptPrefix);
  if (!request.build_id.empty()) return name + ToHex(request.build_id);
  if (request.inode == 0) return {};
  return name + std::to_string(request.device_major) + "-" + std::to_string(request.device_minor) +
         "-" + std::to_string(request.inode);
}

bool KeepModule(const ModuleRequest& request, const std::string& proc) {
  const std::string name = KeptName(request);
  if (name.empty()) return false;
  const std::string path = request.kept_folder + "/" + name;
  struct stat status;
  if (::lstat(path.c_str(), &status) == 0) return true;
  const auto elf = OpenFromProcesses(request, proc);
  if (!elf || elf->object().size() > kMostKeptBytes ||
      BytesKeptIn(request.kept_folder) + elf->object().size() > kMostKeptInFolder) {
    return false;
  }
  // Two processes may keep one file at the same time.
  const std::string unfinished = path + "." + std::to_string(::getpid());
  const UniqueFd fd(
      ::open(unfinished.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!fd) return false;
  if (Copy(elf->object(), fd.get()) && ::rename(unfinished.c_str(), path.c_str()) == 0) {
    return true;
  }
  ::unlink(unfinished.c_str());
  return false;
}

std::optional<ElfFile> OpenKeptModule(const ModuleRequest& request) {
  const std::string name = KeptName(request);
  if (request.kept_folder.empty() || name.empty()) return std::nullopt;
  UniqueFd fd(::open((request.kept_folder + "/" + name).c_str(),
                     O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat status;
  if (!fd || ::fstat(fd.get(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  auto elf = ElfFile::Read(
      ObjectBytes::FromFile(std::move(fd), static_cast<std::uint64_t>(status.st_size)));
  if (!elf) return std::nullopt;
  // Without a build id the name, device and inode, is what is known of the file.
  if (!request.build_id.empty() && elf->BuildId() != request.build_id) return std::nullopt;
  return std::move(*elf);
}

}  // namespace csink::symbolizer
