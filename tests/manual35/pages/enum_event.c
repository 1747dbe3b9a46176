/* PAPI_enum_event.
 * Mended: the ends of lines, which the manual prints as "0" ("Description0" is "Description\n");
 * `i` begins at PAPI_NATIVE_MASK. */
/* prints: perf::TASK-CLOCK +0x4 */
#include "example.h"

#define TRUE 1

int main(void) {
  int i = 0 | PAPI_NATIVE_MASK, retval, natives = 0, presets = 0, available = 0;
  PAPI_event_info_t info;
  initialize();

  /* Scan for all supported native events on this platform */
  printf("Name Code Description\n");
  do {
    retval = PAPI_get_event_info(i, &info);
    if (retval == PAPI_OK) {
      ++natives;
      printf("%-30s 0x%-10x\n%s\n", info.symbol, info.event_code, info.long_descr);
    }
  } while (PAPI_enum_event(&i, PAPI_ENUM_ALL) == PAPI_OK);
  CHECK(natives > 5);

  /* Presets: zero lists all, TRUE those that are counted here: the five of the preset file, and
     its user event, which 3.5 kept in the same table. */
  i = 0 | PAPI_PRESET_MASK;
  do {
    ++presets;
  } while (PAPI_enum_event(&i, PAPI_ENUM_ALL) == PAPI_OK);
  CHECK(presets > 100);
  i = 0 | PAPI_PRESET_MASK;
  while (PAPI_enum_event(&i, TRUE) == PAPI_OK) {
    CHECK(PAPI_query_event(i) == PAPI_OK);
    CHECK(++available <= 6);
  }
  CHECK(available == 6);

  /* Native events with TRUE end too. */
  i = 0 | PAPI_NATIVE_MASK;
  for (retval = 0; PAPI_enum_event(&i, TRUE) == PAPI_OK; ++retval) CHECK(retval < natives);
  CHECK(retval == natives);

  /* The modifiers of the machines of 2006. */
  i = 0 | PAPI_NATIVE_MASK;
  CHECK(PAPI_enum_event(&i, PAPI_PENT4_ENUM_GROUPS) == PAPI_OK);
  CHECK(PAPI_enum_event(&i, PAPI_ITA_ENUM_IARR) != PAPI_OK);
  CHECK(PAPI_enum_event(&i, PAPI_ITA_ENUM_DARR) != PAPI_OK);
  CHECK(PAPI_enum_event(&i, PAPI_ITA_ENUM_OPCM) != PAPI_OK);
  CHECK(PAPI_enum_event(&i, PAPI_ITA_ENUM_IEAR) != PAPI_OK);
  CHECK(PAPI_enum_event(&i, PAPI_ITA_ENUM_DEAR) != PAPI_OK);
  CHECK(PAPI_enum_event(&i, PAPI_PWR4_ENUM_GROUPS) != PAPI_OK);
  for (retval = i; PAPI_enum_event(&retval, PAPI_PENT4_ENUM_BITS) == PAPI_OK;) CHECK(retval != i);
  for (retval = i; PAPI_enum_event(&retval, PAPI_PENT4_ENUM_COMBOS) == PAPI_OK;) CHECK(retval != i);
  return 0;
}
