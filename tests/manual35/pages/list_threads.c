/* PAPI_list_threads ("Reserved for example usage"), PAPI_register_thread, PAPI_unregister_thread:
 * pages without an example. */
#include "example.h"

static void* in_a_thread(void* unused) {
  PAPI_thread_id_t ids[4];
  int number = 4;
  CHECK(PAPI_register_thread() == PAPI_OK);
  CHECK(PAPI_list_threads(ids, &number) == PAPI_OK && number == 2);
  CHECK(ids[0] == (PAPI_thread_id_t)pthread_self() || ids[1] == (PAPI_thread_id_t)pthread_self());
  CHECK(PAPI_unregister_thread() == PAPI_OK);
  return unused;
}

int main(void) {
  pthread_t thread;
  int number = 0;
  initialize();
  CHECK(PAPI_thread_init(pthread_self) == PAPI_OK);
  CHECK(PAPI_register_thread() == PAPI_OK);
  CHECK(pthread_create(&thread, NULL, in_a_thread, NULL) == 0);
  CHECK(pthread_join(thread, NULL) == 0);
  CHECK(PAPI_list_threads(NULL, &number) == PAPI_OK && number == 1);
  return 0;
}
