/// Program: papi_version. PAPI's own tool prints the header's version, which says nothing of the
/// library that a program gets. The library is not initialised: PAPI_LIB_VERSION can be read
/// before.

#include <papi.h>

#include <cstdio>

#include "compat/utils/json.h"
#include "compat/utils/message.h"
#include "compat/utils/options.h"
#include "compat/utils/run.h"
#include "core/version/number.h"

namespace csink::utils {
namespace {

constexpr ExitCode kExits[] = {{0, "the version is shown"}};
constexpr const char* kSeeAlso[] = {"papi_component_avail"};
constexpr Tool kTool = {
    .name = "papi_version",
    .line = "show the version of the PAPI library",
    .operands = "[TESTS_QUIET]",
    .description =
        "Prints the version of the interface that libpapi.so reports. If the header that this tool "
        "was compiled with has another version, a message is printed on standard error.",
    .json_text =
        "\"library\" and \"header\", each as text; \"number\", the library's "
        "as PAPI_VERSION has it; and \"countersink\", the version of this tool.",
    .exits = kExits,
    .see_also = kSeeAlso};

/// "7.0.1.0", the four parts of PAPI_VERSION.
std::string Text(int version) {
  return std::to_string(PAPI_VERSION_MAJOR(version)) + '.' +
         std::to_string(PAPI_VERSION_MINOR(version)) + '.' +
         std::to_string(PAPI_VERSION_REVISION(version)) + '.' +
         std::to_string(PAPI_VERSION_INCREMENT(version));
}

/// The library's version; the header's if the library does not report one.
int LibraryVersion() {
  const int version = PAPI_get_opt(PAPI_LIB_VERSION, nullptr);
  return version > 0 ? version : PAPI_VERSION;
}

int Run(const Arguments& arguments) {
  if (!TakesNothingElse(kTool, arguments)) return kMisuse;
  const int version = LibraryVersion();
  if (arguments.json()) {
    nlohmann::ordered_json object = JsonHead(kTool);
    object["library"] = Text(version);
    object["header"] = Text(PAPI_VERSION);
    object["number"] = version;
    object["countersink"] = CSINK_VERSION;
    PrintJson(object);
    return kFine;
  }
  std::printf("PAPI Version: %s\n", Text(version).c_str());
  if (version != PAPI_VERSION) Say(kTool, "compiled with the header of " + Text(PAPI_VERSION));
  return kFine;
}

}  // namespace
}  // namespace csink::utils

int main(int argc, char** argv) {
  return csink::utils::RunTool(csink::utils::kTool, argc, argv, csink::utils::Run);
}
