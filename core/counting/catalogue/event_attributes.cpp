#include "core/counting/catalogue/event_attributes.h"

#include <algorithm>
#include <map>
#include <set>
#include <span>

#include "core/counting/catalogue/event_macros.h"
#include "core/events/event_alias.h"
#include "core/events/event_tables.h"

// DeriveAttributes asks libpfm4 for the event bare, with each unit mask, and with pairs of them.
// Which masks libpfm4 adds to an answer shows the groups (Groups); which modifiers it does not let
// change shows the fixed values (Wired). All answers are remembered (Ask), since the same question
// comes up several times.

namespace csink {
namespace {

using Names = std::set<std::string, std::less<>>;

/// A modifier and its value.
struct Valued {
  EventAttribute* modifier;
  std::string value;
};

// Derives groups and fixed values by encoding variants of the event; event_attributes.h states the
// rules.
class Derivation {
 public:
  Derivation(const PfmLibrary& pfm, EventAttributes& event) : pfm_(pfm), event_(event) {}

  void Groups();
  void Wired();

 private:
  /// libpfm4's answer to the event with these attributes. Each question is asked once and
  /// remembered.
  const PfmAnswer& Ask(std::string_view attributes) const {
    const auto known = answers_.find(attributes);
    if (known != answers_.end()) return known->second;
    std::string event = event_.event;
    if (!attributes.empty()) (event += ':') += attributes;
    return answers_.emplace(attributes, AskPfm(pfm_, event)).first->second;
  }
  EventAttribute* Mask(std::string_view name) const;
  void Expand(std::string_view name, Names& names) const;
  Names Fills(const PfmAnswer& answer, std::string_view mask) const;
  int AddGroup(std::string_view default_name, bool required);
  void ByDefaults();
  void ByPartners(const std::vector<EventAttribute*>& incomplete);
  std::string Alone(const EventAttribute& mask) const;
  void FindWired(const std::string& with, std::span<const Valued> modifiers,
                 std::vector<const EventAttribute*>& wired) const;
  std::vector<Valued> WiredWith(const std::string& with,
                                const std::vector<EventAttribute*>& modifiers) const;

  const PfmLibrary& pfm_;
  EventAttributes& event_;
  mutable std::map<std::string, PfmAnswer, std::less<>> answers_;
};

// The unit mask of this name, in any case of letters; nullptr: the event has none.
EventAttribute* Derivation::Mask(std::string_view name) const {
  for (EventAttribute& attribute : event_.attributes) {
    if (attribute.kind == AttributeKind::kUnitMask && EqualsIgnoringCase(attribute.name, name)) {
      return &attribute;
    }
  }
  return nullptr;
}

/// Collects a mask's name and all names that it is an abbreviation for.
void Derivation::Expand(std::string_view name, Names& names) const {
  const EventAttribute* mask = Mask(name);
  // The set also ends a circle of abbreviations.
  if (!mask || !names.insert(mask->name).second) return;
  for (const EventToken& token : TokensOf(mask->same_as)) Expand(token.key, names);
}

/// The masks in an answer that libpfm4 added to the mask that was asked for.
Names Derivation::Fills(const PfmAnswer& answer, std::string_view mask) const {
  Names own;
  Expand(mask, own);
  Names fills;
  for (const EventToken& token : CanonicalTokens(answer.canonical)) {
    if (!token.has_value && Mask(token.key) && own.count(token.key) == 0) {
      fills.emplace(token.key);
    }
  }
  return fills;
}

int Derivation::AddGroup(std::string_view default_name, bool required) {
  AttributeGroup group;
  group.default_name = default_name;
  group.required = required;
  event_.groups.push_back(group);
  return static_cast<int>(event_.groups.size()) - 1;
}

/// Assigns masks to groups, for an event that can be given without masks: each default of the bare
/// event stands for a group, and a mask belongs to the group whose default it displaces.
void Derivation::ByDefaults() {
  int optional_group = -1;
  for (EventAttribute& mask : event_.attributes) {
    if (mask.kind != AttributeKind::kUnitMask) continue;
    // A copy: Ask may store further answers while this one is used.
    const PfmAnswer answer = Ask(mask.name);
    const Names fills = Fills(answer, mask.name);
    // A default that libpfm4 does not add any more was displaced by the mask.
    for (std::size_t i = 0; i < event_.groups.size() && mask.group < 0; ++i) {
      if (event_.groups[i].required && fills.count(event_.groups[i].default_name) == 0) {
        mask.group = static_cast<int>(i);
      }
    }
    if (mask.group >= 0) continue;
    // It displaces no default: its group is one that the default of another group makes
    // unnecessary.
    if (optional_group < 0) optional_group = AddGroup({}, false);
    mask.group = optional_group;
  }
  if (optional_group < 0) return;
  for (const EventAttribute& mask : event_.attributes) {
    if (mask.kind != AttributeKind::kUnitMask) continue;
    for (const std::string& fill : Fills(Ask(mask.name), mask.name)) {
      const EventAttribute* added = Mask(fill);
      if (added && added->group == optional_group) {
        event_.groups[static_cast<std::size_t>(optional_group)].default_name = fill;
        return;
      }
    }
  }
}

/// Assigns masks to two groups, for an event whose masks are not sufficient alone: the masks that
/// complete the first incomplete one are the second group.
void Derivation::ByPartners(const std::vector<EventAttribute*>& incomplete) {
  const int first = AddGroup({}, true);
  if (incomplete.empty()) {
    for (EventAttribute& mask : event_.attributes) {
      if (mask.kind == AttributeKind::kUnitMask) mask.group = first;
    }
    return;
  }
  const int second = AddGroup({}, true);
  for (EventAttribute& mask : event_.attributes) {
    if (mask.kind != AttributeKind::kUnitMask) continue;
    const bool completes = &mask != incomplete.front() &&
                           Ask(incomplete.front()->name + ":" + mask.name).code == PFM_SUCCESS;
    // More than two groups without defaults are not distinguished.
    mask.group = completes ? second : first;
  }
}

// Finds the groups and assigns each unit mask to one of them.
void Derivation::Groups() {
  if (std::none_of(event_.attributes.begin(), event_.attributes.end(),
                   [](const auto& a) { return a.kind == AttributeKind::kUnitMask; })) {
    return;
  }
  // Three kinds of events: with defaults (ByDefaults); without defaults, where some mask is not
  // enough alone (ByPartners with two groups); without defaults, where any mask is enough (one
  // group).
  const PfmAnswer bare = Ask({});
  if (bare.code == PFM_SUCCESS) {
    for (const std::string& mask : Fills(bare, {})) AddGroup(mask, true);
  }
  if (!event_.groups.empty()) {
    ByDefaults();
  } else {
    std::vector<EventAttribute*> incomplete;
    for (EventAttribute& mask : event_.attributes) {
      if (mask.kind == AttributeKind::kUnitMask && Ask(mask.name).code == PFM_ERR_UMASK) {
        incomplete.push_back(&mask);
      }
    }
    ByPartners(incomplete);
    if (bare.code == PFM_SUCCESS) event_.groups.front().required = false;
  }
  // Sorts the groups by their first masks.
  std::vector<AttributeGroup> ordered;
  std::vector<int> place(event_.groups.size(), -1);
  for (EventAttribute& mask : event_.attributes) {
    if (mask.group < 0) continue;
    int& at = place[static_cast<std::size_t>(mask.group)];
    if (at < 0) {
      at = static_cast<int>(ordered.size());
      ordered.push_back(event_.groups[static_cast<std::size_t>(mask.group)]);
    }
    mask.group = at;
    mask.is_default =
        EqualsIgnoringCase(ordered[static_cast<std::size_t>(at)].default_name, mask.name);
  }
  event_.groups = std::move(ordered);
}

/// The mask, completed by a member of each group that it lacks, so that it can be encoded; "":
/// impossible.
std::string Derivation::Alone(const EventAttribute& mask) const {
  if (Ask(mask.name).code == PFM_SUCCESS) return mask.name;
  for (const EventAttribute& other : event_.attributes) {
    if (other.kind != AttributeKind::kUnitMask || other.group == mask.group) continue;
    std::string both = mask.name + ":" + other.name;
    if (Ask(both).code == PFM_SUCCESS) return both;
  }
  return {};
}

/// Finds modifiers that are fixed, by asking for other values. Where all modifiers accept another
/// value at once, none is fixed. Otherwise the set is halved and each half is asked, with
/// alternating modifiers in each half, because neighbours (u and k) exclude each other.
void Derivation::FindWired(const std::string& with, std::span<const Valued> modifiers,
                           std::vector<const EventAttribute*>& wired) const {
  if (modifiers.empty()) return;
  std::string attributes = with;
  for (const auto& [modifier, value] : modifiers) {
    if (!attributes.empty()) attributes += ':';
    // A value other than the present one, within the type of the modifier.
    // 0 and 1 for a truth value; an integer that is 1 becomes 2, every other one becomes 1.
    const char* other = value == "1" ? (modifier->is_integer ? "2" : "0") : "1";
    attributes += modifier->name + "=" + other;
  }
  const int code = Ask(attributes).code;
  if (code == PFM_SUCCESS) return;
  if (modifiers.size() == 1) {
    if (code == PFM_ERR_ATTR_SET) wired.push_back(modifiers[0].modifier);
    return;
  }
  std::vector<Valued> halves[2];
  for (std::size_t i = 0; i < modifiers.size(); ++i) halves[i % 2].push_back(modifiers[i]);
  for (const std::vector<Valued>& half : halves) FindWired(with, half, wired);
}

/// The modifiers that have a value in the event with these attributes and accept no other.
std::vector<Valued> Derivation::WiredWith(const std::string& with,
                                          const std::vector<EventAttribute*>& modifiers) const {
  const std::vector<EventToken> tokens = CanonicalTokens(Ask(with).canonical);
  std::vector<Valued> valued;
  for (EventAttribute* modifier : modifiers) {
    const std::string_view value = ValueOf(tokens, modifier->name);
    if (!value.empty()) valued.push_back({modifier, std::string(value)});
  }
  std::vector<const EventAttribute*> wired;
  FindWired(with, valued, wired);
  std::erase_if(valued, [&wired](const Valued& one) {
    return std::find(wired.begin(), wired.end(), one.modifier) == wired.end();
  });
  return valued;
}

// Finds fixed values: first of the event without masks, then of each mask. A mask that cannot be
// encoded alone is asked together with a partner (Alone).
void Derivation::Wired() {
  std::vector<EventAttribute*> modifiers;
  // The bare event's modifiers first: their values are the defaults that a mask may change.
  const std::vector<EventToken> bare = CanonicalTokens(Ask({}).canonical);
  for (EventAttribute& attribute : event_.attributes) {
    if (attribute.kind != AttributeKind::kModifier) continue;
    modifiers.push_back(&attribute);
    const std::string_view value = ValueOf(bare, attribute.name);
    if (!value.empty()) attribute.modifiers = attribute.name + "=" + std::string(value);
  }
  for (const Valued& wired : WiredWith({}, modifiers)) wired.modifier->hard_wired = true;
  for (EventAttribute& mask : event_.attributes) {
    if (mask.kind != AttributeKind::kUnitMask) continue;
    const std::string with = Alone(mask);
    if (with.empty()) continue;
    for (const auto& [modifier, value] : WiredWith(with, modifiers)) {
      mask.hard_wired = true;
      if (!mask.modifiers.empty()) mask.modifiers += ':';
      mask.modifiers += modifier->name + "=" + value;
    }
  }
}

// Copies what libpfm4 reports of each attribute: everything but groups and fixed values.
void ListAttributes(const PfmLibrary& pfm, const pfm_event_info_t& info, EventAttributes& event) {
  ForEachPfmAttribute(pfm, info, [&](const pfm_event_attr_info_t& found) {
    EventAttribute attribute;
    attribute.name = OrEmpty(found.name);
    attribute.text = found.desc ? found.desc : std::string(WordsOfName(attribute.name).view());
    attribute.same_as = OrEmpty(found.equiv);
    if (found.type == PFM_ATTR_UMASK) {
      attribute.code = found.code;
      attribute.is_default = found.is_dfl;
    } else {
      attribute.kind = AttributeKind::kModifier;
      attribute.is_integer = found.type == PFM_ATTR_MOD_INTEGER;
    }
    event.attributes.push_back(attribute);
    return true;
  });
}

}  // namespace

// A macro group looks like a group of unit masks, so that listings, messages and JSON need no case
// of their own.
void AddMacroGroup(const MacroGroup& macros, EventAttributes& event) {
  AttributeGroup group;
  group.name = macros.name;
  const bool has_default = macros.rule != MacroGroup::Rule::kMustChoose;
  if (has_default) group.default_name = macros.entries[macros.chosen].name;
  for (const EventMacro& macro : macros.entries) {
    EventAttribute attribute;
    attribute.name = macro.name;
    attribute.text = MacroText(macros, macro);
    attribute.kind = AttributeKind::kMacro;
    attribute.group = static_cast<int>(event.groups.size());
    attribute.is_default =
        macros.rule == MacroGroup::Rule::kDefault && macro.name == group.default_name;
    attribute.hard_wired = macros.rule == MacroGroup::Rule::kFixed;
    attribute.modifiers = macro.translation;
    event.attributes.push_back(attribute);
  }
  event.groups.push_back(group);
}

std::optional<EventAttributes> DeriveAttributes(const PfmLibrary& pfm, int event) {
  pfm_event_info_t info{};
  info.size = sizeof(info);
  pfm_pmu_info_t pmu;
  if (pfm.get_event_info(event, PFM_OS_PERF_EVENT_EXT, &info) != PFM_SUCCESS || !info.name ||
      !pfm.Pmu(info.pmu, pmu)) {
    return std::nullopt;
  }
  EventAttributes derived;
  derived.pmu = OrEmpty(pmu.name);
  derived.event = derived.pmu + "::" + info.name;
  derived.text = info.desc ? info.desc : std::string(WordsOfName(info.name).view());
  ListAttributes(pfm, info, derived);
  Derivation derivation(pfm, derived);
  derivation.Groups();
  derivation.Wired();
  return derived;
}

}  // namespace csink
