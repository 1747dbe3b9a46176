/* PAPI_thread_id, PAPI_thread_init, PAPI_lock, PAPI_unlock. */
/* prints: Initial thread id is: [1-9] */
#include "example.h"

int main(void) {
  unsigned long tid;
  initialize();

  if (PAPI_thread_init(pthread_self) != PAPI_OK) exit(1);

  if ((tid = PAPI_thread_id()) == (unsigned long int)-1) exit(1);

  printf("Initial thread id is: %lu\n", tid);
  CHECK(tid == (unsigned long)pthread_self());

  PAPI_lock(PAPI_USR1_LOCK);
  PAPI_lock(PAPI_USR2_LOCK);
  PAPI_unlock(PAPI_USR2_LOCK);
  PAPI_unlock(PAPI_USR1_LOCK);
  PAPI_shutdown();
  return 0;
}
