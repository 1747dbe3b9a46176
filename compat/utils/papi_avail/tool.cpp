#include <papi.h>

#include "compat/utils/papi_avail/listing.h"

/// File: papi_avail's options and texts. The ids of the classes are the numbers of
/// PAPI_PRESET_ENUM_*, so that Listing::Of computes the class's bit from the id.

namespace csink::utils::avail {
namespace {

constexpr Option kGeneral[] = {
    {'a', "avail", nullptr, "List only events that can be counted on this machine."},
    {'c', "check", nullptr, "Like -a, but test each event by adding it to an event set."},
    {'d', "detail", nullptr,
     "Show everything about each event: both descriptions, note, derivation, formula, native "
     "events."},
    {'t', "table", nullptr, "Show each event in one line of a table. This is the default."},
    {'e', nullptr, "EVENT",
     "Explain one event: a preset, a user-defined or a native event. If the option is repeated, "
     "the last event is explained."},
};
constexpr Option kClasses[] = {
    {kFirstClass + PAPI_PRESET_ENUM_BR, "br", nullptr, "Branches."},
    {kFirstClass + PAPI_PRESET_ENUM_CACH, "cache", nullptr, "Caches of any level."},
    {kFirstClass + PAPI_PRESET_ENUM_CND, "cnd", nullptr, "Store-conditional instructions."},
    {kFirstClass + PAPI_PRESET_ENUM_FP, "fp", nullptr, "Floating point."},
    {kFirstClass + PAPI_PRESET_ENUM_INS, "ins", nullptr, "Instructions."},
    {kFirstClass + PAPI_PRESET_ENUM_IDL, "idl", nullptr, "Idle or stalled units."},
    {kFirstClass + PAPI_PRESET_ENUM_L1, "l1", nullptr, "The first-level cache."},
    {kFirstClass + PAPI_PRESET_ENUM_L2, "l2", nullptr, "The second-level cache."},
    {kFirstClass + PAPI_PRESET_ENUM_L3, "l3", nullptr, "The third-level cache."},
    {kFirstClass + PAPI_PRESET_ENUM_MEM, "mem", nullptr, "Memory."},
    {kFirstClass + PAPI_PRESET_ENUM_MSC, "msc", nullptr, "Everything else."},
    {kFirstClass + PAPI_PRESET_ENUM_TLB, "tlb", nullptr, "Address translation."},
};
constexpr OptionGroup kGroups[] = {
    {"Options", kGeneral},
    {"Show only preset events about (several options are combined by or)", kClasses}};
constexpr ExitCode kExits[] = {
    {0, "the events are listed, also where there is none, or EVENT can be counted"},
    {1, "the library does not answer, or EVENT is unknown or cannot be counted here"}};
constexpr const char* kSeeAlso[] = {"papi_native_avail", "papi_component_avail", "papi_decode",
                                    "papi_event_chooser"};

}  // namespace

const constinit Tool kTool = {
    .name = "papi_avail",
    .line = "list preset and user-defined events",
    .description =
        "Preset events have the same names on all machines. A machine counts the presets for which "
        "its processor has native events. User-defined events come from the file that "
        "PAPI_USER_EVENTS_FILE names.\n\nThe table has a line for each event: name, code, whether "
        "it can be counted here (with -a and -c left out), whether it is derived from several "
        "native events, description and note.",
    .json_text =
        "\"hardware\", \"events\" and \"counts\" (possible, available, derived). An event has "
        "kind, "
        "name, code, available, derived, short_description, description, note, derivation, "
        "formula and natives (name, code). With -e there is \"event\" instead, whose natives have "
        "descriptions too. If no preset can be counted, \"hint\" gives the reason and the events "
        "that can be counted.",
    .groups = kGroups,
    .exits = kExits,
    .see_also = kSeeAlso};

}  // namespace csink::utils::avail
