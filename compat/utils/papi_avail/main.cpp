/// Program: papi_avail. A machine that counts no preset is no failure, also with -a, as scripts
/// expect that were written for PAPI's own. The tool says why, and what can be counted.

#include <papi.h>

#include <cstdio>

#include "compat/utils/header.h"
#include "compat/utils/hint.h"
#include "compat/utils/json.h"
#include "compat/utils/papi_avail/listing.h"
#include "compat/utils/papi_avail/output.h"
#include "compat/utils/run.h"

namespace csink::utils::avail {
namespace {

constexpr char kTitle[] =
    "Available PAPI preset and user defined events plus hardware information.";

/// One object: the event `name`, or the list with a hint where nothing can be counted.
int AnswerInJson(const char* name, const Listing& listing) {
  nlohmann::ordered_json object = JsonHead(kTool);
  object["hardware"] = HardwareJson();
  bool fine = true;
  if (name) {
    fine = ExplainJson(name, object);
  } else if (ListJson(listing, object).available == 0) {
    object["hint"] = HintJson(FindHint(PAPI_TOT_CYC));
  }
  PrintJson(object);
  return fine ? kFine : kFailed;
}

/// The head, then the event `name` or the tables.
int AnswerInText(const char* name, const Listing& listing) {
  if (!PrintHeader(kTool, kTitle)) return kFailed;
  if (name) return Explain(name) ? kFine : kFailed;
  const Counts counts = PrintEvents(listing);
  PrintCounts(listing, counts);
  if (counts.available != 0) return kFine;
  PrintHint(FindHint(PAPI_TOT_CYC));
  return kFine;
}

int Run(const Arguments& arguments) {
  if (!StartLibrary(kTool)) return kFailed;
  const Listing listing = Listing::Of(arguments);
  const char* name = arguments.Value('e');
  return arguments.json() ? AnswerInJson(name, listing) : AnswerInText(name, listing);
}

}  // namespace
}  // namespace csink::utils::avail

int main(int argc, char** argv) {
  return csink::utils::RunTool(csink::utils::avail::kTool, argc, argv, csink::utils::avail::Run);
}
