#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compat/marks/the_marks.h"

/// File: the start of libcsink-marks.so. The file is closed again: the program has no descriptor of
/// it.

namespace csink::marks {

namespace {

__attribute__((constructor)) void Open() noexcept {
  const int saved = errno;
  // The symbol of the agent, if libagent.so comes after this library.
  g_marks.agent = reinterpret_cast<int (*)(const char*)>(dlsym(RTLD_NEXT, "csink_agent_mark"));
  const char* const path = getenv(kVariable);
  const int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
  struct stat facts = {};
  if (fd >= 0 && fstat(fd, &facts) == 0 && facts.st_size == sizeof(MarkFile)) {
    void* const at = mmap(nullptr, sizeof(MarkFile), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    auto* const file = static_cast<MarkFile*>(at);
    if (at != MAP_FAILED && file->magic == kMagic) g_marks.file = file;
  }
  if (fd >= 0) close(fd);
  errno = saved;
}

}  // namespace
}  // namespace csink::marks
