#include "agent/attach/glibc_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string_view>

#include "agent/waiting/glibc_release.h"
#include "agent/waiting/own_glibc.h"
#include "core/machine/maps.h"
#include "core/util/unique_fd.h"

/// File: the library says its release in a text that it prints when it is run as a program:
/// "GNU C Library (Debian GLIBC 2.36-9) stable release version 2.36." (csu/version.c).

namespace csink::attach {
namespace {

// A file that is larger is not a C library.
constexpr off_t kMostBytes = 64 << 20;

struct Found {
  std::string path;
  std::uint64_t inode = 0;
  std::uint64_t device = 0;
};

// "libc.so.6", or "libc-2.31.so" of older releases. Ends the walk at the first one.
bool Visit(const MapsLine& line, void* arg) noexcept {
  const std::string_view name = line.path.substr(line.path.rfind('/') + 1);
  if (line.inode == 0 || (name != "libc.so.6" && !name.starts_with("libc-2."))) return true;
  auto& found = *static_cast<Found*>(arg);
  found.path = line.path;
  found.inode = line.inode;
  found.device = std::uint64_t{line.dev_major} << 32 | line.dev_minor;
  return false;
}

// The contents of the file that the process has mapped; empty if another file has its path now.
std::string Contents(const std::string& path, std::uint64_t inode) {
  // Without waiting: the path may be a FIFO by now.
  const UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat facts = {};
  if (!fd || fstat(fd.get(), &facts) != 0 || !S_ISREG(facts.st_mode) || facts.st_ino != inode ||
      facts.st_size > kMostBytes) {
    return {};
  }
  std::string text(static_cast<std::size_t>(facts.st_size), '\0');
  const ssize_t got = pread(fd.get(), text.data(), text.size(), 0);
  text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return text;
}

}  // namespace

std::uint32_t GlibcOf(const std::string& folder) {
  Found found;
  (void)ForEachMapping((folder + "/maps").c_str(), Visit, &found);
  if (found.path.empty()) return 0;
  Found own;
  (void)ForEachMapping("/proc/self/maps", Visit, &own);
  // The same file: what was measured here holds there.
  if (own.inode == found.inode && own.device == found.device) return agent::OwnGlibc();
  const std::string text = Contents(folder + "/root" + found.path, found.inode);
  constexpr std::string_view kName = "GNU C Library (";
  constexpr std::string_view kRelease = " release version ";
  const std::size_t name = text.find(kName);
  const std::size_t release = text.find(kRelease, name);
  if (name == std::string::npos || release == std::string::npos || release > name + 256) return 0;
  const std::uint32_t number =
      agent::GlibcRelease(std::string_view(text).substr(release + kRelease.size(), 16));
  const bool is_certain = number < agent::kOldConditionsBefore || number >= agent::kNewConditions;
  return is_certain ? number : 0;
}

}  // namespace csink::attach
