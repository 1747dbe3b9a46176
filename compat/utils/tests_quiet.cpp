#include "compat/utils/tests_quiet.h"

#include <cstring>
#include <string>

#include "compat/utils/message.h"

namespace csink::utils {

bool TakesNothingElse(const Tool& tool, const Arguments& arguments) {
  for (const char* const word : arguments.operands()) {
    if (std::strcmp(word, "TESTS_QUIET") == 0) continue;
    Say(tool, std::string("unexpected argument '") + word + "'");
    return Misuse(tool), false;
  }
  return true;
}

}  // namespace csink::utils
