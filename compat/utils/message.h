#pragma once

#include <string>
#include <string_view>

#include "compat/utils/tool.h"

namespace csink::utils {

/// One line on stderr: `papi_avail: text`; a question mark for each control character.
void Say(const Tool& tool, std::string_view text);
/// What that was the last time, "" at first.
const std::string& LastSaid();

/// The same with the reason of the call that just failed: `papi_avail: text: Permission level ...`.
void SayCode(const Tool& tool, std::string_view text, int papi_code);

/// Why the call that just failed with that code did so: the library's own sentence where it is
/// ours, else PAPI's words for the code.
std::string WhyFailed(int papi_code);

/// Points to --help; what is wrong has been said. Gives kMisuse.
int Misuse(const Tool& tool);

}  // namespace csink::utils
