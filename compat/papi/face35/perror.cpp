/// File: PAPI_perror as PAPI 3.5 has it.

#include "compat/papi/debug.h"
#include "compat/papi/error_text.h"
#include "compat/papi/include/papi35_abi.h"

int PAPI_perror_35(int code, char* destination, int length) {
  // Not AtCEdge, which would forget what was wrong with the call before.
  const int answer = csink::papi::TellError(code, destination, length);
  return answer < 0 ? csink::papi::Report(answer) : answer;
}
