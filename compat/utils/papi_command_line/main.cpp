/// Program: papi_command_line. Layout of papi-tools 7.0's. Events that cannot be added are reported
/// and left out; the others are counted during a fixed amount of work, so that wrong counts are
/// noticed.

#include <csink_papi.h>
#include <papi.h>

#include <bit>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "compat/utils/events.h"
#include "compat/utils/hint.h"
#include "compat/utils/json.h"
#include "compat/utils/message.h"
#include "compat/utils/papi_command_line/work.h"
#include "compat/utils/run.h"

namespace csink::utils::command_line {
namespace {

constexpr Option kOptions[] = {
    {'u', "unsigned", nullptr, "Print the counts as unsigned whole numbers."},
    {'x', "hexadecimal", nullptr, "Print the counts as hexadecimal numbers."},
};
constexpr OptionGroup kGroups[] = {{"Options", kOptions}};
constexpr ExitCode kExits[] = {{0, "at least one event was counted"},
                               {1, "no event could be added, or counting failed"}};
constexpr Section kSections[] = {
    {"Work",
     "The work that is counted: 20 million additions and as many multiplications of doubles, each "
     "dependent on the previous one through memory, and a write to each of 64 fresh pages."}};
constexpr const char* kSeeAlso[] = {"papi_avail", "papi_native_avail", "papi_event_chooser"};
constexpr Tool kTool = {
    .name = "papi_command_line",
    .line = "count the events of the command line",
    .operands = "[EVENT...]",
    .description =
        "Adds preset and native events to one event set, does a fixed amount of work, and prints "
        "the counts. This shows which events can be counted together, and whether their counts are "
        "plausible. Events that cannot be added are omitted, and the reason is shown.",
    .json_text =
        "\"events\": name, added, reason (of those that were not), value, units, type; \"work\": "
        "flops, pages.",
    .groups = kGroups,
    .exits = kExits,
    .sections = kSections,
    .see_also = kSeeAlso};

/// An event of the command line, added or not, with its count.
struct Event {
  const char* name;
  int code = PAPI_OK;         ///< result of adding the event
  std::string sentence = {};  ///< the library's message; may be empty
  PAPI_event_info_t info = {};
  long long value = 0;
};

/// The message is kept at once, because adding the next event replaces it.
Event AddTo(EventSet& set, const char* name) {
  Event event = {.name = name};
  // By name: the library then also explains names that it does not know.
  event.code = PAPI_add_named_event(set.handle(), name);
  if (event.code == PAPI_OK) {
    int number = 0;
    if (PAPI_event_name_to_code(name, &number) == PAPI_OK) PAPI_get_event_info(number, &event.info);
    return event;
  }
  char sentence[1024];
  if (csink_papi_last_message(sentence, sizeof sentence) == PAPI_OK) event.sentence = sentence;
  return event;
}

/// In the order of the command line.
std::vector<Event> AddAll(EventSet& set, const Arguments& arguments) {
  std::vector<Event> events;
  for (const char* const name : arguments.operands()) events.push_back(AddTo(set, name));
  return events;
}

/// Counts the events during the work. False, with a message: they could not be started or stopped.
bool Count(EventSet& set, std::vector<Event>& events) {
  std::vector<long long> values(events.size());
  const int started = PAPI_start(set.handle());
  if (started != PAPI_OK) return SayCode(kTool, "the events cannot be started", started), false;
  DoWork();
  const int stopped = PAPI_stop(set.handle(), values.data());
  if (stopped != PAPI_OK) return SayCode(kTool, "the events cannot be stopped", stopped), false;
  // Only events that were added have values, in the order of adding.
  std::size_t next = 0;
  for (Event& event : events) {
    if (event.code == PAPI_OK) event.value = values[next++];
  }
  return true;
}

/// The words of papi-tools 7.0, then our reason in a line of its own.
void PrintAdded(const Event& event) {
  if (event.code == PAPI_OK) {
    std::printf("Successfully added: %s\n", event.name);
    return;
  }
  std::printf("Failed adding: %s\nbecause: %s\n", event.name, PAPI_strerror(event.code));
  if (!event.sentence.empty()) std::printf("         %s\n", event.sentence.c_str());
}

/// The type of a value is the event's; devices have readings that are not whole numbers.
void PrintByType(const Event& event) {
  switch (event.info.data_type) {
    case PAPI_DATATYPE_UINT64:
      std::printf("%llu(u)", static_cast<unsigned long long>(event.value));
      break;
    case PAPI_DATATYPE_FP64:
      std::printf("%.3f", std::bit_cast<double>(event.value));
      break;
    case PAPI_DATATYPE_BIT64:
      std::printf("%#llX", static_cast<unsigned long long>(event.value));
      break;
    default:
      std::printf("%lld", event.value);
  }
  std::printf(" %s\n", event.info.units);
}

/// With -u and -x both lines are printed; without them the value has the event's type and unit.
void PrintValue(const Event& event, const Arguments& arguments) {
  const auto bits = static_cast<unsigned long long>(event.value);
  if (arguments.Has('u')) std::printf("%s : \t%llu(u)\n", event.name, bits);
  if (arguments.Has('x')) std::printf("%s : \t%#llX\n", event.name, bits);
  if (arguments.Has('u') || arguments.Has('x')) return;
  std::printf("%s : \t", event.name);
  PrintByType(event);
}

/// PAPI's words, and what this machine can count.
void PrintNothingToCount() {
  std::puts("No events specified!\nTry running something like: papi_command_line PAPI_TOT_CYC\n");
  Hint hint = FindHint(static_cast<int>(PAPI_TOT_CYC));
  hint.why.clear();  // the reason was printed for each event
  PrintHint(hint);
}

/// JSON numbers of the event's type.
nlohmann::ordered_json ValueJson(const Event& event) {
  switch (event.info.data_type) {
    case PAPI_DATATYPE_FP64:
      return std::bit_cast<double>(event.value);
    case PAPI_DATATYPE_UINT64:
    case PAPI_DATATYPE_BIT64:
      return static_cast<unsigned long long>(event.value);
    default:
      return event.value;
  }
}

/// An event with its value, or with the reason why it was not added.
nlohmann::ordered_json EventJson(const Event& event) {
  constexpr const char* kTypes[] = {"int64", "uint64", "double", "bits"};
  // Types that are newer than this tool are shown as int64.
  const auto type = static_cast<std::size_t>(event.info.data_type);
  nlohmann::ordered_json object = {{"name", event.name}, {"added", event.code == PAPI_OK}};
  if (event.code != PAPI_OK) {
    const std::string reason = event.sentence.empty() ? "" : ": " + event.sentence;
    object["reason"] = PAPI_strerror(event.code) + reason;
    return object;
  }
  object["value"] = ValueJson(event);
  object["units"] = event.info.units;
  object["type"] = type < std::size(kTypes) ? kTypes[type] : kTypes[0];
  return object;
}

/// The events, and the work during which they counted.
void PrintAsJson(const std::vector<Event>& events) {
  nlohmann::ordered_json object = JsonHead(kTool);
  object["events"] = nlohmann::ordered_json::array();
  for (const Event& event : events) object["events"].push_back(EventJson(event));
  object["work"] = {{"flops", kFlops}, {"pages", kPages}};
  PrintJson(object);
}

/// Text has lines before the counting; an object is printed after it.
int RunJson(bool any, EventSet& set, std::vector<Event>& events) {
  // With --json nothing may be printed before the object.
  if (any && !Count(set, events)) return kFailed;
  PrintAsJson(events);
  return any ? kFine : kFailed;
}

int Run(const Arguments& arguments) {
  if (!StartLibrary(kTool)) return kFailed;
  EventSet set;
  std::vector<Event> events = AddAll(set, arguments);
  // One event that was added is enough.
  bool any = false;
  for (const Event& event : events) any = any || event.code == PAPI_OK;
  if (arguments.json()) return RunJson(any, set, events);
  std::puts(
      "\nThis utility lets you add events from the command line interface to see if they work.\n");
  for (const Event& event : events) PrintAdded(event);
  if (!any) return PrintNothingToCount(), kFailed;
  if (!Count(set, events)) return kFailed;
  std::putchar('\n');
  for (const Event& event : events) {
    if (event.code == PAPI_OK) PrintValue(event, arguments);
  }
  std::puts("\n----------------------------------");
  return kFine;
}

}  // namespace
}  // namespace csink::utils::command_line

int main(int argc, char** argv) {
  return csink::utils::RunTool(csink::utils::command_line::kTool, argc, argv,
                               csink::utils::command_line::Run);
}
