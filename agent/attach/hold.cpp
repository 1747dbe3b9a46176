#include "agent/attach/hold.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "core/util/parse.h"

/// File: see the header.

namespace csink::attach {
namespace {

// Exit statuses of shells for a command that cannot be executed or was not found.
constexpr int kCannotExecute = 126;
constexpr int kNotFound = 127;

}  // namespace

void PermitWaits(pid_t tracer) {
  const char* value = std::getenv("CSINK_WAIT");
  const auto on = ParseBool(value ? value : "");
  // EINVAL without Yama.
  if (on && *on && tracer > 0) prctl(PR_SET_PTRACER, tracer, 0, 0, 0);
}

void PreloadFirst(const char* entry) {
  if (!*entry) return;
  const char* others = std::getenv("LD_PRELOAD");
  const std::string all = others && *others ? std::string(entry) + ":" + others : entry;
  setenv("LD_PRELOAD", all.c_str(), 1);
}

int CannotRun(const char* program, int error) {
  std::fprintf(stderr, "csink: error: cannot run %s: %s\n", program, std::strerror(error));
  return error == ENOENT || error == ENOTDIR ? kNotFound : kCannotExecute;
}

int HoldAndExecute(int gate, const char* preload, char** arguments) {
  char byte = 0;
  while (read(gate, &byte, 1) < 0 && errno == EINTR) {
  }
  close(gate);
  // csink, whose child is the csink-attach that samples.
  if (byte == 's') PermitWaits(getppid());
  if (byte != 's') PreloadFirst(preload);
  execvp(arguments[0], arguments);
  if (errno == ENOEXEC) {
    // A script without "#!" is run by /bin/sh, as a shell does.
    static char shell[] = "/bin/sh";
    std::vector<char*> words = {shell};
    for (char** word = arguments; *word; ++word) words.push_back(*word);
    words.push_back(nullptr);
    execv(shell, words.data());
  }
  return CannotRun(arguments[0], errno);
}

}  // namespace csink::attach
