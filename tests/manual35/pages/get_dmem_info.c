/* PAPI_get_dmem_info.
 * Mended: the ends of lines, which the manual prints as "0". The library is initialized twice, as
 * there. */
/* prints: Mem Size: [1-9] */
/* prints: Mem Pagesize: 4096|Mem Pagesize: 16384|Mem Pagesize: 65536 */
#include "example.h"

int main(void) {
  int retval;
  PAPI_dmem_info_t dmem;

  if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT) exit(1);

  retval = PAPI_library_init(PAPI_VER_CURRENT);
  if (retval != PAPI_VER_CURRENT) handle_error(retval);

  CHECK(PAPI_get_dmem_info(&dmem) == PAPI_OK && PAPI_SYS == PAPI_ESYS);
  printf("Mem Size: %lld\n", dmem.size);
  printf("Mem Resident: %lld\n", dmem.resident);
  printf("Mem High Water Mark: %lld\n", dmem.high_water_mark);
  printf("Mem Shared: %lld\n", dmem.shared);
  printf("Mem Text: %lld\n", dmem.text);
  printf("Mem Library: %lld\n", dmem.library);
  printf("Mem Heap: %lld\n", dmem.heap);
  printf("Mem Locked: %lld\n", dmem.locked);
  printf("Mem Stack: %lld\n", dmem.stack);
  printf("Mem Pagesize: %lld\n", dmem.pagesize);
  CHECK(dmem.size >= dmem.resident && dmem.high_water_mark >= dmem.resident);
  return 0;
}
