#pragma once

#include <string>
#include <string_view>

#include "compat/utils/tool.h"

namespace csink::utils {

/// Prints the line `papi_avail: text` on stderr, after what is buffered for stdout. Control
/// characters become question marks. Remembers the text for LastSaid. Not for several threads.
void Say(const Tool& tool, std::string_view text);
/// The text of the last message; "": none yet.
const std::string& LastSaid();

/// As Say, followed by the reason of the call that just failed: `papi_avail: text: reason`.
void SayCode(const Tool& tool, std::string_view text, int papi_code);

/// The reason why the last call failed with this code: our library's message, or else PAPI's text
/// for the code. Must be called directly after the failure, since the next call replaces the
/// message.
std::string WhyFailed(int papi_code);

/// Prints a reference to --help after a message about wrong use. Returns kMisuse, so that callers
/// can write `return Misuse(tool)`.
int Misuse(const Tool& tool);

}  // namespace csink::utils
