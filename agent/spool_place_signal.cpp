#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <cstring>

#include "agent/agent.h"
#include "agent/task_list.h"
#include "core/util/raw_syscall.h"
#include "core/util/unique_fd.h"

/// File: where the spool is made. tmpfs first: a spool on ext4 costs four times
/// as much. Never the program's working directory.

namespace csink::agent {
namespace {

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
    case EDQUOT:
      return "no space left";
    case EROFS:
      return "read-only file system";
    case EMFILE:
    case ENFILE:
      return "too many open files";
    case ELOOP:
      return "a link where a folder should be";
    default:
      return "refused";
  }
}

// Makes `path` as our private folder, or accepts it when it is one already.
long EnsurePrivateFolder(const char* path) noexcept {
  const long made = RawSyscall(SYS_mkdirat, AT_FDCWD, SyscallArg(path), 0700);
  if (made < 0 && made != -EEXIST) return made;
  const long r = RawSyscall(SYS_openat, AT_FDCWD, SyscallArg(path),
                            O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (r < 0) return r;
  const UniqueFd fd(static_cast<int>(r));
  struct stat64 st = {};
  const long stated =
      RawSyscall(SYS_newfstatat, fd.get(), SyscallArg(""), SyscallArg(&st), AT_EMPTY_PATH);
  if (stated < 0) return stated;
  // Somebody else's folder under our name is a trap.
  if (st.st_uid != static_cast<unsigned>(RawSyscall(SYS_geteuid)) || (st.st_mode & 022)) {
    return -EPERM;
  }
  return 0;
}

spool::EventColumn Column(const EventSpec& spec, bool timer, unsigned precise) noexcept {
  spool::EventColumn column = {};
  Text<sizeof column.name> name;
  // A CPU-clock timer counts kernel time too.
  name.Add(timer ? std::string_view(spec.name) : EventDisplayName(spec).view());
  std::memcpy(column.name, name.c_str(), name.size() + 1);
  column.kind = static_cast<spool::EventKind>(spec.kind);
  column.period = spec.period;
  column.frequency_hz = spec.frequency_hz;
  column.attr_type = spec.type;
  column.attr_config = spec.config;
  column.precise_ip = precise;
  if (timer) {
    column.skid = spool::Skid::kTick;
  } else if (spec.type == PERF_TYPE_SOFTWARE) {
    column.skid = spool::Skid::kTimer;
  } else {
    column.skid = precise == 3   ? spool::Skid::kExact
                  : precise != 0 ? spool::Skid::kNextInstruction
                                 : spool::Skid::kInterrupt;
  }
  return column;
}

// How many spools of this process are in the folder: an exec keeps pid and start
// ticks, but the program's name may change with each image.
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

// 8 KiB, filled under the collector's lock: too large for a handler's stack.
spool::Header g_header;

}  // namespace

bool Agent::TrySpoolIn(SpoolWriter& spool, const char* directory, const spool::Header& header,
                       bool last_try) noexcept {
  const long folder = EnsurePrivateFolder(directory);
  Error error{Errc::kSystem, static_cast<int>(-folder), "the folder cannot be used"};
  if (folder == 0) {
    Text<256> stem;
    SpoolStem(header, stem);
    const Result<void> created =
        spool.Create(directory, stem.view(), header, CountImages(directory, header));
    if (created) return true;
    error = created.error();
  }
  if (last_try) {
    Text<512> line;
    line.Add("no spool in ").Add(directory).Add(": ").Add(ErrnoText(error.sys_errno));
    line.Add("; set CSINK_SPOOL_DIR to a folder of your own alone, with room");
    RawLog(LogLevel::kWarn, line.view());
  }
  return false;
}

bool Agent::MakeSpool(SpoolWriter& spool) noexcept {
  spool::Header& header = g_header;
  std::memset(&header, 0, sizeof header);
  DescribeProcess(start_state_, header);
  header.tree_id = config_.tree;
  header.source = timer_source_ ? spool::Source::kTimer : spool::Source::kRing;
  std::memcpy(header.source_reason, source_reason_.c_str(), source_reason_.size() + 1);
  header.event_count = static_cast<std::uint32_t>(events_.count);
  for (std::size_t i = 0; i < events_.count; ++i) {
    header.events[i] =
        Column(events_.events[i], timer_source_, timer_source_ ? 0 : rings_.precise_obtained(i));
  }

  Text<512> place;
  if (config_.spool_dir.size() != 0) {
    if (config_.spool_dir.c_str()[0] != '/') place.Add(start_state_.directory).Add('/');
    place.Add(config_.spool_dir.view());
    if (TrySpoolIn(spool, place.c_str(), header, /*last_try=*/true)) return true;
  }
  if (runtime_dir_.c_str()[0] == '/') {
    place.Clear();
    place.Add(runtime_dir_.view()).Add("/csink");
    if (TrySpoolIn(spool, place.c_str(), header, false)) return true;
  }
  place.Clear();
  place.Add("/dev/shm/csink-").Number(header.uid);
  if (TrySpoolIn(spool, place.c_str(), header, false)) return true;
  place.Clear();
  place.Add(temporary_dir_.view()).Add("/csink-").Number(header.uid);
  return TrySpoolIn(spool, place.c_str(), header, config_.spool_dir.size() == 0);
}

}  // namespace csink::agent
