/* PAPI_get_thr_specific, PAPI_set_thr_specific.
 * Mended: the type of `state`, which the manual leaves to the reader; C++ wants `(void **)` for the
 * manual's `(void *)`, and a second pair of parentheses makes `retval` the result of the call. The
 * example is the body of a function that returns a code. */
#include "example.h"

typedef struct {
  int EventSet;
  int num_evts;
} HighLevelInfo;

static int example(void) {
  int retval;
  HighLevelInfo* state = NULL;

  if ((retval = PAPI_thread_init(pthread_self)) != PAPI_OK) handle_error(retval);

  /*
   * Do we have the thread specific data setup yet?
   */
  if ((retval = PAPI_get_thr_specific(PAPI_USR1_TLS, (void**)&state)) != PAPI_OK ||
      state == NULL) {
    state = (HighLevelInfo*)malloc(sizeof(HighLevelInfo));
    if (state == NULL) return (PAPI_ESYS);

    memset(state, 0, sizeof(HighLevelInfo));
    state->EventSet = PAPI_NULL;

    if ((retval = PAPI_create_eventset(&state->EventSet)) != PAPI_OK) return (PAPI_ESYS);

    if ((retval = PAPI_set_thr_specific(PAPI_USR1_TLS, state)) != PAPI_OK) return (retval);
  }
  return PAPI_OK;
}

int main(void) {
  void* first = NULL;
  void* second = NULL;
  initialize();
  CHECK(example() == PAPI_OK && PAPI_get_thr_specific(PAPI_USR1_TLS, &first) == PAPI_OK && first);
  CHECK(example() == PAPI_OK && PAPI_get_thr_specific(PAPI_USR1_TLS, &second) == PAPI_OK);
  CHECK(first == second);
  CHECK(PAPI_get_thr_specific(PAPI_USR2_TLS, &second) == PAPI_OK && second == NULL);
  CHECK(PAPI_get_thr_specific(7, &second) == PAPI_EINVAL);
  return 0;
}
