// Runs the rows against PAPI's own library, if it counts anything on this machine: its libpfm4
// disables perf_event on a CPU that it does not know, software events and all.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "compat/papi/include/papi.h"

namespace {

// In a child: the rows begin before the library's initialisation.
bool PeerCounts() {
  const pid_t pid = fork();
  if (pid == 0) {
    if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT) _exit(1);
    const PAPI_component_info_t* info = PAPI_get_component_info(0);
    _exit(info && info->disabled == 0 ? 0 : 1);
  }
  int status = 0;
  waitpid(pid, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  if (!PeerCounts()) {
#ifdef CSINK_KNOWN_CPU
    if (!getenv("LD_PRELOAD")) {
      std::printf("PAPI's library counts nothing here; once more with a CPU that libpfm4 knows\n");
      std::fflush(stdout);
      setenv("LD_PRELOAD", CSINK_KNOWN_CPU, 1);
      execv("/proc/self/exe", argv);
    }
#endif
    std::printf(
        "skipped: PAPI's library has no counters on this machine (papi_component_avail says "
        "why)\n");
    return 77;
  }
  return RUN_ALL_TESTS();
}
