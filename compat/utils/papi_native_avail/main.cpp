/// Program: papi_native_avail. Software-defined events are registered before the library is
/// started, so that the component sde lists them.

#include <papi.h>

#include <cstdio>

#include "compat/utils/header.h"
#include "compat/utils/hint.h"
#include "compat/utils/json.h"
#include "compat/utils/papi_native_avail/listing.h"
#include "compat/utils/papi_native_avail/output.h"
#include "compat/utils/papi_native_avail/tool.h"
#include "compat/utils/run.h"

namespace csink::utils::native {
namespace {

/// True if the machine cannot count cycles: without a PMU the list has the kernel's events alone,
/// and a hint says why.
bool CountsNoCycles() { return PAPI_query_event(PAPI_TOT_CYC) != PAPI_OK; }

/// One object, also where there is nothing to list.
int AnswerInJson(const char* name, const Listing& listing) {
  nlohmann::ordered_json object = JsonHead(kTool);
  object["hardware"] = HardwareJson();
  const bool fine = name ? ExplainJson(name, object) : ListJson(listing, object) != 0;
  if (!name && CountsNoCycles()) object["hint"] = HintJson(FindHint(PAPI_TOT_CYC));
  PrintJson(object);
  // An empty list is a failure, also where -i or -x left nothing.
  return fine ? kFine : kFailed;
}

/// The head, then the event `name` or the list.
int AnswerInText(const char* name, const Listing& listing) {
  if (!PrintHeader(kTool, "Available native events and hardware information.")) return kFailed;
  if (name) return Explain(name) ? kFine : kFailed;
  const int count = PrintEvents(listing);
  std::printf("\nTotal events reported: %d\n", count);
  if (CountsNoCycles()) PrintHint(FindHint(PAPI_TOT_CYC));
  if (count != 0) return kFine;
  std::puts("\nNo events detected!  Check papi_component_avail to find out why.\n");
  return kFailed;
}

int Run(const Arguments& arguments) {
  const char* registrant = arguments.Value(kSde);
  if (registrant && !RegisterSoftwareEvents(registrant)) return kFailed;
  if (!StartLibrary(kTool)) return kFailed;
  const Listing listing = Listing::Of(arguments);
  const char* name = arguments.Value('e');
  return arguments.json() ? AnswerInJson(name, listing) : AnswerInText(name, listing);
}

}  // namespace
}  // namespace csink::utils::native

int main(int argc, char** argv) {
  return csink::utils::RunTool(csink::utils::native::kTool, argc, argv, csink::utils::native::Run);
}
