#pragma once

namespace csink::papi {

/// The name of an error code, such as "PAPI_ENOEVNT"; nullptr: no such code. The text is constant.
/// Threads: any. Signals: safe.
const char* ErrorName(int code) noexcept;

/// The text of an error code in words, as PAPI_strerror returns it; nullptr: no such code. The text
/// is constant. Threads: any. Signals: safe.
const char* ErrorSentence(int code) noexcept;

/// PAPI 3.5's PAPI_perror with three arguments; papi35.h and Fortran use it. Stores the text of
/// `code` in `destination`, cut to `length` bytes including the NUL. With length 0 or a null
/// destination: prints the text and a newline on stderr. PAPI_OK; PAPI_EINVAL: no such code, or a
/// negative length.
/// Signals: safe.
int TellError(int code, char* destination, int length) noexcept;

}  // namespace csink::papi
