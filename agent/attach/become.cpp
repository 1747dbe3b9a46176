#include "agent/attach/become.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <string>

#include "agent/attach/hold.h"
#include "core/machine/clocks.h"
#include "core/util/parse.h"
#include "profil/inside/spool/small_writer.h"

/// File: see the header.

namespace csink::attach {
namespace {

// "" outside of a tree.
std::string RecordFile() {
  const char* folder = std::getenv("CSINK_SPOOL_DIR");
  const char* tree = std::getenv("CSINK_TREE");
  if (!folder || !*folder || !tree || !*tree) return "";
  return std::string(folder) + "/" + spool::kSmallFileName;
}

// The program's pipes must not stay open in another process: their readers would wait for the end
// of the file.
void LeaveDescriptors(int keep) {
  const int none = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int fd = 0; fd <= 2 && none >= 0; ++fd) dup2(none, fd);
#ifdef SYS_close_range
  if (syscall(SYS_close_range, 3u, static_cast<unsigned>(keep - 1), 0u) == 0 || keep == 3) {
    if (syscall(SYS_close_range, static_cast<unsigned>(keep + 1), ~0u, 0u) == 0) return;
  }
#endif
  // Linux before 5.9.
  const long most = sysconf(_SC_OPEN_MAX);
  for (int fd = 3; fd < (most > 0 && most < 65536 ? most : 65536); ++fd) {
    if (fd != keep) close(fd);
  }
}

std::uint64_t OwnCpuNs() {
  std::uint64_t user = 0;
  std::uint64_t system = 0;
  ProcessCpuNs(&user, &system);
  return user + system;
}

// The life of the sampling process. `before_ns`: CPU time of csink-attach in the program's process,
// which is in the program's spool, if there is one.
int Sample(pid_t pid, std::uint64_t before_ns, int ready, int (*follow)(pid_t, UniqueFd)) {
  const std::string records = RecordFile();
  // A folder that the program was in may be unmounted or removed.
  if (records.empty() || records[0] != '/' || chdir("/") != 0) return 1;
  // Below descriptor 3 stand /dev/null; a program may have closed its own.
  const int kept = fcntl(ready, F_DUPFD_CLOEXEC, 3);
  if (kept < 0) return 1;
  LeaveDescriptors(kept);
  // Before the first byte to `ready`: csink run must find the lock when the program ends at once.
  const UniqueFd lock(open(records.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!lock || flock(lock.get(), LOCK_SH | LOCK_NB) != 0) return 1;
  const int status = follow(pid, UniqueFd(kept));
  alignas(8) unsigned char bytes[sizeof(spool::SmallHead) + sizeof(spool::SmallOutside)];
  SmallRecordWriter record(bytes, sizeof bytes);
  const spool::SmallOutside cost = {static_cast<std::uint32_t>(pid), 0,
                                    OwnCpuNs() + (status == 0 ? 0 : before_ns)};
  record.Begin(spool::SmallKind::kOutside);
  record.Put(&cost, sizeof cost);
  (void)record.Append(records.c_str());
  return status;
}

// Returns true if the events of this process are open.
bool StartSampling(std::uint64_t begin_ns, int (*follow)(pid_t, UniqueFd)) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return false;
  const UniqueFd gate(ends[0]);
  UniqueFd ready(ends[1]);
  const pid_t self = getpid();
  const std::uint64_t before_ns = OwnCpuNs() - begin_ns;
  // The number of the sampling process, which its parent, the child below, writes here.
  void* shared =
      mmap(nullptr, sizeof(pid_t), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  auto* sampler_pid = shared == MAP_FAILED ? nullptr : static_cast<pid_t*>(shared);
  // No signal at its end: a SIGCHLD that the program has blocked would stay pending over the exec.
  const long child = syscall(SYS_clone, 0, nullptr, nullptr, nullptr, nullptr);
  if (child == 0) {
    const pid_t sampler = fork();
    if (sampler > 0 && sampler_pid) *sampler_pid = sampler;
    if (sampler == 0) _exit(Sample(self, before_ns, ready.get(), follow));
    _exit(sampler > 0 ? 0 : 1);
  }
  ready = UniqueFd();
  if (child < 0) return false;
  while (waitpid(static_cast<pid_t>(child), nullptr, __WALL) < 0 && errno == EINTR) {
  }
  // Before the events are open: from then on the threads are looked at.
  if (sampler_pid) PermitWaits(*sampler_pid);
  if (sampler_pid) munmap(sampler_pid, sizeof *sampler_pid);
  char byte = 0;
  while (read(gate.get(), &byte, 1) < 0 && errno == EINTR) {
  }
  return byte == 's';
}

void RecordRefusal(const char* why, const std::string& program) {
  const std::string records = RecordFile();
  const auto number = ParseUnsigned(why);
  if (records.empty() || !number) return;
  alignas(8) unsigned char bytes[sizeof(spool::SmallHead) + sizeof(spool::SmallRefusal) + 520];
  SmallRecordWriter record(bytes, sizeof bytes);
  const spool::SmallRefusal refusal = {static_cast<std::uint32_t>(getpid()),
                                       static_cast<spool::Refusal>(*number),
                                       static_cast<std::uint32_t>(program.size()), 0};
  record.Begin(spool::SmallKind::kNotFollowed);
  record.Put(&refusal, sizeof refusal);
  record.PutText(program);
  (void)record.Append(records.c_str());
}

}  // namespace

int BecomeProgram(char** words, int (*follow)(pid_t pid, UniqueFd ready)) {
  const std::uint64_t begin_ns = OwnCpuNs();
  const char* why = words[0];
  const char* preload = words[1];
  const char* program = words[2];
  if (!StartSampling(begin_ns, follow)) {
    RecordRefusal(why, program);
    PreloadFirst(preload);
  }
  execv(program, words + 3);
  return CannotRun(program, errno);
}

}  // namespace csink::attach
