#include "compat/utils/measuring/number.h"

#include <charconv>
#include <cstring>
#include <string>

#include "compat/utils/message.h"

namespace csink::utils {

bool ReadNumber(const Tool& tool, const char* what, const char* text, long long least,
                long long most, long long& number) {
  const char* end = text + std::strlen(text);
  long long value = 0;
  // from_chars: no blanks, no plus sign, no locale.
  const auto [stopped, error] = std::from_chars(text, end, value);
  if (error == std::errc() && stopped == end && value >= least && value <= most) {
    number = value;
    return true;
  }
  Say(tool, std::string(what) + " must be a number from " + std::to_string(least) + " to " +
                std::to_string(most) + ", not '" + text + "'");
  return false;
}

}  // namespace csink::utils
