#include <algorithm>
#include <cstdio>
#include <string>

#include "compat/utils/events.h"
#include "compat/utils/message.h"
#include "compat/utils/native_event.h"
#include "compat/utils/papi_native_avail/attributes.h"
#include "compat/utils/papi_native_avail/output.h"
#include "compat/utils/papi_native_avail/tool.h"

/// File: papi_native_avail -e: PAPI's lines first, then what only our libraries know: the bit
/// pattern, whether the event can be counted, and groups and defaults of its attributes. An event
/// that lacks a unit mask is unknown to PAPI_event_name_to_code (PAPI_EATTR), but its attributes
/// can be explained.

namespace csink::utils::native {
namespace {

/// True if the name contains attributes after the event's own name.
bool HasAttributes(std::string_view name) {
  const std::size_t prefix = name.find("::");
  if (prefix != name.npos) {
    name.remove_prefix(std::min(name.size(), name.find_first_not_of(':', prefix)));
  }
  return name.find(':') != name.npos;
}

/// What looking up a name gave.
struct Found {
  int papi_code = PAPI_OK;  ///< result of looking up the name
  std::string why;
  bool known = false;
  PAPI_event_info_t event = {};
};

/// Looks up the name and keeps the reason of a failure, which the next call would replace.
Found Find(const char* name) {
  Found found;
  int code = 0;
  found.papi_code = PAPI_event_name_to_code(name, &code);
  if (found.papi_code == PAPI_OK && IS_NATIVE(static_cast<unsigned>(code)) == 0) {
    found.papi_code = PAPI_ENOEVNT;
    found.why = "this is not a native event; papi_avail explains it";
    return found;
  }
  if (found.papi_code != PAPI_OK) found.why = WhyFailed(found.papi_code);
  found.known = found.papi_code == PAPI_OK && PAPI_get_event_info(code, &found.event) == PAPI_OK;
  return found;
}

/// For an event without attributes in its name: otherwise the next ones would be listed.
void PrintQualifiers(const PAPI_event_info_t& event) {
  bool titled = false;
  for (Qualifiers qualifiers(event); qualifiers.Next();) {
    if (!titled) std::puts("\nQualifiers:         Name -- Description");
    titled = true;
    const std::string name(qualifiers.name());
    std::printf("      Info:   %10s -- %s\n", name.c_str(),
                std::string(qualifiers.description()).c_str());
  }
}

/// The values of perf_event_attr. Nothing for an event that the kernel does not encode.
void PrintPattern(int code) {
  const auto pattern = PatternOf(code);
  if (!pattern) return;
  std::printf("\nBit pattern:    type %#x config %#llx config1 %#llx config2 %#llx\n",
              pattern->type, pattern->config, pattern->config1, pattern->config2);
}

/// The reason is the library's message about the event without a unit mask.
void PrintWhetherCountable(const PAPI_event_info_t& event) {
  if (IsCountable(event)) {
    std::puts("Countable here: yes");
    return;
  }
  // Once more, for the message: IsCountable has tried other unit masks since.
  EventSet set;
  const int code = set.Add(static_cast<int>(event.event_code));
  std::printf("Countable here: no: %s\n", WhyFailed(code).c_str());
}

}  // namespace

bool Explain(const char* name) {
  const Found found = Find(name);
  const AttributeLibrary* library = AttributeLibrary::Get();
  const auto attributes = library ? library->Text(name) : std::nullopt;
  if (!found.known && !(attributes && found.papi_code == PAPI_EATTR)) {
    std::printf("Sorry, an event by the name '%s' could not be found.\nIs it typed correctly?\n\n",
                name);
    Say(kTool, found.why);
    return false;
  }
  std::printf("Event name:     %s\n", found.known ? found.event.symbol : name);
  if (found.known) {
    std::printf("Description:    %s\n", found.event.long_descr);
    if (!HasAttributes(found.event.symbol)) PrintQualifiers(found.event);
    PrintPattern(static_cast<int>(found.event.event_code));
    PrintWhetherCountable(found.event);
  } else {
    std::printf("As it is:       not usable: %s\n", found.why.c_str());
  }
  // Last, behind PAPI's own lines: groups, defaults and codes of the attributes.
  if (attributes) std::printf("\n%s", attributes->c_str());
  return found.known || !HasAttributes(name);  // unknown and with attributes: one of them is wrong
}

bool ExplainJson(const char* name, nlohmann::ordered_json& object) {
  const Found found = Find(name);
  const AttributeLibrary* library = AttributeLibrary::Get();
  const auto attributes = library ? library->Json(name) : std::nullopt;
  // The text comes from the library beside ours: a parse error gives a value without members.
  const auto parsed = attributes ? nlohmann::ordered_json::parse(*attributes, nullptr, false)
                                 : nlohmann::ordered_json();
  // The name is right but lacks a unit mask.
  const bool incomplete = found.papi_code == PAPI_EATTR && parsed.contains("attributes");
  if (!found.known) object["error"] = found.why;
  if (!found.known && !incomplete) return false;
  nlohmann::ordered_json& event = object["event"] = nlohmann::ordered_json::object();
  if (found.known) {
    event = EventJson(found.event);
    event["countable"] = IsCountable(found.event);
  }
  // The other members repeat what EventJson has.
  for (const char* key : {"groups", "attributes"}) {
    if (parsed.contains(key)) event[key] = parsed[key];
  }
  return found.known || !HasAttributes(name);
}

}  // namespace csink::utils::native
