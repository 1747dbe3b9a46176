/// File: PAPI_perror with PAPI 3.5's arguments.

#include "compat/papi/debug.h"
#include "compat/papi/error_text.h"
#include "compat/papi/include/papi35_abi.h"

int PAPI_perror_35(int code, char* destination, int length) {
  // Not AtCEdge: it would clear the message of the previous failure.
  const int answer = csink::papi::TellError(code, destination, length);
  return answer < 0 ? csink::papi::Report(answer) : answer;
}
