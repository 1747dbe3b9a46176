#include "compat/utils/papi_native_avail/tool.h"

/// File: papi_native_avail's options and texts. The kinds of Itanium are accepted because PAPI's
/// tool has them.

namespace csink::utils::native {
namespace {

constexpr Option kGeneral[] = {
    {'e', nullptr, "EVENT",
     "Explain one event completely: description, what may stand behind its name, groups, defaults, "
     "wired values, codes, and what the kernel is asked for."},
    {'i', nullptr, "TEXT", "List only events whose names contain TEXT."},
    {'x', nullptr, "TEXT", "List no events whose names contain TEXT."},
    {'c', "check", nullptr,
     "Add each event, or else one of its unit masks, to an event set. What cannot be added is "
     "marked <NA>."},
    {kNoQualifiers, "noqual", nullptr, "Leave out what may stand behind an event's name."},
    {kNoGroups, "nogroups", nullptr, "Leave out groups, defaults and wired values of unit masks."},
    {kPatterns, "patterns", nullptr,
     "Add the bit pattern of each event that needs no unit mask: type and config values of "
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
    {"Options", kGeneral}, {"Only events of a kind that Itanium has (elsewhere none)", kItanium}};
constexpr ExitCode kExits[] = {
    {0, "events are listed, or EVENT is explained"},
    {1, "the library does not answer, no event is left to list, or EVENT is unknown"}};
constexpr const char* kSeeAlso[] = {"papi_avail", "papi_component_avail", "papi_event_chooser"};
// The help explains the two lines that PAPI's tool does not have.
constexpr Section kSections[] = {
    {"Groups",
     "Unit masks are in groups. At least one member of each group must be in an event's name, or "
     "the group has a default. Some masks fix modifiers, which then cannot be changed. Behind the "
     "qualifiers of each event with unit masks stand lines such as\n"
     "    Group 0, default ANY_REQUEST: DMND_DATA_RD DMND_RFO ...\n"
     "    Fixed: STALLS_TOTAL:c=4"}};

}  // namespace

const constinit Tool kTool = {
    .name = "papi_native_avail",
    .line = "list native events, and explain one",
    .description =
        "Native events are those of one processor, kernel or device. For each its name, its "
        "description and what may stand behind its name are listed: unit masks, which choose what "
        "is counted, and modifiers, which choose how. They are written behind the name, each with "
        "a colon; what is listed as :c=0 takes a number, which is 0 unless it is given.\n\n"
        "An event is listed when the library knows it; with -c it is also tried.",
    .json_text =
        "\"hardware\", \"events\" and \"count\". An event has component, name, code, description, "
        "units, qualifiers (name, description), countable with -c, and pattern (type, config, "
        "config1, config2) unless it needs a unit mask. With -e there is \"event\" instead, with "
        "groups and attributes as csink_event_attributes_json() tells them. Where cycles are not "
        "counted, \"hint\" tells why and what can be counted.",
    .groups = kGroups,
    .exits = kExits,
    .sections = kSections,
    .see_also = kSeeAlso};

}  // namespace csink::utils::native
