#include "compat/utils/papi_native_avail/tool.h"

/// File: papi_native_avail's options and texts. The kinds of Itanium are accepted because PAPI's
/// tool has them.

namespace csink::utils::native {
namespace {

constexpr Option kGeneral[] = {
    {'e', nullptr, "EVENT",
     "Explain one event completely: description, unit masks and modifiers, groups, defaults, fixed "
     "values, codes, and the values of perf_event_attr."},
    {'i', nullptr, "TEXT", "List only events whose names contain TEXT."},
    {'x', nullptr, "TEXT", "List no events whose names contain TEXT."},
    {'c', "check", nullptr,
     "Test each event, or one of its unit masks, by adding it to an event set. Events that cannot "
     "be added are marked <NA>."},
    {kNoQualifiers, "noqual", nullptr, "Do not show unit masks and modifiers."},
    {kNoGroups, "nogroups", nullptr,
     "Do not show groups, defaults and fixed values of unit masks."},
    {kPatterns, "patterns", nullptr,
     "Show the bit pattern of each event that needs no unit mask: type and config values of "
     "perf_event_attr."},
    {kSde, "sde", "FILE",
     "First have the library or program FILE, and the libraries that it needs, register their "
     "software-defined events; needs libsde.so.1. Written -sde FILE, too.",
     true},
};
constexpr Option kItanium[] = {
    {kDataRange, "darr", nullptr, "Events that a range of data addresses restricts."},
    {kDataAddress, "dear", nullptr, "Data event address register events."},
    {kInstructionRange, "iarr", nullptr, "Events that a range of instructions restricts."},
    {kInstructionAddress, "iear", nullptr, "Instruction event address register events."},
    {kOpcodeMatch, "opcm", nullptr, "Events that an opcode match restricts."},
};
constexpr OptionGroup kGroups[] = {
    {"Options", kGeneral},
    {"Show only events of a kind that only Itanium processors have", kItanium}};
constexpr ExitCode kExits[] = {
    {0, "events are listed, or EVENT is explained"},
    {1, "the library does not answer, no event matches, or EVENT is unknown"}};
constexpr const char* kSeeAlso[] = {"papi_avail", "papi_component_avail", "papi_event_chooser"};
// The help explains the two lines that PAPI's tool does not have.
constexpr Section kSections[] = {
    {"Groups",
     "Unit masks are in groups. At least one member of each group must be in an event's name, or "
     "the group has a default. Some masks fix modifiers, which then cannot be changed. The "
     "qualifiers of each event with unit masks are followed by lines such as\n    Group 0, default "
     "ANY_REQUEST: DMND_DATA_RD DMND_RFO ...\n    Fixed: STALLS_TOTAL:c=4"}};

}  // namespace

const constinit Tool kTool = {
    .name = "papi_native_avail",
    .line = "list native events, and explain one",
    .description =
        "Native events are those of one processor, kernel or device. Each event is listed with its "
        "name, its description, its unit masks (which choose what is counted) and its modifiers "
        "(which choose how). Unit masks and modifiers are appended to the name, each with a colon; "
        "a modifier that is listed as :c=0 has a number as value, with the default 0.\n\nAn event "
        "is listed if the library has it; with -c each event is also tested.",
    .json_text =
        "\"hardware\", \"events\" and \"count\". An event has component, name, code, description, "
        "units, qualifiers (name, description), countable with -c, and pattern (type, config, "
        "config1, config2) unless it needs a unit mask. With -e there is \"event\" instead, with "
        "groups and attributes in the format of csink_event_attributes_json(). If cycles cannot be "
        "counted, \"hint\" gives the reason and the events that can be counted.",
    .groups = kGroups,
    .exits = kExits,
    .sections = kSections,
    .see_also = kSeeAlso};

}  // namespace csink::utils::native
