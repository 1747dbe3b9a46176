/// File: PAPIF_perror, which PAPI 3.5 and PAPI 7.0 define with different arguments.

#include <cstdint>

#include "compat/fortran/spellings.h"
#include "compat/fortran/text.h"

namespace csink::fortran {
namespace {

// Tells a length from an address: a message is shorter than 4 MiB, and no variable of a program has
// an address below 4 MiB. Programs linked at a fixed address begin there on x86-64 and aarch64;
// position-independent programs are loaded far above.
constexpr std::uintptr_t kLowestAddress = 0x400000;

// PAPI 7.0: PAPIF_perror(message) prints `message` before the text of the last error.
void Tell(const char* message_at, HiddenLength length) noexcept {
  const InText message(message_at, length);
  if (message.ok()) PAPI_perror(message.c_str());
}

// PAPI 3.5: PAPIF_perror(code, destination, check) stores the text of an error code.
void Explain(int code, OutText& destination, int& check) noexcept {
  const char* sentence = PAPI_strerror(code);
  if (sentence) destination.Give(sentence);
  check = sentence ? PAPI_OK : PAPI_EINVAL;
}

}  // namespace

/// One symbol serves both interfaces. The second argument decides: the hidden length of the message
/// (7.0), or the address of the destination (3.5).
CSINK_FORTRAN_EXPORT void papif_perror(const void* first, std::uintptr_t second, int* check,
                                       HiddenLength length) noexcept {
  // A 7.0 caller passes two arguments; `check` and `length` are then undefined and are not read.
  if (second < kLowestAddress) {
    return Tell(static_cast<const char*>(first), static_cast<HiddenLength>(second));
  }
  OutText destination(reinterpret_cast<char*>(second), length);
  Explain(*static_cast<const int*>(first), destination, *check);
}
CSINK_FORTRAN_SPELLINGS(papif_perror, PAPIF_PERROR)

}  // namespace csink::fortran
