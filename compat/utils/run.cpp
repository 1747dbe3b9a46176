#include "compat/utils/run.h"

#include <papi.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <string>

#include "compat/utils/help.h"
#include "compat/utils/message.h"

namespace csink::utils {
namespace {

int Answer(const Tool& tool, int argc, char** argv, int (*body)(const Arguments&)) {
  const auto arguments = ReadArguments(tool, argc, argv);
  if (!arguments) return kMisuse;
  const bool help = arguments->Has(kHelpOption);
  if (!help && !arguments->Has(kManOption)) return body(*arguments);
  const std::string text = help ? HelpText(tool) : ManPage(tool);
  std::fwrite(text.data(), 1, text.size(), stdout);
  return kFine;
}

/// A pipe or file gets whole pages instead of single ones.
void BufferOutput() {
  static char buffer[1 << 16];
  std::setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
}

}  // namespace

int RunTool(const Tool& tool, int argc, char** argv, int (*body)(const Arguments&)) {
  BufferOutput();
  int status = kFailed;
  try {
    status = Answer(tool, argc, argv, body);
  } catch (const std::exception& error) {
    Say(tool, error.what());
  }
  if (std::fflush(stdout) == 0 && !std::ferror(stdout)) return status;
  Say(tool, std::string("not everything could be written: ") + std::strerror(errno));
  return status == kFine ? kFailed : status;
}

bool StartLibrary(const Tool& tool) {
  const int code = PAPI_library_init(PAPI_VER_CURRENT);
  if (code == PAPI_VER_CURRENT) return true;
  if (code > 0) {
    Say(tool, "libpapi.so has another version than this tool; see LD_LIBRARY_PATH");
  } else {
    SayCode(tool, "the library does not start", code);
  }
  return false;
}

}  // namespace csink::utils
