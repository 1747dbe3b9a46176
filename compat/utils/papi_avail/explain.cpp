#include <papi.h>

#include <cstdio>
#include <cstring>
#include <string>

#include "compat/utils/message.h"
#include "compat/utils/native_event.h"
#include "compat/utils/papi_avail/listing.h"
#include "compat/utils/papi_avail/output.h"

/// File: papi_avail -e: everything about one event, in the layout of papi-tools 7.0. The text of
/// PAPI's tool comes first in each case; reasons go to stderr.

namespace csink::utils::avail {
namespace {

constexpr char kRule[] =
    "--------------------------------------------------------------------------------";

/// Presets and user events have the highest bit.
bool IsNative(int code) { return (static_cast<unsigned>(code) & PAPI_PRESET_MASK) == 0; }

/// Prints the register values of a native event. PAPI 7 has none (count 0); PAPI 3 had the contents
/// of registers.
void PrintRegisters(const PAPI_event_info_t& native, const char* format) {
  for (unsigned i = 0; i < native.count; ++i) {
    std::printf(format, static_cast<int>(i), native.code[i], native.name[i]);
  }
}

/// Prints the unit masks of an event. As in PAPI's own tool, only for names without a colon.
void PrintUnitMasks(const char* name, int code) {
  if (std::strchr(name, ':')) return;
  PAPI_event_info_t mask;
  bool titled = false;
  for (int next = code; PAPI_enum_event(&next, PAPI_NTV_ENUM_UMASKS) == PAPI_OK;) {
    if (PAPI_get_event_info(next, &mask) != PAPI_OK) continue;
    if (!titled) std::puts("\nUnit Masks:");
    titled = true;
    const char* colon = std::strchr(mask.symbol, ':');
    std::printf("%-29s|%s|%s|\n", " Mask Info:", colon ? colon : mask.symbol, mask.long_descr);
    PrintRegisters(mask, "  Register[%2d]:  %#08x  |%s|\n");
  }
}

/// The name as the user gave it decides whether unit masks are listed.
void ExplainNative(const char* name, const PAPI_event_info_t& event) {
  std::printf("%-30s%d\n", "Number of Register Values:", static_cast<int>(event.count));
  PrintRegisters(event, " Register[%2d]: %#08x |%s|\n");
  std::printf("%-29s|%s|\n", "Description:", event.long_descr);
  PrintUnitMasks(name, static_cast<int>(event.event_code));
}

/// The native events of a preset, each with its description.
void ExplainTerms(const PAPI_event_info_t& event) {
  PAPI_event_info_t native;
  for (unsigned i = 0; i < event.count; ++i) {
    std::printf(" Native Code[%d]: %#x |%s|\n", static_cast<int>(i), event.code[i], event.name[i]);
    if (PAPI_get_event_info(static_cast<int>(event.code[i]), &native) != PAPI_OK) continue;
    std::printf(" Number of Register Values: %d\n", static_cast<int>(native.count));
    PrintRegisters(native, " Register[%2d]: %#08x |%s|\n");
    std::printf(" Native Event Description: |%s|\n\n", native.long_descr);
  }
}

/// Returns whether the preset can be counted: it has native events here.
bool ExplainPreset(const PAPI_event_info_t& event) {
  std::printf("%-30s%d\n", "Number of Native Events:", static_cast<int>(event.count));
  std::printf("%-29s|%s|\n", "Short Description:", event.short_descr);
  std::printf("%-29s|%s|\n", "Long Description:", event.long_descr);
  std::printf("%-29s|%s|\n", "Developer's Notes:", event.note);
  std::printf("%-29s|%s|\n", "Derived Type:", event.derived);
  std::printf("%-29s|%s|\n", "Postfix Processing String:", event.postfix);
  ExplainTerms(event);
  if (event.count != 0) return true;
  std::printf("\nPRESET event %s is NOT available on this architecture!\n\n", event.symbol);
  return false;
}

/// PAPI's code of the first call that failed.
int Find(const char* name, PAPI_event_info_t& event) {
  int code = 0;
  const int found = PAPI_event_name_to_code(name, &code);
  return found == PAPI_OK ? PAPI_get_event_info(code, &event) : found;
}

}  // namespace

bool Explain(const char* name) {
  PAPI_event_info_t event;
  bool countable = false;
  const int found = Find(name, event);
  // Before anything else is called, since the library keeps only the last message.
  const std::string why = found == PAPI_OK ? "" : WhyFailed(found);
  if (found == PAPI_OK) {
    std::printf("%-30s%s\n%-30s%#-10x\n", "Event name:", event.symbol,
                "Event Code:", event.event_code);
    if (IsNative(static_cast<int>(event.event_code))) {
      ExplainNative(name, event);
      countable = IsCountable(event);
    } else {
      countable = ExplainPreset(event);
    }
  } else {
    std::printf("Sorry, an event by the name '%s' could not be found.\n Is it typed correctly?\n\n",
                name);
    Say(kTool, why);
  }
  std::puts(kRule);
  return countable;
}

bool ExplainJson(const char* name, nlohmann::ordered_json& object) {
  PAPI_event_info_t event;
  if (const int found = Find(name, event); found != PAPI_OK) {
    object["error"] = WhyFailed(found);
    return false;
  }
  // A preset is counted by its native events, a native event is tried.
  const bool native = IsNative(static_cast<int>(event.event_code));
  const bool countable = native ? IsCountable(event) : event.count != 0;
  object["event"] = EventJson(event);
  object["event"]["available"] = countable;
  return countable;
}

}  // namespace csink::utils::avail
