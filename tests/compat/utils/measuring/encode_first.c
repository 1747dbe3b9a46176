/* For LD_PRELOAD under papi_decode: PAPI_encode_events(CSINK_ENCODE_FIRST, 1) comes right after
 * PAPI_library_init, so that the tool shows what was read. */
#include <dlfcn.h>
#include <papi.h>
#include <stdio.h>
#include <stdlib.h>

__attribute__((visibility("default"))) int PAPI_library_init(int version) {
  int (*init)(int) = (int (*)(int))dlsym(RTLD_NEXT, "PAPI_library_init");
  int (*encode)(char*, int) = (int (*)(char*, int))dlsym(RTLD_NEXT, "PAPI_encode_events");
  const int code = init(version);
  if (!encode) {
    fputs("skipped: this libpapi has no PAPI_encode_events\n", stderr);
    exit(77);
  }
  const int read = encode(getenv("CSINK_ENCODE_FIRST"), 1);
  if (read != PAPI_OK) {
    fprintf(stderr, "PAPI_encode_events: %d\n", read);
    exit(3);
  }
  return code;
}
