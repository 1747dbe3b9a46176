#include "compat/utils/run.h"

#include <fcntl.h>
#include <papi.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>

#include "compat/utils/json.h"
#include "compat/utils/message.h"
#include "core/version/version.h"

/// File: what all tools do alike: the command line, help, buffering, and failures to write. A tool
/// that fills a pipe or a disk must not report success.

namespace csink::utils {
namespace {

/// The exit code of the tool. With --json a failure without an object gets one with its reason.
int Answer(const Tool& tool, int argc, char** argv, int (*body)(const Arguments&)) {
  const auto arguments = ReadArguments(tool, argc, argv);
  if (!arguments) return kMisuse;
  const bool help = arguments->Has(kHelpOption);
  if (!help && arguments->Has(kVersionOption)) {
    std::printf("%s (Countersink) %s\n", tool.name, VersionText());
    return kFine;
  }
  if (!help && !arguments->Has(kManOption)) {
    const int status = body(*arguments);
    // Wrong use has no object: the command line may not even have been understood.
    if (arguments->json() && status == kFailed) PrintErrorAsJson(tool);
    return status;
  }
  const std::string text = help ? HelpText(tool) : ManPage(tool);
  std::fwrite(text.data(), 1, text.size(), stdout);
  return kFine;
}

/// Pipes and files get large writes instead of single lines.
void BufferOutput() {
  static char buffer[1 << 16];
  std::setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
}

/// Occupies closed descriptors 0 to 2: otherwise an event's descriptor could get such a number, and
/// text would be written into it.
void OccupyStandardDescriptors() {
  for (int fd = 0; fd <= 2; ++fd) {
    if (fcntl(fd, F_GETFD) < 0) (void)open("/dev/null", O_RDONLY);  // read only: writes still fail
  }
}

}  // namespace

int RunTool(const Tool& tool, int argc, char** argv, int (*body)(const Arguments&)) {
  OccupyStandardDescriptors();
  BufferOutput();
  // An exception leaves this status.
  int status = kFailed;
  try {
    status = Answer(tool, argc, argv, body);
  } catch (const std::exception& error) {
    Say(tool, error.what());
  }
  // A full disk shows here at the latest, because of the large buffer. ferror: an earlier write of
  // the same run may have failed.
  if (std::fflush(stdout) == 0 && !std::ferror(stdout)) return status;
  Say(tool, std::string("the output could not be written completely: ") + std::strerror(errno));
  return status == kFine ? kFailed : status;
}

namespace {

/// Prints errors in the user's event files. The library reads the files when a preset is first
/// described, and reports errors only with a debug level above PAPI_QUIET.
void TellFaultsOfEventFiles() {
  if (!std::getenv("PAPI_USER_EVENTS_FILE") && !std::getenv("PAPI_CSV_EVENT_FILE")) return;
  // Only while a preset is described, which makes the library read the files.
  PAPI_set_debug(PAPI_VERB_ECONT);
  PAPI_event_info_t info;
  PAPI_get_event_info(PAPI_TOT_CYC, &info);
  PAPI_set_debug(PAPI_QUIET);
}

}  // namespace

bool StartLibrary(const Tool& tool) {
  const int code = PAPI_library_init(PAPI_VER_CURRENT);
  if (code == PAPI_VER_CURRENT) return TellFaultsOfEventFiles(), true;
  // A positive result is the version of another library (man page of PAPI_library_init).
  if (code > 0) {
    Say(tool, "libpapi.so and this tool have different versions; check LD_LIBRARY_PATH");
  } else {
    SayCode(tool, "the library cannot be initialized", code);
  }
  return false;
}

}  // namespace csink::utils
