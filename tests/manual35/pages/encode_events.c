/* PAPI_encode_events.
 * Mended: the file that the page makes with `papi_decode -a` and an editor is written here, with the
 * page's columns and events of this preset file. */
#include "example.h"

static const char csv[] =
    "name,derived,postfix,short_descr,long_descr,note,[native,...]\n"
    "\n"
    "PAPI_L1_ICM,NOT_DERIVED,,\"L1I cache misses\",\"Level 1 instruction cache misses\",,"
    "perf::PAGE-FAULTS\n"
    "MY_PAPI_TLB_DM,NOT_DERIVED,,\"Data TLB misses\",\"Data translation lookaside buffer misses\","
    "\"This is a note for my event\",perf::MINOR-FAULTS\n";

int main(void) {
  int EventCode, EventSet = PAPI_NULL;
  long_long values[2];
  PAPI_event_info_t info;
  FILE* file = fopen("./current.csv", "w");
  CHECK(file && fputs(csv, file) >= 0 && fclose(file) == 0);
  initialize();
  CHECK(PAPI_query_event(PAPI_L1_ICM) == PAPI_ENOEVNT);

  /* Load the modified events into the preset table */
  if (PAPI_encode_events((char*)"./current.csv", 1) != PAPI_OK) handle_error(1);

  CHECK(PAPI_event_name_to_code("MY_PAPI_TLB_DM", &EventCode) == PAPI_OK);
  CHECK((EventCode & PAPI_PRESET_MASK) != 0);
  CHECK(PAPI_get_event_info(EventCode, &info) == PAPI_OK);
  CHECK(strcmp(info.event_note, "This is a note for my event") == 0);
  CHECK(strcmp(info.short_descr, "Data TLB misses") == 0);
  CHECK(PAPI_create_eventset(&EventSet) == PAPI_OK);
  CHECK(PAPI_add_event(EventSet, PAPI_L1_ICM) == PAPI_OK);
  CHECK(PAPI_add_event(EventSet, EventCode) == PAPI_OK);
  CHECK(PAPI_start(EventSet) == PAPI_OK);
  do_100events();
  CHECK(PAPI_stop(EventSet, values) == PAPI_OK && values[0] >= 100 && values[1] >= 100);

  CHECK(PAPI_encode_events((char*)"./current.csv", 0) == PAPI_EPERM);
  CHECK(PAPI_encode_events((char*)"./current.csv", 1) == PAPI_EISRUN); /* they are in a set */
  return 0;
}
