#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>

#include "compat/fortran/answers.h"

/// File: what the event argument of a rate call is. Each of the three ways is tried by a check that
/// the others cannot pass by chance: a small pointer that is an event's code, an INTEGER that is an
/// event's code, or printable text.

namespace csink::fortran {
namespace {

// Whether the library has an event with this code.
bool IsKnown(int code) noexcept {
  char name[OutText::kRoom];
  return (IS_PRESET(code) || IS_NATIVE(code) || IS_USER_DEFINED(code)) &&
         PAPI_event_code_to_name(code, name) == PAPI_OK;
}

// An int that is passed by value fills the lower half of a register. The upper half is the sign
// extension or zero, so the value cannot be an address of a variable.
bool MayBeValue(const void* argument) noexcept {
  const auto bits = reinterpret_cast<std::intptr_t>(argument);
  return bits >= std::numeric_limits<std::int32_t>::min() &&
         bits <= std::numeric_limits<std::uint32_t>::max();
}

bool IsText(const void* argument) noexcept {
  const char* begin = static_cast<const char*>(argument);
  // Four bytes are checked: fewer than that could not be told from an INTEGER.
  return std::all_of(begin, begin + sizeof(int), [](char c) { return c >= ' ' && c <= '~'; });
}

}  // namespace

int EventOf(const void* argument, HiddenLength length) noexcept {
  const int value = static_cast<int>(reinterpret_cast<std::intptr_t>(argument));
  if (MayBeValue(argument) && IsKnown(value)) return value;
  // A null pointer that is no event: there is nothing to read.
  if (argument == nullptr) return PAPI_NULL;
  int code = PAPI_NULL;
  std::memcpy(&code, argument, sizeof code);
  // Four letters are also an INTEGER, but not the code of an event: the code is tried first.
  if (IsKnown(code) || !IsText(argument)) return code;
  // The length may be missing on the stack if the caller passed an INTEGER, so it is limited.
  const InText name(static_cast<const char*>(argument),
                    std::min<HiddenLength>(length, OutText::kRoom));
  if (!name.ok() || PAPI_event_name_to_code(name.c_str(), &code) != PAPI_OK) return PAPI_NULL;
  return code;
}

}  // namespace csink::fortran
