#include "compat/utils/message.h"

#include <csink_papi.h>
#include <papi.h>

#include <cstdio>

/// File: messages with the library's own sentence, which names the cause. PAPI's texts for codes
/// are the same for all causes.

namespace csink::utils {

namespace {

// For PrintErrorAsJson. The tools have one thread.
std::string g_last_said;

}  // namespace

void Say(const Tool& tool, std::string_view text) {
  g_last_said = text;
  // The text may contain names from the command line: no control characters.
  for (char& c : g_last_said) {
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = '?';
  }
  std::fflush(stdout);  // keeps the order of both streams
  std::fprintf(stderr, "%s: %s\n", tool.name, g_last_said.c_str());
}

const std::string& LastSaid() { return g_last_said; }

std::string WhyFailed(int papi_code) {
  // PAPI_EINVAL with PAPI's own library, which has no such message.
  char sentence[1024];
  if (csink_papi_last_message(sentence, sizeof sentence) == PAPI_OK && sentence[0] != '\0') {
    return sentence;
  }
  const char* words = PAPI_strerror(papi_code);
  return words ? words : "PAPI error " + std::to_string(papi_code);
}

void SayCode(const Tool& tool, std::string_view text, int papi_code) {
  const std::string why = WhyFailed(papi_code);  // before another call replaces it
  Say(tool, std::string(text) + ": " + why);
}

int Misuse(const Tool& tool) {
  Say(tool, std::string("'") + tool.name + " --help' shows the options");
  return kMisuse;
}

}  // namespace csink::utils
