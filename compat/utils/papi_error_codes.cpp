/// Program: papi_error_codes. Layout of papi-tools 7.0's.

#include <papi.h>

#include <cstdio>

#include "compat/utils/json.h"
#include "compat/utils/message.h"
#include "compat/utils/options.h"
#include "compat/utils/run.h"

namespace csink::utils {
namespace {

constexpr ExitCode kExits[] = {{0, "all codes have a text"},
                               {1, "a code has no text, or the library cannot be initialized"}};
constexpr const char* kSeeAlso[] = {"papi_version"};
constexpr Tool kTool = {.name = "papi_error_codes",
                        .line = "list PAPI's error codes and their texts",
                        .operands = "[TESTS_QUIET]",
                        .description =
                            "Prints every code that PAPI's functions return, with the text of "
                            "PAPI_strerror. A code without a text is marked.",
                        .json_text = "\"codes\": code and text (null: there is none).",
                        .exits = kExits,
                        .see_also = kSeeAlso};

/// False: a code has no text.
bool PrintText() {
  // Codes are those of the header: 0 to -(PAPI_NUM_ERRORS - 1). A code without a text would mean
  // that library and header differ.
  constexpr char kLine[] = "----------------------------------";
  bool whole = true;
  std::printf("\n%s\nFor PAPI Version: %d.%d.%d.%d\n%s\n", kLine, PAPI_VERSION_MAJOR(PAPI_VERSION),
              PAPI_VERSION_MINOR(PAPI_VERSION), PAPI_VERSION_REVISION(PAPI_VERSION),
              PAPI_VERSION_INCREMENT(PAPI_VERSION), kLine);
  for (int code = 0; code > -PAPI_NUM_ERRORS; --code) {
    const char* text = PAPI_strerror(code);
    std::printf("Error code %4d: %s\n", code, text ? text : "*** no text is defined ***");
    whole = whole && text;
  }
  std::printf("There are %d error codes defined\n%s\n\n", PAPI_NUM_ERRORS, kLine);
  return whole;
}

/// The same codes, with null for a code without a text.
bool PrintAsJson() {
  bool whole = true;
  nlohmann::ordered_json object = JsonHead(kTool);
  object["codes"] = nlohmann::ordered_json::array();
  for (int code = 0; code > -PAPI_NUM_ERRORS; --code) {
    const char* text = PAPI_strerror(code);
    object["codes"].push_back(
        // null, not "": the library has no text.
        {{"code", code}, {"text", text ? nlohmann::ordered_json(text) : nlohmann::ordered_json()}});
    whole = whole && text;
  }
  PrintJson(object);
  return whole;
}

int Run(const Arguments& arguments) {
  if (!TakesNothingElse(kTool, arguments)) return kMisuse;
  if (!StartLibrary(kTool)) return kFailed;
  return (arguments.json() ? PrintAsJson() : PrintText()) ? kFine : kFailed;
}

}  // namespace
}  // namespace csink::utils

int main(int argc, char** argv) {
  return csink::utils::RunTool(csink::utils::kTool, argc, argv, csink::utils::Run);
}
