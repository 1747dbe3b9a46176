/* PAPI_perror, PAPI_strerror.
 * Mended: `retval` is declared; the library is initialized. */
/* errors: ^No such event */
#include "example.h"

int main(void) {
  int EventSet = PAPI_NULL;
  int retval;
  char error_str[PAPI_MAX_STR_LEN];
  initialize();

  if ((retval = PAPI_create_eventset(&EventSet)) != PAPI_OK) {
    fprintf(stderr, "PAPI error %d: %s\n", retval, PAPI_strerror(retval));
    exit(1);
  }

  /* Add Total Instructions Executed to our EventSet */
  if ((retval = PAPI_add_event(EventSet, PAPI_TOT_INS)) != PAPI_OK) {
    PAPI_perror(retval, error_str, PAPI_MAX_STR_LEN);
    fprintf(stderr, "PAPI_error %d: %s\n", retval, error_str);
    exit(1);
  }

  /* Start counting */
  if ((retval = PAPI_start(EventSet)) != PAPI_OK) handle_error(retval);

  /* What the page says of the arguments. */
  CHECK(PAPI_perror(PAPI_ENOEVNT, error_str, PAPI_MAX_STR_LEN) == PAPI_OK);
  CHECK(strcmp(error_str, PAPI_strerror(PAPI_ENOEVNT)) == 0);
  memset(error_str, 'x', sizeof error_str);
  CHECK(PAPI_perror(PAPI_ENOEVNT, error_str, 8) == PAPI_OK); /* cut, and always ended */
  CHECK(strncmp(error_str, PAPI_strerror(PAPI_ENOEVNT), 7) == 0 && error_str[7] == 0);
  CHECK(error_str[8] == 'x');
  CHECK(PAPI_perror(PAPI_ENOEVNT, error_str, 1) == PAPI_OK && error_str[0] == 0);
  CHECK(PAPI_perror(PAPI_ENOEVNT, NULL, 0) == PAPI_OK); /* to standard error */
  CHECK(PAPI_perror(1, error_str, 8) == PAPI_EINVAL && PAPI_strerror(1) == NULL);
  CHECK(PAPI_perror(-1000, NULL, 0) == PAPI_EINVAL);
  CHECK(PAPI_perror(PAPI_ENOEVNT, error_str, -1) == PAPI_EINVAL);
  return 0;
}
