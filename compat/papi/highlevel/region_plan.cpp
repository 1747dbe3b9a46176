#include "compat/papi/highlevel/region_plan.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "compat/papi/boundary/debug.h"
#include "compat/papi/boundary/library_state.h"
#include "compat/papi/events/component_table.h"
#include "compat/papi/events/event_names.h"
#include "compat/papi/highlevel/high_level.h"
#include "core/util/parse.h"

/// File: what the regions of a process count. The names of PAPI_EVENTS are added one by one to the
/// set of their component, so the sets find out themselves which events count together. What was
/// accepted is the plan; other threads make their sets from it without looking up names again.

namespace csink::papi {
namespace {

/// Tried in this order where PAPI_EVENTS names nothing that counts: without a PMU the second one.
constexpr std::string_view kDefaults[] = {"PAPI_TOT_CYC", "perf::TASK-CLOCK"};

/// secure_getenv: a privileged program does not obey the environment of its caller.
bool IsSet(const char* name) noexcept { return secure_getenv(name) != nullptr; }

/// Splits a list at commas; empty names are skipped.
std::vector<std::string_view> NamesIn(std::string_view list) {
  std::vector<std::string_view> names;
  for (std::size_t start = 0; start <= list.size();) {
    const std::size_t end = std::min(list.find(',', start), list.size());
    const std::string_view name = TrimmedBlanks(list.substr(start, end - start));
    if (!name.empty()) names.push_back(name);
    start = end + 1;
  }
  return names;
}

/// Removes a suffix; false: `text` does not end so and is unchanged.
bool TakeSuffix(std::string_view& text, std::string_view suffix) noexcept {
  if (!text.ends_with(suffix)) return false;
  text.remove_suffix(suffix.size());
  return true;
}

/// Sets the kind of an event if the user gave none: readings of devices that do not accumulate,
/// such as temperatures, are reported as they are, powers as
/// the mean of a region's two readings.
void Describe(RegionEvent& event, int component_index) {
  Component* component = Components().At(component_index);
  ComponentEvent about;
  if (!IS_NATIVE(event.code) || component == nullptr || !component->needs_prefix()) return;
  const auto number = static_cast<std::uint32_t>(event.code) & 0xffffffU;
  if (!component->Describe(number, about)) return;
  if (!about.accumulates) {
    // The last letter of the unit: W, mW, uW.
    event.value = about.units.ends_with('W') ? RegionValue::kAverage : RegionValue::kInstant;
  }
  event.floating = about.value_type == ComponentEvent::Type::kFloating;
}

/// The reason why the last event could not be added.
std::string WhyNot(int code) {
  std::string why(LastSentence());
  if (why.empty() && code == PAPI_ECNFLCT) {
    why = "the event cannot be counted together with the events before it";
  }
  const char* const words = why.empty() ? PAPI_strerror(code) : nullptr;
  return words ? words : why;
}

/// Makes the event set of a component, multiplexed if that is wanted and possible.
int OpenSet(PrivateSet& set, int component, bool multiplexed) {
  if (const int code = set.Create(); code != PAPI_OK) return code;
  set->Bind(component);
  if (!multiplexed || !Components().InfoOf(component).can_multiplex) return PAPI_OK;
  SetOptions options = set->options();
  options.multiplexed = true;
  options.multiplex_ns = TheLibrary().timer.interval_ns.load();
  return set->Apply(options);
}

/// Distributes the events over event sets, one for each component, in the given order.
class Planner {
 public:
  Planner(RegionPlan& plan, std::vector<PrivateSet>& sets) : plan_(plan), sets_(sets) {}

  /// PAPI_OK, or the error of the step that failed; LastSentence may have the reason. `tell`: print
  /// a warning.
  int Add(std::string_view text, bool tell) {
    RegionEvent event;
    const bool instant = TakeSuffix(text, "=instant");
    const bool delta = !instant && TakeSuffix(text, "=delta");
    event.name = text;
    // The message must be about this event: WhyNot reads it.
    Complaint().Clear();
    int code = CodeOfName(text, &event.code);
    const int component = code == PAPI_OK ? PAPI_get_event_component(event.code) : -1;
    if (code == PAPI_OK && component < 0) code = component;
    std::size_t group = 0;
    if (code == PAPI_OK) code = GroupOf(component, &group);
    bool too_many = false;
    if (code == PAPI_OK) code = AddTo(*sets_[group], event.code, &too_many);
    if (code != PAPI_OK) {
      if (tell) Tell(text, code, too_many);
      return code;
    }
    Describe(event, component);
    if (instant || delta) event.value = instant ? RegionValue::kInstant : RegionValue::kDelta;
    plan_.groups[group].events.push_back(std::move(event));
    ++plan_.events;
    return PAPI_OK;
  }

 private:
  /// `too_many`: multiplexing would make the event countable.
  int AddTo(EventSet& set, int event, bool* too_many) const {
    const bool twice = set.IndexOf(event) >= 0;
    const int code = set.Add(event);
    *too_many = code == PAPI_ECNFLCT && !twice && !plan_.multiplexed &&
                Components().InfoOf(set.component()).can_multiplex;
    return code;
  }

  static void Tell(std::string_view name, int code, bool too_many) {
    std::string line = "PAPI_EVENTS: ";
    line.append(name).append(" is not counted: ").append(WhyNot(code));
    if (too_many) line += "; PAPI_MULTIPLEX=1 counts more events than fit";
    SayWarning(line);
  }

  int GroupOf(int component, std::size_t* group) {
    for (*group = 0; *group < plan_.groups.size(); ++*group) {
      if (plan_.groups[*group].component == component) return PAPI_OK;
    }
    PrivateSet set;
    if (const int code = OpenSet(set, component, plan_.multiplexed); code != PAPI_OK) return code;
    plan_.groups.push_back({component, {}});
    sets_.push_back(std::move(set));
    return PAPI_OK;
  }

  RegionPlan& plan_;
  std::vector<PrivateSet>& sets_;
};

/// Removes groups none of whose events could be added.
void DropEmptyGroups(RegionPlan& plan, std::vector<PrivateSet>& sets) {
  std::vector<PrivateSet> kept;
  for (std::size_t i = 0; i < sets.size(); ++i) {
    if (!plan.groups[i].events.empty()) kept.push_back(std::move(sets[i]));
  }
  sets.swap(kept);
  std::erase_if(plan.groups, [](const RegionGroup& group) { return group.events.empty(); });
}

}  // namespace

int MakeRegionPlan(RegionPlan& plan, std::vector<PrivateSet>& sets) {
  const char* wanted = secure_getenv("PAPI_EVENTS");
  const char* multiple = secure_getenv("PAPI_HL_THREAD_MULTIPLE");
  plan.multiplexed = IsSet("PAPI_MULTIPLEX");
  plan.verbose = IsSet("PAPI_HL_VERBOSE");
  plan.shared = multiple != nullptr && std::atoi(multiple) != 1;
  Planner planner(plan, sets);
  const std::vector<std::string_view> names = NamesIn(wanted ? wanted : "");
  for (const std::string_view name : names) planner.Add(name, true);
  if (plan.events == 0 && !names.empty()) {
    SayWarning("PAPI_EVENTS contains no event that can be counted; the default event is counted");
  }
  std::string why;
  for (std::size_t i = 0; plan.events == 0 && i < std::size(kDefaults); ++i) {
    const int code = planner.Add(kDefaults[i], false);
    if (code != PAPI_OK) why = WhyNot(code);
  }
  DropEmptyGroups(plan, sets);
  if (plan.events != 0) return PAPI_OK;
  return Complain(PAPI_EINVAL, "no event can be counted: " + why);
}

int OpenRegionSets(const RegionPlan& plan, std::vector<PrivateSet>& sets) {
  sets.clear();
  for (const RegionGroup& group : plan.groups) {
    PrivateSet& set = sets.emplace_back();
    int code = OpenSet(set, group.component, plan.multiplexed);
    for (std::size_t i = 0; i < group.events.size() && code == PAPI_OK; ++i) {
      code = set->Add(group.events[i].code);
    }
    if (code == PAPI_OK) continue;
    sets.clear();
    return code;
  }
  return PAPI_OK;
}

}  // namespace csink::papi
