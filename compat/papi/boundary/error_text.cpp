#include "compat/papi/boundary/error_text.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <iterator>

#include "compat/papi/include/papi.h"
#include "core/util/raw_syscall.h"
#include "core/util/text.h"

/// File: the texts of error codes. No text is allocated: they are constants, so that PAPI_strerror
/// works in signal handlers.

namespace {

struct ErrorText {
  const char* name;
  const char* sentence;
};

// Indexed by the negated code. The meanings are PAPI's; the sentences are our own.
constexpr ErrorText kErrors[] = {
    {"PAPI_OK", "No error"},
    {"PAPI_EINVAL", "Invalid argument"},
    {"PAPI_ENOMEM", "Not enough memory"},
    {"PAPI_ESYS", "A system call failed"},
    {"PAPI_ECMP", "The component does not support this"},
    {"PAPI_ECLOST", "Access to the counters was lost"},
    {"PAPI_EBUG", "Internal error of the library"},
    {"PAPI_ENOEVNT", "No such event on this machine"},
    {"PAPI_ECNFLCT", "The event cannot be counted together with those that are there"},
    {"PAPI_ENOTRUN", "The event set is not running"},
    {"PAPI_EISRUN", "The event set is running"},
    {"PAPI_ENOEVST", "No such event set"},
    {"PAPI_ENOTPRESET", "Not a preset event"},
    {"PAPI_ENOCNTR", "This machine has no performance counters"},
    {"PAPI_EMISC", "Unspecified error"},
    {"PAPI_EPERM", "Permission denied"},
    {"PAPI_ENOINIT", "The library is not initialized"},
    {"PAPI_ENOCMP", "No such component, or none set yet"},
    {"PAPI_ENOSUPP", "Not supported"},
    {"PAPI_ENOIMPL", "Not implemented"},
    {"PAPI_EBUF", "The buffer is too small"},
    {"PAPI_EINVAL_DOM", "The component does not count in this domain"},
    {"PAPI_EATTR", "Event attributes are missing or wrong"},
    {"PAPI_ECOUNT", "Too many events or attributes"},
    {"PAPI_ECOMBO", "Attributes that exclude each other"},
    {"PAPI_ECMP_DISABLED", "The component of the event is disabled"},
    {"PAPI_EDELAY_INIT", "The component starts at its first use"},
    {"PAPI_EMULPASS", "The events need several passes"},
};
static_assert(std::size(kErrors) == PAPI_NUM_ERRORS);

// nullptr: `code` is positive or beyond the table.
const ErrorText* TextOf(int code) noexcept {
  return code > 0 || code <= -PAPI_NUM_ERRORS ? nullptr : &kErrors[-code];
}

}  // namespace

namespace csink::papi {

const char* ErrorName(int code) noexcept {
  const ErrorText* text = TextOf(code);
  return text ? text->name : nullptr;
}

const char* ErrorSentence(int code) noexcept {
  const ErrorText* text = TextOf(code);
  return text ? text->sentence : nullptr;
}

// Uses a buffer on the stack and write(2), so that it is signal-safe.
int TellError(int code, char* destination, int length) noexcept {
  const ErrorText* text = TextOf(code);
  if (text == nullptr || length < 0) return PAPI_EINVAL;
  if (destination == nullptr || length == 0) {
    Text<128> line;
    line.Add(text->sentence).Add('\n');
    RawSyscall(SYS_write, STDERR_FILENO, SyscallArg(line.c_str()), static_cast<long>(line.size()));
    return PAPI_OK;
  }
  // `length` is the size of the caller's buffer; one byte is the NUL.
  const std::size_t bytes =
      std::min(std::strlen(text->sentence), static_cast<std::size_t>(length) - 1);
  std::memcpy(destination, text->sentence, bytes);
  destination[bytes] = 0;
  return PAPI_OK;
}

}  // namespace csink::papi
