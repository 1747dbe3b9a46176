#include <fcntl.h>
#include <sys/stat.h>

#include <cstring>

#include "agent/results/tree_messages.h"
#include "core/util/raw_log.h"
#include "core/util/raw_syscall.h"
#include "profil/inside/spool/tree_place.h"

namespace csink::agent {
namespace {

// Set once, before the sink is.
std::uint64_t g_tree = 0;
char g_folder[512];  // NUL-ended
const ProcessState* g_process = nullptr;
const StartState* g_start = nullptr;

bool TakeLine(std::string_view line) noexcept {
  if (g_process->sandboxed()) return false;
  const std::string_view folder(g_folder);
  struct stat64 st = {};
  const bool open =
      RawSyscall(SYS_newfstatat, 2, SyscallArg(""), SyscallArg(&st), AT_EMPTY_PATH) >= 0;
  if (open && IsStderrOfTree(folder, g_tree, st.st_dev, st.st_ino)) return false;
  if (AppendMessage(folder, g_tree, line) == 0) return true;
  return !IsStartStderr(*g_start, 2);
}

}  // namespace

void SendMessagesTo(std::string_view folder, std::uint64_t tree, const ProcessState& process,
                    const StartState& start) noexcept {
  if (folder.size() >= sizeof g_folder) return;
  std::memcpy(g_folder, folder.data(), folder.size());
  g_tree = tree;
  g_process = &process;
  g_start = &start;
  SetLogSink(TakeLine);
}

}  // namespace csink::agent
