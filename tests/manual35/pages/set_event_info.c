/* PAPI_set_event_info.
 * Mended: the missing semicolon; the last call is given the address of EventCode, as its prototype
 * wants. */
#include "example.h"

int main(void) {
  int EventCode;
  PAPI_event_info_t info;
  initialize();

  /*Add a note to a custom definition of PAPI_TOT_INS */
  PAPI_event_name_to_code("PAPI_TOT_INS", &EventCode);
  if (PAPI_get_event_info(EventCode, &info) != PAPI_OK) handle_error(1);

  strcpy(info.symbol, "MY_TOT_INS");
  strcpy(info.note, "This note describes my version of total instructions.");
  if (PAPI_set_event_info(&info, &EventCode, 0) != PAPI_OK) handle_error(1);

  CHECK(EventCode != PAPI_TOT_INS && (EventCode & PAPI_PRESET_MASK) != 0);
  memset(&info, 0, sizeof info);
  CHECK(PAPI_get_event_info(EventCode, &info) == PAPI_OK);
  CHECK(strcmp(info.symbol, "MY_TOT_INS") == 0 && strncmp(info.event_note, "This note", 9) == 0);
  CHECK(PAPI_query_event(EventCode) == PAPI_OK);
  {
    /* 3.5 lists it with its presets. */
    int code = 0 | PAPI_PRESET_MASK, found = 0;
    while (PAPI_enum_event(&code, PAPI_ENUM_ALL) == PAPI_OK) found += code == EventCode;
    CHECK(found == 1);
  }
  info.event_code = 0; /* "the PAPI_PRESET_MASK bit is not set" */
  CHECK(PAPI_set_event_info(&info, &EventCode, 1) == PAPI_ENOEVNT);
  info.event_code = (unsigned int)PAPI_PRESET_MASK;
  CHECK(PAPI_set_event_info(&info, &EventCode, 0) == PAPI_EPERM);
  return 0;
}
