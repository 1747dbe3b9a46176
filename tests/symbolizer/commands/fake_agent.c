/* Stands for libagent.so in tests of csink run and csink doctor: what it leaves
 * behind is decided by the test, not by sampling. As soon as it is loaded it
 *   - copies the spool $FAKE_AGENT_SPOOL into $CSINK_SPOOL_DIR (once per process),
 *   - with CSINK_DOCTOR set prints a line to stderr, and $FAKE_AGENT_ANSWER as the line of JSON
 *     where that is set,
 *   - with FAKE_AGENT_SHOW=1 prints what csink set to stderr. */

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char** environ;

static void CopySpool(const char* from, const char* folder) {
  static char bytes[1 << 20];
  char path[4096];
  const int in = open(from, O_RDONLY | O_CLOEXEC);
  const ssize_t size = in < 0 ? -1 : read(in, bytes, sizeof bytes);
  if (in >= 0) close(in);
  snprintf(path, sizeof path, "%s/app.host.%d.1.0.csink", folder, (int)getpid());
  const int out = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (out < 0) return;
  if (size > 0 && write(out, bytes, (size_t)size) != size) abort();
  close(out);
}

__attribute__((constructor)) static void Start(void) {
  const char* spool = getenv("FAKE_AGENT_SPOOL");
  const char* folder = getenv("CSINK_SPOOL_DIR");
  const char* doctor = getenv("CSINK_DOCTOR");
  if (doctor) {
    fprintf(stderr, "doctor speaking of %s\n", strcmp(doctor, "1") == 0 ? "all" : doctor);
    const char* answer = getenv("FAKE_AGENT_ANSWER");
    if (answer && strcmp(doctor, "json") == 0) fprintf(stderr, "%s\n", answer);
    return;
  }
  if (getenv("FAKE_AGENT_SHOW")) {
    fprintf(stderr, "tree %s\nevents %s\nsource %s\npreload %s\n", getenv("CSINK_TREE"),
            getenv("CSINK_EVENTS"), getenv("CSINK_SOURCE"), getenv("LD_PRELOAD"));
  }
  for (char** entry = environ; getenv("FAKE_AGENT_SHOW") && *entry; ++entry) {
    if (strncmp(*entry, "CSINK_", 6) == 0) fprintf(stderr, "set %s\n", *entry);
  }
  if (spool && folder && getenv("CSINK_TREE")) CopySpool(spool, folder);
}
