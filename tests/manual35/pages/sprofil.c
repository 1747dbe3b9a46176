/* PAPI_sprofil.
 * Mended: `prginfo` as on the page of PAPI_profil; `profbuf2` and `profbucket` are declared as what
 * they are used for; the number of structures is given, which the prototype has and the call
 * lacks. The last region is one byte long, as there. */
#include "example.h"

__attribute__((noinline)) static void DO_FLOPS(void) {
  volatile double sum = 0;
  int i;
  for (i = 0; i < 40000000; ++i) sum = sum + i;
}

__attribute__((noinline)) static void DO_READS(void) {
  volatile int place[64] = {0};
  int i, sum = 0;
  for (i = 0; i < 40000000; ++i) sum += place[i % 64];
  place[0] = sum;
}

int main(void) {
  int retval, EventSet = PAPI_NULL;
  unsigned long length, i;
  long flops = 0, reads = 0;
  const PAPI_exe_info_t* prginfo;
  unsigned short *profbuf1, *profbuf2, profbucket[1] = {0};
  PAPI_sprofil_t sprof[3];
  initialize();
  if (PAPI_create_eventset(&EventSet) != PAPI_OK) handle_error(1);
  if (PAPI_add_event(EventSet, PAPI_FP_INS) != PAPI_OK) handle_error(1);

  if ((prginfo = PAPI_get_executable_info()) == NULL) handle_error(1);
  length = (unsigned long)(prginfo->address_info.text_end - prginfo->address_info.text_start);
  /* Allocate 2 buffers of equal length */
  profbuf1 = (unsigned short*)malloc(length);
  profbuf2 = (unsigned short*)malloc(length);
  if ((profbuf1 == NULL) || (profbuf2 == NULL)) handle_error(1);
  memset(profbuf1, 0x00, length);
  memset(profbuf2, 0x00, length);
  /* First buffer */
  sprof[0].pr_base = profbuf1;
  sprof[0].pr_size = length;
  sprof[0].pr_off = (caddr_t)DO_FLOPS;
  sprof[0].pr_scale = 0x10000;
  /* Second buffer */
  sprof[1].pr_base = profbuf2;
  sprof[1].pr_size = length;
  sprof[1].pr_off = (caddr_t)DO_READS;
  sprof[1].pr_scale = 0x10000;
  /* Overflow bucket */
  sprof[2].pr_base = profbucket;
  sprof[2].pr_size = 1;
  sprof[2].pr_off = 0;
  sprof[2].pr_scale = 0x0002;

  if ((retval = PAPI_sprofil(sprof, 3, EventSet, PAPI_FP_INS, 1000000,
                             PAPI_PROFIL_POSIX | PAPI_PROFIL_BUCKET_16)) != PAPI_OK)
    handle_error(retval);

  if (PAPI_start(EventSet) != PAPI_OK) handle_error(1);
  DO_FLOPS();
  DO_READS();
  if (PAPI_stop(EventSet, NULL) != PAPI_OK) handle_error(1);
  for (i = 0; i < length / sizeof *profbuf1; ++i) flops += profbuf1[i];
  for (i = 0; i < length / sizeof *profbuf2; ++i) reads += profbuf2[i];
  CHECK(flops > 5 && reads > 5);
  return 0;
}
