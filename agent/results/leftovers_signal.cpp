#include <fcntl.h>

#include <cstddef>
#include <string_view>

#include "agent/process/start_state.h"
#include "agent/process/task_list.h"
#include "agent/results/leftovers.h"
#include "core/util/parse.h"
#include "core/util/raw_syscall.h"
#include "core/util/text.h"
#include "core/util/unique_fd.h"
#include "profil/format/format.h"

/// File: spools without a report. Programs that a signal killed leave 250 kB each in a folder
/// that is memory (/dev/shm). csink removes them only when it is run.

namespace csink::agent {
namespace {

constexpr std::size_t kMostRemoved = 4;
// At 15 us each. Spools of running processes count, too.
constexpr std::uint64_t kMostLookedAt = 256;
constexpr std::uint64_t kHourNs = 3'600'000'000'000;

// The parts of <program>.<host>.<pid>.<start ticks>.<generation>.csink that matter here.
struct Name {
  std::string_view host;
  std::uint64_t pid = 0;
  std::uint64_t ticks = 0;

  // The older one first; start ticks count from the start of the machine.
  bool Before(const Name& other) const noexcept {
    return ticks != other.ticks ? ticks < other.ticks : pid < other.pid;
  }
};

// Takes a file's name apart. Returns false if it is not that of a spool.
bool Parse(std::string_view text, Name& name) noexcept {
  NextToken(text, '.');
  name.host = NextToken(text, '.');
  const Result<std::uint64_t> pid = ParseUnsigned(NextToken(text, '.'));
  const Result<std::uint64_t> ticks = ParseUnsigned(NextToken(text, '.'));
  NextToken(text, '.');
  // Any file may lie in the folder: only complete names of spools are looked at.
  if (!pid || !ticks || *pid > 0x7fffffff || text != "csink") return false;
  name.pid = *pid;
  name.ticks = *ticks;
  return true;
}

// A spool that may be removed. `name.host` is not set: it pointed into the buffer of ForEachName.
struct LeftOver {
  Name name;
  Text<256> file;
};

// One reading of the folder. `oldest` has `found` entries in order, the oldest first.
struct Scan {
  int folder;
  std::string_view host;
  std::uint64_t now_ns;
  std::uint64_t spools = 0;
  std::uint64_t looked_at = 0;
  std::size_t wanted = 0;
  std::size_t found = 0;
  LeftOver oldest[kMostRemoved];
};

// Reads one field of a spool's header. False: the file is too short, or cannot be read.
template <class T>
bool ReadAt(int fd, std::size_t at, T& value) noexcept {
  return RawSyscall(SYS_pread64, fd, SyscallArg(&value), sizeof value, static_cast<long>(at)) ==
         static_cast<long>(sizeof value);
}

// True if the spool's process has ended, as far as can be known here.
bool IsLeftOver(const Scan& scan, const Name& name, const char* file) noexcept {
  if (ProcessStartTicks(static_cast<pid_t>(name.pid)) == name.ticks) return false;
  const long r =
      RawSyscall(SYS_openat, scan.folder, SyscallArg(file), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
  if (r < 0) return false;
  const UniqueFd fd(static_cast<int>(r));
  spool::State state = spool::State::kLive;
  std::uint64_t updated_ns = 0;
  if (!ReadAt(fd.get(), offsetof(spool::Header, state), state) ||
      !ReadAt(fd.get(), offsetof(spool::Header, update_monotonic_ns), updated_ns)) {
    return false;
  }
  return state == spool::State::kComplete || scan.now_ns > updated_ns + kHourNs;
}

// The first reading of the folder: names alone, no file is opened.
void CountSpool(const char* file, void* arg) noexcept {
  auto& scan = *static_cast<Scan*>(arg);
  Name name;
  if (Parse(file, name) && name.host == scan.host) ++scan.spools;
}

// Only a spool that is older than the ones found so far is looked at, so the number of looks does
// not grow with the number of left spools.
void KeepOldest(const char* file, void* arg) noexcept {
  auto& scan = *static_cast<Scan*>(arg);
  Name name;
  if (!Parse(file, name) || name.host != scan.host || scan.looked_at == kMostLookedAt) return;
  std::size_t place = scan.found;
  while (place > 0 && name.Before(scan.oldest[place - 1].name)) --place;
  // Younger than all that were found, and there is no place left.
  if (place == scan.wanted) return;
  ++scan.looked_at;
  if (!IsLeftOver(scan, name, file)) return;
  // Where there is no place left, the youngest one is dropped.
  if (scan.found < scan.wanted) ++scan.found;
  for (std::size_t i = scan.found - 1; i > place; --i) scan.oldest[i] = scan.oldest[i - 1];
  scan.oldest[place].name = name;
  scan.oldest[place].name.host = {};
  scan.oldest[place].file.Clear();
  scan.oldest[place].file.Add(file);
}

}  // namespace

void RemoveLeftovers(const char* spool_path, std::uint64_t most, std::uint64_t now_ns) noexcept {
  const std::string_view path(spool_path);
  const std::size_t slash = path.rfind('/');
  Name own;
  if (most == 0 || slash == std::string_view::npos ||
      !Parse(std::string_view(path.data() + slash + 1, path.size() - slash - 1), own))
    return;
  const Text<512> folder = Text<512>().Add(std::string_view(path.data(), slash));
  if (folder.size() != slash) return;  // it was cut
  const long r = RawSyscall(SYS_openat, AT_FDCWD, SyscallArg(folder.c_str()),
                            O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (r < 0) return;
  const UniqueFd fd(static_cast<int>(r));
  Scan scan;
  scan.folder = fd.get();
  scan.host = own.host;
  scan.now_ns = now_ns;
  ForEachName(folder.c_str(), CountSpool, &scan);
  if (scan.spools <= most) return;
  const std::uint64_t above = scan.spools - most;
  scan.wanted = above < kMostRemoved ? static_cast<std::size_t>(above) : kMostRemoved;
  ForEachName(folder.c_str(), KeepOldest, &scan);
  for (std::size_t i = 0; i < scan.found; ++i) {
    // Relative to the opened folder: the path may have been replaced meanwhile.
    RawSyscall(SYS_unlinkat, scan.folder, SyscallArg(scan.oldest[i].file.c_str()), 0);
  }
}

}  // namespace csink::agent
