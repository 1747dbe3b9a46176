#include "symbolizer/commands/doctor_command.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "core/util/unique_fd.h"
#include "symbolizer/commands/child.h"
#include "symbolizer/commands/launch.h"
#include "symbolizer/commands/output.h"
#include "symbolizer/commands/report_command.h"

namespace csink::tool {

namespace {

/// Everything that was written to a file, read by pread(2) from its beginning, because the child
/// has moved the file's position.
std::string Contents(int fd) {
  std::string text;
  char piece[4096];
  for (;;) {
    const ssize_t n = pread(fd, piece, sizeof piece, static_cast<off_t>(text.size()));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return text;
    text.append(piece, static_cast<std::size_t>(n));
  }
}

/// The value of CSINK_DOCTOR.
const char* WordFor(Findings findings) {
  switch (findings) {
    case Findings::kText:
      break;
    case Findings::kJson:
      return "json";
    case Findings::kEvents:
      return "events";
  }
  return "1";
}

}  // namespace

int RunDoctor(Findings findings) {
  const auto agent = FindAgent();
  if (!agent) return kExitNothing;
  Changes changes = {{"CSINK_DOCTOR", WordFor(findings)}, {"CSINK_ENABLE", "1"}};
  Environment environment(*agent, changes);
  // The agent tells nobody what it could not write: we do. Where there is no such memory, it
  // writes to stdout itself.
  const UniqueFd written(memfd_create("csink-doctor", MFD_CLOEXEC));
  const Ended ended = RunChild({"/proc/self/exe", kNothingCommand}, environment.data(),
                               written ? written.get() : 1);
  if (ended.spawn_errno != 0) {
    Complain(std::string("cannot run itself: ") + std::strerror(ended.spawn_errno));
    return kExitNothing;
  }
  // What the agent found is printed here, so that a full disk or a closed pipe changes the exit
  // status.
  if (written && !Print(Contents(written.get()))) return kExitNothing;
  return ended.ExitCode();
}

}  // namespace csink::tool
