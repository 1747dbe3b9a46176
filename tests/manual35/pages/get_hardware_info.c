/* PAPI_get_hardware_info.
 * Mended: the apostrophe and what stands for "\n" are as a compiler reads them. */
/* prints: [1-9][0-9]* CPU's at [0-9.]+ Mhz */
#include "example.h"

int main(void) {
  const PAPI_hw_info_t* hwinfo = NULL;
  int level, place;

  if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT) exit(1);

  if ((hwinfo = PAPI_get_hardware_info()) == NULL) exit(1);

  printf("%d CPU's at %f Mhz.\n", hwinfo->totalcpus, hwinfo->mhz);

  /* Every member of the page's structures; programs of then look at two of each level. */
  CHECK(hwinfo->ncpu * hwinfo->nnodes >= 1 && hwinfo->totalcpus >= hwinfo->ncpu);
  CHECK(hwinfo->vendor >= 0 && hwinfo->vendor_string[0] && hwinfo->model_string[0]);
  CHECK(hwinfo->model >= 0 && hwinfo->revision >= 0);
  CHECK(hwinfo->mem_hierarchy.levels <= PAPI_MAX_MEM_HIERARCHY_LEVELS);
  /* An instruction cache of the first level is where such a program looks. */
  for (place = 2; place < PAPI_MH_MAX_LEVELS; ++place)
    CHECK(hwinfo->mem_hierarchy.level[0].cache[place].type == PAPI_MH_TYPE_EMPTY);
  for (level = 0; level < hwinfo->mem_hierarchy.levels; ++level) {
    const PAPI_mh_level_t* here = &hwinfo->mem_hierarchy.level[level];
    for (place = 0; place < 2; ++place) {
      const PAPI_mh_cache_info_t* cache = &here->cache[place];
      const PAPI_mh_tlb_info_t* tlb = &here->tlb[place];
      CHECK(tlb->type >= 0 && tlb->num_entries >= 0 && tlb->associativity >= -1);
      if (cache->type == PAPI_MH_TYPE_EMPTY) continue;
      CHECK(cache->size > 0 && cache->line_size > 0 && cache->num_lines > 0);
      CHECK(cache->associativity >= -1);
    }
  }
  return 0;
}
