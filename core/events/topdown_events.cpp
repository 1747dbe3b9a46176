#include "core/events/topdown_events.h"

#include <cstring>

#include "core/events/event_alias.h"
#include "core/events/event_rate.h"
#include "core/events/event_text.h"

// File: "topdown" becomes the events of the processor's model, each with a name that says which
// role it has in the formula. Modifiers and a rate hold for all of them alike.

namespace csink {
namespace {

constexpr std::string_view kLevel1 = "topdown";
constexpr std::string_view kLevel2 = "topdown-l2";

// A name with a PMU before it is left to libpfm4.
bool IsTopdown(const EventText& event) noexcept {
  return event.pmu.empty() &&
         (EqualsIgnoringCase(event.base, kLevel1) || EqualsIgnoringCase(event.base, kLevel2));
}

// Reads u and k. A precision is refused, also "p" beside others, because it is fixed.
Result<void> Modify(const EventText& event, EventSpec& spec, EventComplaint& complaint) noexcept {
  EventModifiers modifiers;
  Tokens attributes = AttributesOf(event);
  for (std::string_view token; attributes.Next(token);) {
    if (modifiers.Take(token) && modifiers.precise == 0) continue;
    ComplainOf(event, complaint).Add(": modifier ");
    AddQuoted(complaint, token);
    complaint.Add(" is not possible; modifiers are u (user), k (kernel)");
    return Error{Errc::kInvalid, 0, "modifier is not valid"};
  }
  modifiers.ApplyTo(spec);
  return {};
}

// Stores the name in the spec's 64 bytes; a longer name is cut.
void CopyName(std::string_view name, EventSpec& spec) noexcept {
  Text<sizeof(spec.name)> text;
  text.Add(name);
  std::memcpy(spec.name, text.c_str(), text.size() + 1);
}

// Event number `i` of the model. Its name tells the report the formula, the role and the slots per
// count, so that a spool needs no further description (docs/design/topdown.md).
EventSpec SpecOf(const TopdownModel& model, std::size_t i, const EventSpec& common) noexcept {
  EventSpec spec = common;
  const TopdownName name = model.NameOf(i);
  CopyName(TextOf(name).view(), spec);
  // Slots that are counted as cycles serve as cycles for ratios and the verdict, too.
  if (name.role == TopdownRole::kSlots && name.factor != 1) spec.kind = EventClass::kCycles;
  spec.type = model.type;
  spec.config = model.events[i].config;
  return spec;
}

}  // namespace

bool IsTopdownEvent(std::string_view item) noexcept { return IsTopdown(SplitEvent(item)); }

Result<void> AddTopdownEvents(const Processor& processor, std::string_view root,
                              std::string_view item, EventList& list,
                              EventComplaint& complaint) noexcept {
  const EventText event = SplitEvent(item);
  TopdownReason reason;
  const Result<TopdownModel> model =
      FindTopdownModel(processor, root, TopdownUse::kSampling, reason);
  if (!model) {
    ComplainOf(event, complaint).Add(": ").Add(reason.view());
    return model.error();
  }
  // Level 2 needs the events of level 1, too, so it is all of the model.
  // The events of level 1 stand first in each model.
  std::size_t wanted = model->level1_count;
  if (EqualsIgnoringCase(event.base, kLevel2)) {
    wanted = model->count;
    if (wanted == model->level1_count) {
      ComplainOf(event, complaint);
      complaint.Add(": this processor has no events for level 2; use topdown");
      return Error{Errc::kUnsupported, 0, "no level 2"};
    }
  }
  EventSpec common;
  common.precise_given = true;  // precision 0; topdown_events.h states the reason
  // Set before a stated rate is read, which replaces it.
  common.frequency_hz = kTopdownHz;
  if (const Result<void> modified = Modify(event, common, complaint); !modified) return modified;
  if (event.has_rate) {
    const Result<EventRate> rate = ParseEventRate(event.rate, complaint);
    if (!rate) return rate.error();
    // ApplyEventRate needs a spec with a name and a kind; type and config come later, by event.
    CopyName(kLevel1, common);          // the name for complaints
    common.kind = EventClass::kCycles;  // the limits of cycles apply: slots come with every cycle
    const Result<void> applied = ApplyEventRate(*rate, 0, common, complaint);
    if (!applied) return applied;
    common.kind = EventClass::kOther;
  }
  for (std::size_t i = 0; i < wanted; ++i) {
    // A model has up to nine events, and other events may stand before it.
    if (list.count == kMaxEventSpecs) return TooManyEvents(complaint);
    list.events[list.count++] = SpecOf(*model, i, common);
  }
  return {};
}

Result<void> AddTopdownEvents(std::string_view item, EventList& list,
                              EventComplaint& complaint) noexcept {
  // An empty root: the files of this machine.
  return AddTopdownEvents(ThisProcessor(), {}, item, list, complaint);
}

}  // namespace csink
