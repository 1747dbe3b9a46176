#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>

#include "agent/agent.h"
#include "agent/process/ancestors.h"
#include "agent/process/task_list.h"
#include "agent/settings/config_lines.h"
#include "core/sampling/precision.h"
#include "core/util/raw_syscall.h"
#include "core/util/static_storage.h"
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
      return "too many open files";
    case ENFILE:
      return "no open file left on the machine (fs.file-max)";
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

// `ladder` opened the event; nullptr: a timer.
spool::EventColumn Column(const EventSpec& spec, const AttributeLadder* ladder) noexcept {
  const bool timer = ladder == nullptr;
  const unsigned precise = timer ? 0 : ladder->precise_obtained();
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
  if (!timer) {
    column.precise_asked = ladder->precise_asked();
    column.precise_errno = static_cast<std::uint32_t>(ladder->precise_refusal());
    column.precise_by = static_cast<spool::PreciseBy>(PrecisionOf(spec, precise));
  }
  if (timer) {
    column.skid = spool::Skid::kTick;
  } else if (spec.type == PERF_TYPE_SOFTWARE) {
    column.skid = spool::Skid::kTimer;
  } else {
    // IBS and SPE tag the operation itself, whatever the number.
    const bool tags =
        column.precise_by == spool::PreciseBy::kIbs || column.precise_by == spool::PreciseBy::kSpe;
    column.skid = precise == 3 || tags ? spool::Skid::kExact
                  : precise != 0       ? spool::Skid::kNextInstruction
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

// Filled under the collector's lock: too large for a handler's stack.
spool::Header g_header;
constinit StaticStorage<ConfigLines> g_config_lines;

}  // namespace

Error Agent::TrySpoolIn(SpoolWriter& spool, std::string_view directory,
                        const spool::Header& header) noexcept {
  const Text<512> folder = Text<512>().Add(directory);
  const long usable = EnsurePrivateFolder(folder.c_str());
  if (usable != 0) {
    return Error{Errc::kSystem, static_cast<int>(-usable), "the folder cannot be used"};
  }
  Text<256> stem;
  SpoolStem(header, stem);
  const Result<void> created =
      spool.Create(directory, stem.view(), header, CountImages(folder.c_str(), header));
  return created ? Error{} : created.error();
}

void Agent::DescribeSpool(spool::Header& header, bool brief) noexcept {
  DescribeProcess(start_state_, header, brief);
  header.tree_id = config_.tree;
  // In a tree the reader knows better: it has the parents.
  if (!brief) header.depth = CountAncestors(start_state_.parent_pid);
  header.rank_plus_one = batch_job_.rank_plus_one;
  std::memcpy(header.job, batch_job_.job.c_str(), batch_job_.job.size() + 1);
  header.source = timer_source_ ? spool::Source::kTimer : spool::Source::kRing;
  std::memcpy(header.source_reason, source_reason_.c_str(), source_reason_.size() + 1);
  header.event_count = static_cast<std::uint32_t>(events_.count);
  for (std::size_t i = 0; i < events_.count; ++i) {
    header.events[i] = Column(events_.events[i], timer_source_ ? nullptr : &rings_.ladder(i));
  }
}

bool Agent::MakeSpool(SpoolWriter& spool) noexcept {
  spool::Header& header = g_header;
  std::memset(&header, 0, sizeof header);
  DescribeSpool(header, /*brief=*/false);
  if (!CreateSpool(spool, header)) return false;
  ConfigLines& lines = g_config_lines.Make();
  WriteConfig(config_, events_, timer_source_, lines);
  spool.SetConfiguration(lines.view());
  if (RawSyscall(SYS_faccessat, AT_FDCWD, SyscallArg("/proc/thread-self/maps"), R_OK) < 0) {
    RawLog(
        LogLevel::kWarn,
        "/proc cannot be read: functions and libraries have no names; mount it for this program");
  }
  return true;
}

// The usual places, in turn. kOk: made; else why the last one could not be used, whose name
// is in `place`.
Error Agent::CreateInUsualPlace(SpoolWriter& spool, const spool::Header& header,
                                Text<512>& place) noexcept {
  if (runtime_dir_.c_str()[0] == '/') {
    place.Add(runtime_dir_.view()).Add("/csink");
    if (TrySpoolIn(spool, place.view(), header).code == Errc::kOk) return {};
  }
  place.Clear();
  place.Add("/dev/shm/csink-").Number(header.uid);
  if (TrySpoolIn(spool, place.view(), header).code == Errc::kOk) return {};
  place.Clear();
  place.Add(temporary_dir_.view()).Add("/csink-").Number(header.uid);
  return TrySpoolIn(spool, place.view(), header);
}

bool Agent::CreateSpool(SpoolWriter& spool, const spool::Header& header) noexcept {
  Text<512> place;
  Text<512> line;
  line.Add("no spool in ");
  if (config_.spool_dir.size() != 0) {
    const Error error = TrySpoolIn(spool, config_.spool_dir.view(), header);
    if (error.code == Errc::kOk) return true;
    line.Add(config_.spool_dir.view()).Add(": ").Add(ErrnoText(error.sys_errno));
    if (CreateInUsualPlace(spool, header, place).code == Errc::kOk) {
      line.Add("; it is in ").Add(place.view());
      line.Add(" (CSINK_SPOOL_DIR must be a folder of your own alone, with room)");
      RawLog(LogLevel::kWarn, line.view());
      return true;
    }
  } else {
    const Error error = CreateInUsualPlace(spool, header, place);
    if (error.code == Errc::kOk) return true;
    line.Add(place.view()).Add(": ").Add(ErrnoText(error.sys_errno));
  }
  line.Add(": this process is not profiled; set CSINK_SPOOL_DIR to a folder of your own alone, ");
  RawLog(LogLevel::kWarn, line.Add("with room").view());
  return false;
}

}  // namespace csink::agent
