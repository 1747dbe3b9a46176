/// File: functions that start and end the library, and those about errors: their texts, the message
/// of the last failure, and the debug level.

#include <cstdio>

#include "compat/papi/boundary/c_boundary.h"
#include "compat/papi/boundary/error_text.h"
#include "compat/papi/calls/calls.h"
#include "compat/papi/lifecycle/lifecycle.h"

namespace csink::papi {

int InitializeLibrary(int version, int abi) noexcept {
  return AtCBoundary([&] {
    // Also revision and increment must be 0, as in PAPI: a newer interface has other structures.
    if (version != PAPI_VERSION_NUMBER(abi / 10, abi % 10, 0, 0)) {
      EventComplaint& complaint = Complaint();
      complaint.Clear();
      complaint.Add("the program was built for another version of PAPI than ");
      complaint.Signed(abi / 10).Add('.').Signed(abi % 10);
      return PAPI_EINVAL;
    }
    const int code = StartUp();
    return code == PAPI_OK ? version : code;
  });
}

}  // namespace csink::papi

using csink::papi::AtCBoundary;

int PAPI_is_initialized(void) { return csink::papi::TheLibrary().level(); }

void PAPI_shutdown(void) { csink::papi::ShutDown(); }

char* PAPI_strerror(int code) {
  // PAPI's interface has no const; as with the C library's strerror, the caller must not write.
  return const_cast<char*>(csink::papi::ErrorSentence(code));
}

// Prints nothing for a code that PAPI does not know. Unlike TellError not signal-safe: stdio. Not
// through AtCBoundary, which would clear the message that is printed here.
void PAPI_perror(const char* msg) {
  const char* sentence = csink::papi::ErrorSentence(csink::papi::LastFailure());
  if (!sentence) return;
  const bool prefixed = msg && *msg;
  std::fprintf(stderr, "%s%s%s", prefixed ? msg : "", prefixed ? ": " : "", sentence);
  if (const std::string_view why = csink::papi::LastSentence(); !why.empty()) {
    std::fprintf(stderr, ": %.*s", static_cast<int>(why.size()), why.data());
  }
  std::fputc('\n', stderr);
}

int PAPI_set_debug(int level) {
  return AtCBoundary([&] { return csink::papi::SetDebugLevel(level) ? PAPI_OK : PAPI_EINVAL; });
}
