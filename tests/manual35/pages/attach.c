/* PAPI_attach, PAPI_detach.
 * Mended: the parent initializes the library, and the child does not exit(1) at once but waits for
 * a byte and works: a process that has ended cannot be attached to. */
#include "example.h"

int main(void) {
  int EventSet = PAPI_NULL;
  unsigned long pid;
  int go[2], status = 0;
  long_long values[1] = {0};

  CHECK(pipe(go) == 0);
  pid = fork();
  if (pid == 0) {
    char byte;
    CHECK(read(go[0], &byte, 1) == 1);
    do_100events();
    _exit(0);
  }
  if (pid == (unsigned long)-1) exit(1);

  initialize();
  if (PAPI_create_eventset(&EventSet) != PAPI_OK) exit(1);
  /* Add Total Instructions Executed to our EventSet */
  if (PAPI_add_event(EventSet, PAPI_TOT_INS) != PAPI_OK) exit(1);
  /* Attach this EventSet to the forked process */
  if (PAPI_attach(EventSet, pid) != PAPI_OK) exit(1);

  if (PAPI_start(EventSet) != PAPI_OK) handle_error(1);
  CHECK(write(go[1], "x", 1) == 1);
  CHECK(waitpid((pid_t)pid, &status, 0) == (pid_t)pid && status == 0);
  if (PAPI_stop(EventSet, values) != PAPI_OK) handle_error(1);
  CHECK(values[0] >= 100);
  CHECK(PAPI_detach(EventSet) == PAPI_OK);
  return 0;
}
