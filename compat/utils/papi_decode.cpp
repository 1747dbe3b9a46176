/// Program: papi_decode. The format is that of PAPI_encode_events in PAPI 3.5's manual: a line of
/// field names, an empty line, a line for each preset.

#include <papi.h>

#include <algorithm>
#include <cstdio>
#include <string>

#include "compat/utils/json.h"
#include "compat/utils/message.h"
#include "compat/utils/options.h"
#include "compat/utils/run.h"

namespace csink::utils {
namespace {

constexpr Option kOptions[] = {
    {'a', "available", nullptr, "Write only the presets that can be counted on this machine."},
};
constexpr OptionGroup kGroups[] = {{"Options", kOptions}};
constexpr ExitCode kExits[] = {{0, "the presets were written; with -a the list may be empty"},
                               {1, "the library cannot be initialized"}};
constexpr Section kSections[] = {
    {"Format",
     "The first line has the names of the fields, the second line is empty. Then each preset has a "
     "line: the name; the derivation (NOT_DERIVED, DERIVED_ADD, ...); the formula of "
     "DERIVED_POSTFIX; a short and a long description and a note, in quotation marks (a quotation "
     "mark inside is doubled); and all native events. To change a preset:\n\n   papi_decode -a > "
     "events.csv\n   (edit events.csv)\n   PAPI_encode_events(\"events.csv\", 1) in the program, "
     "after PAPI_library_init"}};
constexpr const char* kSeeAlso[] = {"papi_avail"};
constexpr Tool kTool = {
    .name = "papi_decode",
    .line = "write the preset events as a table that PAPI_encode_events reads",
    .operands = "[TESTS_QUIET]",
    .description =
        "Prints the definitions of all presets of this processor as comma-separated "
        "values. A preset that the processor does not have gets a line without native events.",
    .json_text = "\"presets\": name, derived, postfix, short, long, note, available, natives.",
    .groups = kGroups,
    .exits = kExits,
    .sections = kSections,
    .see_also = kSeeAlso};

/// A text in quotation marks; "" for an empty text.
std::string Quoted(const char* text) {
  if (*text == '\0') return "";
  std::string quoted = "\"";
  for (; *text != '\0'; ++text) {
    if (*text == '"') quoted += '"';
    quoted += *text;
  }
  return quoted + '"';
}

/// A text unchanged, or in quotation marks if it contains a comma or a quotation mark.
std::string Plain(const char* text) {
  const std::string plain = text;
  return plain.find_first_of(",\"") == plain.npos ? plain : Quoted(text);
}

/// Bounded by the array: `count` comes from the library.
unsigned Terms(const PAPI_event_info_t& event) {
  return std::min<unsigned>(event.count, PAPI_MAX_INFO_TERMS);
}

/// Descriptions and the note are always quoted, the other fields only where they must be.
void PrintLine(const PAPI_event_info_t& event) {
  std::string line = Plain(event.symbol) + ',' + Plain(event.derived) + ',' + Plain(event.postfix) +
                     ',' + Quoted(event.short_descr) + ',' + Quoted(event.long_descr) + ',' +
                     Quoted(event.note);
  for (unsigned i = 0; i < Terms(event); ++i) line += ',' + Plain(event.name[i]);
  std::puts(line.c_str());
}

/// The fields of the line under their names.
nlohmann::ordered_json EventJson(const PAPI_event_info_t& event) {
  auto natives = nlohmann::ordered_json::array();
  for (unsigned i = 0; i < Terms(event); ++i) natives.push_back(event.name[i]);
  return {{"name", event.symbol},         {"derived", event.derived}, {"postfix", event.postfix},
          {"short", event.short_descr},   {"long", event.long_descr}, {"note", event.note},
          {"available", event.count > 0}, {"natives", natives}};
}

/// Calls `use` for each preset, or for each available one. Returns their number.
template <class Use>
int ForEachPreset(bool available, Use use) {
  int count = 0;
  int code = static_cast<int>(PAPI_PRESET_MASK);
  if (PAPI_enum_event(&code, PAPI_ENUM_FIRST) != PAPI_OK) return count;
  do {
    PAPI_event_info_t event = {};
    // Without -a presets that this processor lacks are listed, too: an edited file may define them.
    if (PAPI_get_event_info(code, &event) != PAPI_OK || (available && event.count == 0)) continue;
    use(event);
    ++count;
  } while (PAPI_enum_event(&code, PAPI_ENUM_EVENTS) == PAPI_OK);
  return count;
}

int Run(const Arguments& arguments) {
  if (!TakesNothingElse(kTool, arguments)) return kMisuse;
  if (!StartLibrary(kTool)) return kFailed;
  const bool available = arguments.Has('a');
  int count = 0;
  if (arguments.json()) {
    nlohmann::ordered_json object = JsonHead(kTool);
    object["presets"] = nlohmann::ordered_json::array();
    count = ForEachPreset(
        available, [&](const auto& event) { object["presets"].push_back(EventJson(event)); });
    PrintJson(object);
  } else {
    // The first line must have these words: PAPI_encode_events recognises the format by it. An
    // empty line follows, as in PAPI 3.5's manual.
    std::puts("name,derived,postfix,short_descr,long_descr,note,[native,...]\n");
    count = ForEachPreset(available, PrintLine);
  }
  // Only with -a: otherwise every preset has a line.
  if (count == 0) Say(kTool, "no preset is available on this machine; papi_avail shows the reason");
  return kFine;
}

}  // namespace
}  // namespace csink::utils

int main(int argc, char** argv) {
  return csink::utils::RunTool(csink::utils::kTool, argc, argv, csink::utils::Run);
}
