#include "compat/apapi_client/message.h"

#include <unistd.h>

#include <cstdlib>

namespace csink::apapi {

void Say(const char* who, const std::string& text) {
  const std::string line = std::string(who) + ": " + text + "\n";
  // A message that cannot be written has no place where the failure could be reported.
  if (write(STDERR_FILENO, line.data(), line.size()) < 0) return;
}

bool IsOn(const char* variable) {
  const char* text = std::getenv(variable);
  if (!text || !*text) return false;
  char* end = nullptr;
  // Text behind the number: not on, as libapapi reads it.
  const long value = std::strtol(text, &end, 0);
  return *end == '\0' && value != 0;
}

}  // namespace csink::apapi
