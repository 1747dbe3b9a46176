#include "core/events/event_attributes.h"

#include <algorithm>
#include <set>

#include "core/events/event_alias.h"
#include "core/events/event_macros.h"

namespace csink {
namespace {

using Names = std::set<std::string, std::less<>>;

class Derivation {
 public:
  Derivation(const PfmLibrary& pfm, EventAttributes& event) : pfm_(pfm), event_(event) {}

  void Groups();
  void Wired();

 private:
  PfmAnswer Ask(std::string_view attributes) const {
    return AskPfm(pfm_,
                  attributes.empty() ? event_.event : event_.event + ":" + std::string(attributes));
  }
  EventAttribute* Mask(std::string_view name) const;
  void Expand(std::string_view name, Names& names) const;
  Names Fills(const PfmAnswer& answer, std::string_view mask) const;
  int AddGroup(std::string_view default_name, bool required);
  void ByDefaults();
  void ByPartners(const std::vector<EventAttribute*>& incomplete);
  std::string Alone(const EventAttribute& mask) const;
  bool IsWired(const std::string& with, const EventAttribute& modifier,
               std::string_view value) const;

  const PfmLibrary& pfm_;
  EventAttributes& event_;
};

EventAttribute* Derivation::Mask(std::string_view name) const {
  for (EventAttribute& attribute : event_.attributes) {
    if (attribute.kind == AttributeKind::kUnitMask && EqualsIgnoringCase(attribute.name, name)) {
      return &attribute;
    }
  }
  return nullptr;
}

/// A mask and all that it is a short spelling of.
void Derivation::Expand(std::string_view name, Names& names) const {
  const EventAttribute* mask = Mask(name);
  if (!mask || !names.insert(mask->name).second) return;
  for (const EventToken& token : TokensOf(mask->same_as)) Expand(token.key, names);
}

/// The masks in an answer that libpfm4 added to the one that was asked for.
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

/// Every event that can be given without unit masks shows its groups by their defaults.
void Derivation::ByDefaults() {
  int optional_group = -1;
  for (EventAttribute& mask : event_.attributes) {
    if (mask.kind != AttributeKind::kUnitMask) continue;
    const PfmAnswer answer = Ask(mask.name);
    const Names fills = Fills(answer, mask.name);
    for (std::size_t i = 0; i < event_.groups.size() && mask.group < 0; ++i) {
      if (event_.groups[i].required && fills.count(event_.groups[i].default_name) == 0) {
        mask.group = static_cast<int>(i);
      }
    }
    if (mask.group >= 0) continue;
    // All defaults are still there: a group that the default of another one makes needless.
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

/// Masks that are not enough alone: what completes the first of them is the other group.
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
    mask.group = completes ? second : first;
  }
}

void Derivation::Groups() {
  if (std::none_of(event_.attributes.begin(), event_.attributes.end(),
                   [](const auto& a) { return a.kind == AttributeKind::kUnitMask; })) {
    return;
  }
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
  // Groups in the order of their first masks.
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

/// The mask, with a member of each group that it lacks: something that can be encoded.
std::string Derivation::Alone(const EventAttribute& mask) const {
  if (Ask(mask.name).code == PFM_SUCCESS) return mask.name;
  for (const EventAttribute& other : event_.attributes) {
    if (other.kind != AttributeKind::kUnitMask || other.group == mask.group) continue;
    std::string both = mask.name + ":" + other.name;
    if (Ask(both).code == PFM_SUCCESS) return both;
  }
  return {};
}

bool Derivation::IsWired(const std::string& with, const EventAttribute& modifier,
                         std::string_view value) const {
  const char* other = value == "1" ? (modifier.is_integer ? "2" : "0") : "1";
  std::string attributes = with;
  if (!attributes.empty()) attributes += ':';
  return Ask(attributes + modifier.name + "=" + other).code == PFM_ERR_ATTR_SET;
}

void Derivation::Wired() {
  std::vector<EventAttribute*> modifiers;
  const PfmAnswer answer = Ask({});
  const std::vector<EventToken> bare = CanonicalTokens(answer.canonical);
  for (EventAttribute& attribute : event_.attributes) {
    if (attribute.kind != AttributeKind::kModifier) continue;
    modifiers.push_back(&attribute);
    const std::string_view value = ValueOf(bare, attribute.name);
    attribute.hard_wired = !bare.empty() && !value.empty() && IsWired({}, attribute, value);
    if (!value.empty()) attribute.modifiers = attribute.name + "=" + std::string(value);
  }
  for (EventAttribute& mask : event_.attributes) {
    if (mask.kind != AttributeKind::kUnitMask) continue;
    const std::string with = Alone(mask);
    if (with.empty()) continue;
    const PfmAnswer wired = Ask(with);
    const std::vector<EventToken> tokens = CanonicalTokens(wired.canonical);
    for (const EventAttribute* modifier : modifiers) {
      const std::string_view value = ValueOf(tokens, modifier->name);
      if (value.empty() || !IsWired(with, *modifier, value)) continue;
      mask.hard_wired = true;
      if (!mask.modifiers.empty()) mask.modifiers += ':';
      mask.modifiers += modifier->name + "=" + std::string(value);
    }
  }
}

void ListAttributes(const PfmLibrary& pfm, const pfm_event_info_t& info, EventAttributes& event) {
  ForEachPfmAttribute(pfm, info, [&](const pfm_event_attr_info_t& found) {
    EventAttribute attribute;
    attribute.name = OrEmpty(found.name);
    attribute.text = OrEmpty(found.desc);
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
  derived.text = OrEmpty(info.desc);
  ListAttributes(pfm, info, derived);
  Derivation derivation(pfm, derived);
  derivation.Groups();
  derivation.Wired();
  return derived;
}

}  // namespace csink
