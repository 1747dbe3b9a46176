/* PAPI_get_event_info.
 * Mended: the missing semicolon; a result that is PAPI_OK is no error, so the comparison is "!=". */
#include "example.h"

int main(void) {
  int EventCode;
  PAPI_event_info_t info;
  initialize();

  /*Find the event code for PAPI_TOT_INS and its info*/
  PAPI_event_name_to_code("PAPI_TOT_INS", &EventCode);
  if (PAPI_get_event_info(EventCode, &info) != PAPI_OK) handle_error(1);

  CHECK(strcmp(info.symbol, "PAPI_TOT_INS") == 0);
  CHECK(info.long_descr[0] && info.short_descr[0]);
  /* The field is event_note in the manual's list and note in its examples. */
  CHECK(strcmp(info.event_note, "page faults") == 0);
  CHECK(strcmp(info.note, info.event_note) == 0);
  return 0;
}
