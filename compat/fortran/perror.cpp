/// File: PAPIF_perror, which two generations of programs call with different arguments.

#include <cstdint>

#include "compat/fortran/spellings.h"
#include "compat/fortran/text.h"

namespace csink::fortran {
namespace {

// A message is shorter than this (4 MiB), and no variable of a program lies below it: programs that
// are linked to a fixed address begin here on x86-64 and aarch64, others far above.
constexpr std::uintptr_t kLowestAddress = 0x400000;

// PAPI 7.0: PAPIF_perror(message), a message before the sentence of the last failure.
void Tell(const char* message_at, HiddenLength length) noexcept {
  const InText message(message_at, length);
  if (message.ok()) PAPI_perror(message.c_str());
}

// PAPI 3.5: PAPIF_perror(code, destination, check), the sentence of a code.
void Explain(int code, OutText& destination, int& check) noexcept {
  const char* sentence = PAPI_strerror(code);
  if (sentence) destination.Give(sentence);
  check = sentence ? PAPI_OK : PAPI_EINVAL;
}

}  // namespace

/// The second argument tells the two apart: the length of the message, or where the destination
/// lies.
CSINK_FORTRAN_EXPORT void papif_perror(const void* first, std::uintptr_t second, int* check,
                                       HiddenLength length) noexcept {
  if (second < kLowestAddress)
    return Tell(static_cast<const char*>(first), static_cast<HiddenLength>(second));
  OutText destination(reinterpret_cast<char*>(second), length);
  Explain(*static_cast<const int*>(first), destination, *check);
}
CSINK_FORTRAN_SPELLINGS(papif_perror, PAPIF_PERROR)

}  // namespace csink::fortran
