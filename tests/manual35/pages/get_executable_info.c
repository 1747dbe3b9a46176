/* PAPI_get_executable_info.
 * Mended: `prginfo` is called `exeinfo` in the manual's printf lines; the ends of lines, which it
 * prints as "0". */
/* prints: Program: .*get_executable_info */
#include "example.h"

int main(void) {
  const PAPI_exe_info_t* prginfo = NULL;
  initialize();

  if ((prginfo = PAPI_get_executable_info()) == NULL) exit(1);

  printf("Path+Program: %s\n", prginfo->fullname);
  printf("Program: %s\n", prginfo->address_info.name);
  printf("Text start: %p, Text end: %p\n", (void*)prginfo->address_info.text_start,
         (void*)prginfo->address_info.text_end);
  printf("Data start: %p, Data end: %p\n", (void*)prginfo->address_info.data_start,
         (void*)prginfo->address_info.data_end);
  printf("Bss start: %p, Bss end: %p\n", (void*)prginfo->address_info.bss_start,
         (void*)prginfo->address_info.bss_end);

  {
    /* The structures of that page. */
    caddr_t start = prginfo->address_info.text_start, end = prginfo->address_info.text_end;
    CHECK(start <= (caddr_t)touch_pages && end > (caddr_t)touch_pages);
    CHECK(sizeof prginfo->fullname == PAPI_HUGE_STR_LEN);
  }
  return 0;
}
