#pragma once

namespace csink::papi {

/// The name of a code, "PAPI_ENOEVNT"; nullptr: no such code. Signals: safe.
const char* ErrorName(int code) noexcept;

/// The three-argument PAPI_perror of PAPI 3.5's manual, which both faces and Fortran call: the
/// sentence of `code`, cut to `length` bytes with its NUL, into `destination`; with length 0 or no
/// destination to standard error, and a newline. PAPI_OK, or PAPI_EINVAL (no such code, a length
/// below 0).
/// Signals: safe.
int TellError(int code, char* destination, int length) noexcept;

}  // namespace csink::papi
