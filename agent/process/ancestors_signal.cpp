#include <cstddef>
#include <cstring>
#include <string_view>

#include "agent/process/ancestors.h"
#include "core/util/parse.h"
#include "core/util/raw_syscall.h"
#include "core/util/small_file.h"
#include "core/util/text.h"

/// File: depth of this process, read from /proc/PID/environ and /proc/PID/stat of its ancestors.
/// environ is the environment at the start of an image, which is what made the loader load the
/// agent.

namespace csink::agent {
namespace {

// Bounds for the walk and for one environment, which another process may have made as large as it
// likes.
constexpr std::uint32_t kMostLevels = 64;
constexpr std::size_t kPieceBytes = 4096;
constexpr std::size_t kMostEnvironmentBytes = 1 << 20;

// "/proc/PID/FILE".
void ProcPath(pid_t pid, const char* file, Text<64>& path) noexcept {
  path.Add("/proc/").Number(static_cast<std::uint64_t>(pid)).Add('/').Add(file);
}

// Finds LD_PRELOAD=...libagent.so in a stream of NUL-ended variables, of which the first 2 KiB each
// are looked at. The text may be cut anywhere between two calls of Feed.
class PreloadFinder {
 public:
  // Returns true as soon as the variable was found.
  bool Feed(std::string_view piece) noexcept {
    for (const char c : piece) {
      if (c == 0) {
        if (Matches()) return true;
        used_ = 0;
      } else if (used_ < sizeof text_) {
        text_[used_++] = c;
      }
    }
    return false;
  }

 private:
  bool Matches() const noexcept {
    constexpr std::string_view kName = "LD_PRELOAD=";
    constexpr std::string_view kUs = "libagent.so";
    const std::string_view text(text_, used_);
    if (!text.starts_with(kName)) return false;
    for (std::size_t i = kName.size(); i + kUs.size() <= used_; ++i) {
      if (std::memcmp(text_ + i, kUs.data(), kUs.size()) == 0) return true;
    }
    return false;
  }

  char text_[2048];
  std::size_t used_ = 0;
};

// True if the image of process `pid` was started with libagent.so in LD_PRELOAD.
bool LoadsUs(pid_t pid) noexcept {
  Text<64> path;
  ProcPath(pid, "environ", path);
  const long r = RawSyscall(SYS_openat, AT_FDCWD, SyscallArg(path.c_str()), O_RDONLY | O_CLOEXEC);
  if (r < 0) return false;
  const UniqueFd fd(static_cast<int>(r));
  PreloadFinder finder;
  char piece[kPieceBytes];
  for (std::size_t done = 0; done < kMostEnvironmentBytes;) {
    const long got = RawSyscall(SYS_read, fd.get(), SyscallArg(piece), sizeof piece);
    if (got <= 0) break;
    if (finder.Feed(std::string_view(piece, static_cast<std::size_t>(got)))) return true;
    done += static_cast<std::size_t>(got);
  }
  return finder.Feed(std::string_view("", 1));  // a last variable without its NUL
}

// Field 4 of /proc/PID/stat. 0: no such process.
pid_t ParentOf(pid_t pid) noexcept {
  Text<64> path;
  ProcPath(pid, "stat", path);
  const SmallFile<512> file(path.c_str());
  const std::string_view text = file.view();
  std::size_t at = text.size();
  while (at > 0 && text[at - 1] != ')') --at;  // the name may hold anything
  std::string_view rest(text.data() + at, text.size() - at);
  NextToken(rest, ' ');
  NextToken(rest, ' ');
  const Result<std::uint64_t> parent = ParseUnsigned(NextToken(rest, ' '));
  return parent && *parent <= 0x7fffffff ? static_cast<pid_t>(*parent) : 0;
}

}  // namespace

std::uint32_t CountAncestors(pid_t parent) noexcept {
  std::uint32_t levels = 0;
  // Process 1 has no parent, and adopts processes whose parent has ended.
  while (levels < kMostLevels && parent > 1 && LoadsUs(parent)) {
    ++levels;
    parent = ParentOf(parent);
  }
  return levels;
}

}  // namespace csink::agent
