#include "compat/utils/papi_native_avail/listing.h"

#include <cstdio>
#include <string>

#include "compat/utils/events.h"
#include "compat/utils/papi_native_avail/attributes.h"
#include "compat/utils/papi_native_avail/tool.h"
#include "compat/utils/text.h"

/// File: papi_native_avail's boxes in the layout of papi-tools 7.0: descriptions are cut at 66
/// characters whatever the words are. Lines of ours (bit patterns, groups) are filled at blanks.

namespace csink::utils::native {
namespace {

constexpr char kDoubleRule[] =
    "===============================================================================";
constexpr char kRule[] =
    "--------------------------------------------------------------------------------\n";
constexpr std::size_t kTextWidth = 66;   // of descriptions, which are cut at any character
constexpr std::size_t kGroupWidth = 73;  // of additional lines

/// Prints a description as lines "|            text   |". If the text fills its last line, an empty
/// line follows, as in PAPI's own tool.
void PrintDescription(std::string_view text) {
  for (bool more = true; more;) {
    const std::string_view part = text.substr(0, kTextWidth);
    more = part.size() == kTextWidth;
    text.remove_prefix(part.size());
    std::printf("|            %-66.*s|\n", static_cast<int>(part.size()), part.data());
  }
}

/// Events of devices have units; others print no line.
void PrintUnits(const char* units) {
  if (*units) std::printf("|     Units: %-66s|\n", units);
}

/// An additional line, broken at blanks; continued lines are indented by two.
void PrintLine(std::string_view line) {
  const std::string filled = Filled(line, 2, 0, kGroupWidth);
  // Filled breaks the line, and each part gets its own bars.
  for (std::string_view rest = filled; !rest.empty();) {
    const std::string_view one = rest.substr(0, rest.find('\n'));
    std::printf("|     %-73.*s|\n", static_cast<int>(one.size()), one.data());
    rest.remove_prefix(std::min(one.size() + 1, rest.size()));
  }
}

/// Prints the qualifiers. False: the event has no unit masks.
bool PrintQualifiers(const PAPI_event_info_t& event) {
  bool has_masks = false;
  for (Qualifiers qualifiers(event); qualifiers.Next();) {
    const std::string_view name = qualifiers.name();
    std::printf("|     %-73.*s|\n", static_cast<int>(name.size()), name.data());
    PrintDescription(qualifiers.description());
    PrintUnits(qualifiers.units());
    // Modifiers alone, which nearly all events have, belong to no group.
    has_masks |= qualifiers.is_unit_mask();
  }
  return has_masks;
}

/// The values of perf_event_attr (--patterns).
void PrintPattern(const PAPI_event_info_t& event) {
  const auto pattern = PatternOf(static_cast<int>(event.event_code));
  if (!pattern) return;
  char line[120];
  std::snprintf(line, sizeof line, "Pattern: type %#x config %#llx config1 %#llx config2 %#llx",
                pattern->type, pattern->config, pattern->config1, pattern->config2);
  PrintLine(line);
}

/// Groups are printed only for an event with unit masks: others have none.
void PrintEvent(const Listing& listing, const PAPI_event_info_t& event) {
  // -c: at the end of the name's line.
  const char* mark = listing.checked && !IsCountable(event) ? "<NA>" : "";
  std::printf("| %s%-73s%s%4s|\n", Colour().bold, event.symbol, Colour().off, mark);
  PrintDescription(event.long_descr);
  PrintUnits(event.units);
  if (listing.patterns) PrintPattern(event);
  if (!listing.qualifiers || !PrintQualifiers(event) || !listing.groups) return;
  const AttributeLibrary* library = AttributeLibrary::Get();
  if (library == nullptr) return;
  for (const std::string& line : library->GroupLines(event.symbol)) PrintLine(line);
}

}  // namespace

Listing Listing::Of(const Arguments& arguments) {
  Listing listing;
  listing.include = arguments.Value('i');
  listing.exclude = arguments.Value('x');
  listing.qualifiers = !arguments.Has(kNoQualifiers);
  listing.groups = !arguments.Has(kNoGroups);
  listing.patterns = arguments.Has(kPatterns);
  listing.checked = arguments.Has('c');
  listing.modifier = PAPI_ENUM_EVENTS;
  // The kinds of events that only Itanium had.
  constexpr struct {
    int option, modifier;
  } kKinds[] = {{kDataRange, PAPI_NTV_ENUM_DARR},
                {kDataAddress, PAPI_NTV_ENUM_DEAR},
                {kInstructionRange, PAPI_NTV_ENUM_IARR},
                {kInstructionAddress, PAPI_NTV_ENUM_IEAR},
                {kOpcodeMatch, PAPI_NTV_ENUM_OPCM}};
  for (const auto& kind : kKinds) {
    if (arguments.Has(kind.option)) listing.modifier = kind.modifier;
  }
  return listing;
}

/// Texts are compared as they are: no patterns, upper and lower case differ.
bool Listing::Takes(std::string_view name) const {
  return (!include || name.find(include) != name.npos) &&
         (!exclude || name.find(exclude) == name.npos);
}

void ForEachEvent(const Listing& listing,
                  const std::function<void(const PAPI_component_info_t&)>& begin,
                  const std::function<void(const PAPI_event_info_t&)>& use) {
  PAPI_event_info_t event;
  for (const NumberedComponent& component : StartedComponents()) {
    // PAPI_enum_cmp_event fails for a disabled component.
    if (component->disabled) continue;
    begin(*component);
    // PAPI_ENUM_FIRST would succeed for a kind of events that does not exist; enumerating by the
    // kind fails at once.
    const bool all = listing.modifier == PAPI_ENUM_EVENTS;
    int code = PAPI_NATIVE_MASK;
    int found =
        PAPI_enum_cmp_event(&code, all ? PAPI_ENUM_FIRST : listing.modifier, component.index);
    for (; found == PAPI_OK;
         found = PAPI_enum_cmp_event(&code, listing.modifier, component.index)) {
      if (PAPI_get_event_info(code, &event) == PAPI_OK && listing.Takes(event.symbol)) use(event);
    }
  }
}

int PrintEvents(const Listing& listing) {
  int count = 0;
  bool first = true;
  ForEachEvent(
      listing,
      [&](const PAPI_component_info_t& component) {
        std::printf("%s\n Native Events in Component: %s\n%s\n", kDoubleRule, component.name,
                    kDoubleRule);
        first = true;
      },
      [&](const PAPI_event_info_t& event) {
        if (!first) std::fputs(kRule, stdout);
        PrintEvent(listing, event);
        first = false;
        ++count;
      });
  // A rule is printed between events and after the last one.
  if (!first) std::fputs(kRule, stdout);
  return count;
}

}  // namespace csink::utils::native
