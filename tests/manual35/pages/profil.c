/* PAPI_profil.
 * Mended: `prginfo` points to what is const, and the addresses are in its address_info; `start` is
 * declared; the set is made and started. */
#include "example.h"

int main(void) {
  int retval, EventSet = PAPI_NULL;
  unsigned long length, start, i;
  long hits = 0, again = 0;
  const PAPI_exe_info_t* prginfo;
  unsigned short* profbuf;
  initialize();
  if (PAPI_create_eventset(&EventSet) != PAPI_OK) handle_error(1);
  if (PAPI_add_event(EventSet, PAPI_FP_INS) != PAPI_OK) handle_error(1);

  if ((prginfo = PAPI_get_executable_info()) == NULL) handle_error(1);
  length = (unsigned long)(prginfo->address_info.text_end - prginfo->address_info.text_start);
  start = (unsigned long)prginfo->address_info.text_start;
  profbuf = (unsigned short*)malloc(length);
  if (profbuf == NULL) handle_error(1);
  memset(profbuf, 0x00, length);

  if ((retval = PAPI_profil(profbuf, length, start, 65536, EventSet, PAPI_FP_INS, 1000000,
                            PAPI_PROFIL_POSIX | PAPI_PROFIL_BUCKET_16)) != PAPI_OK)
    handle_error(retval);

  if (PAPI_start(EventSet) != PAPI_OK) handle_error(1);
  your_slow_code();
  if (PAPI_stop(EventSet, NULL) != PAPI_OK) handle_error(1);
  for (i = 0; i < length / sizeof *profbuf; ++i) hits += profbuf[i];
  CHECK(hits >= 5 && hits <= 40); /* 30 ms, 1 ms a hit; some are in the C library's clock */

  /* An address is accepted too; off again by a threshold of 0. */
  if ((retval = PAPI_profil(profbuf, length, prginfo->address_info.text_start, 65536, EventSet,
                            PAPI_FP_INS, 1000000, PAPI_PROFIL_POSIX)) != PAPI_OK)
    handle_error(retval);
  if ((retval = PAPI_profil(profbuf, length, 0, 65536, EventSet, PAPI_FP_INS, 0, 0)) != PAPI_OK)
    handle_error(retval);
  if (PAPI_start(EventSet) != PAPI_OK) handle_error(1);
  your_slow_code();
  if (PAPI_stop(EventSet, NULL) != PAPI_OK) handle_error(1);
  for (i = 0; i < length / sizeof *profbuf; ++i) again += profbuf[i];
  CHECK(again == hits);
  return 0;
}
