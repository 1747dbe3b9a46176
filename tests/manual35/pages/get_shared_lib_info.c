/* PAPI_get_shared_lib_info. The page shows two structures and no example. */
#include "example.h"

int main(void) {
  const PAPI_shlib_info_t* libraries;
  int i, with_code = 0;
  initialize();
  if ((libraries = PAPI_get_shared_lib_info()) == NULL) exit(1);
  CHECK(libraries->count > 0);
  for (i = 0; i < libraries->count; ++i) {
    const PAPI_address_map_t* map = &libraries->map[i];
    caddr_t start = map->text_start;
    CHECK(map->name[0] && map->text_end >= start);
    CHECK(map->data_end >= map->data_start && map->bss_end >= map->bss_start);
    with_code += map->text_end > start;
  }
  CHECK(with_code > 0);
  return 0;
}
