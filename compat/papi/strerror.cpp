#include <cstdio>
#include <iterator>

#include "compat/papi/include/papi.h"
#include "compat/papi/last_error.h"
#include "compat/papi/thread_context.h"

namespace {

// By code, from 0 down. What each code means is PAPI's; the sentences are ours.
constexpr const char* kSentences[] = {
    "No error",
    "Invalid argument",
    "Not enough memory",
    "A system call failed",
    "The component does not support this",
    "Access to the counters was lost",
    "Internal error of the library",
    "No such event on this machine",
    "The event cannot be counted together with those that are there",
    "The event set is not running",
    "The event set is running",
    "No such event set",
    "Not a preset event",
    "This machine has no performance counters",
    "Unspecified error",
    "Permission denied",
    "The library is not initialized",
    "No such component, or none set yet",
    "Not supported",
    "Not implemented",
    "The buffer is too small",
    "The component does not count in this domain",
    "Event attributes are missing or wrong",
    "Too many events or attributes",
    "Attributes that exclude each other",
    "The component of the event is disabled",
    "The component starts at its first use",
    "The events need several passes",
};
static_assert(std::size(kSentences) == PAPI_NUM_ERRORS);

}  // namespace

char* PAPI_strerror(int code) {
  if (code > 0 || code <= -PAPI_NUM_ERRORS) return nullptr;
  // The interface has no const; nobody may write there, as with the C library's own strerror.
  return const_cast<char*>(kSentences[-code]);
}

void PAPI_perror(const char* msg) {
  const char* sentence = PAPI_strerror(csink::papi::LastFailure());
  if (!sentence) return;
  const bool prefixed = msg && *msg;
  std::fprintf(stderr, "%s%s%s", prefixed ? msg : "", prefixed ? ": " : "", sentence);
  const csink::papi::ThreadContext* context = csink::papi::t_context;
  if (context && context->complaint.size() != 0) {
    std::fprintf(stderr, ": %s", context->complaint.c_str());
  }
  std::fputc('\n', stderr);
}
