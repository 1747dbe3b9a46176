#include "core/counting/catalogue/event_macros.h"

#include "core/counting/catalogue/pfm_encoding.h"
#include "core/events/event_alias.h"
#include "core/events/event_rate.h"
#include "core/util/nearest.h"

// Expand works on a list of settings (key and value). The user's attributes come first; chosen and
// fixed macros add theirs, then defaults. A later setting never overwrites an earlier one: where
// both differ, it is an error, or the default gives way.

namespace csink {
namespace {

/// Expands the macros in the attributes of one event.
class Expansion {
 public:
  Expansion(std::string_view event, EventComplaint& complaint)
      : event_(event), complaint_(complaint) {}

  Result<std::string> Run(const std::vector<const MacroGroup*>& groups,
                          std::string_view attributes);

 private:
  struct Setting {
    std::string key;
    std::string value;
    bool has_value = false;
    const EventMacro* from = nullptr;  ///< The macro that sets it; nullptr: the user wrote it
  };

  Result<void> TakeTokens(const std::vector<const MacroGroup*>& groups,
                          std::string_view attributes);
  Result<void> ApplyChoice(const MacroGroup& group, const EventMacro& macro, bool is_default);
  Result<void> Complete(const MacroGroup& group, std::size_t index);
  Setting* Given(std::string_view key);
  bool GivesAnyOf(const MacroGroup& group);
  Error Complain(Errc code);

  std::string_view event_;
  EventComplaint& complaint_;
  std::vector<Setting> settings_;
  std::vector<const EventMacro*> chosen_;
};

Error Expansion::Complain(Errc code) { return {code, 0, "macro of an event"}; }

// The setting of this key, in any case of letters; nullptr: there is none.
Expansion::Setting* Expansion::Given(std::string_view key) {
  for (Setting& setting : settings_) {
    if (EqualsIgnoringCase(setting.key, key)) return &setting;
  }
  return nullptr;
}

// Every message of this file begins with the event as the user wrote it.
EventComplaint& Begin(EventComplaint& complaint, std::string_view event) {
  complaint.Clear();
  complaint.Add("event ");
  AddQuoted(complaint, event);
  return complaint;
}

/// Divides the user's attributes into chosen macros and plain settings.
Result<void> Expansion::TakeTokens(const std::vector<const MacroGroup*>& groups,
                                   std::string_view attributes) {
  // By group: the entry that the user named.
  chosen_.assign(groups.size(), nullptr);
  for (const EventToken& token : TokensOf(attributes)) {
    const EventMacro* macro = nullptr;
    // With a value ("EDGES=1") the token is an attribute of libpfm4's: macros have no values.
    for (std::size_t i = 0; i < groups.size() && !macro && !token.has_value; ++i) {
      macro = FindMacro(*groups[i], token.key);
      if (!macro) continue;
      if (chosen_[i] && chosen_[i] != macro) {
        Begin(complaint_, event_).Add(": ").Add(chosen_[i]->name).Add(" and ").Add(macro->name);
        complaint_.Add(" belong to the same macro group, ")
            .Add(groups[i]->name)
            .Add(": use only one of them");
        return Complain(Errc::kCombination);
      }
      chosen_[i] = macro;
    }
    if (macro) continue;
    settings_.push_back(
        {std::string(token.key), std::string(token.value), token.has_value, nullptr});
  }
  return {};
}

/// Adds the settings of one macro. A setting that the user states overrides a default, and
/// conflicts with a chosen or fixed macro.
Result<void> Expansion::ApplyChoice(const MacroGroup& group, const EventMacro& macro,
                                    bool is_default) {
  for (const EventToken& token : TokensOf(macro.translation)) {
    // The key decides, not the value: "e=1" of one macro and "e=0" of another set the same bit.
    Setting* given = Given(token.key);
    // The user's own "c=4" stands in the settings already and is the value.
    if (token.has_value && token.value == "?") {
      if (given && given->has_value) continue;
      Begin(complaint_, event_).Add(": macro ").Add(macro.name).Add(" of group ").Add(group.name);
      complaint_.Add(" needs a value of ").Add(token.key).Add(": add ").Add(token.key).Add("=N");
      return Complain(Errc::kAttribute);
    }
    if (!given) {
      settings_.push_back(
          {std::string(token.key), std::string(token.value), token.has_value, &macro});
      continue;
    }
    // A modifier without a value counts as 1.
    const std::string_view value = given->has_value ? std::string_view(given->value) : "1";
    if (!token.has_value || value == token.value || is_default) continue;
    Begin(complaint_, event_).Add(": macro ").Add(macro.name).Add(" of group ").Add(group.name);
    complaint_.Add(" fixes ").Add(token.key).Add(" to ").Add(token.value).Add(", and ");
    complaint_.Add(given->from ? given->from->name : "the event string").Add(" sets it to ");
    AddQuoted(complaint_, value);
    return Complain(Errc::kAttribute);
  }
  return {};
}

/// Whether the user sets an attribute that the group's entries set. That counts as a choice, too.
bool Expansion::GivesAnyOf(const MacroGroup& group) {
  for (const EventMacro& macro : group.entries) {
    for (const EventToken& token : TokensOf(macro.translation)) {
      const Setting* given = Given(token.key);
      // What another macro set is not the user's choice in this group.
      if (given && !given->from) return true;
    }
  }
  return false;
}

// Applies what a group contributes: its fixed entry, the entry that was chosen, or its default.
// Without all three the group is satisfied only by an attribute that the user sets (GivesAnyOf).
Result<void> Expansion::Complete(const MacroGroup& group, std::size_t index) {
  const EventMacro* macro = chosen_[index];
  if (group.rule == MacroGroup::Rule::kFixed) {
    return ApplyChoice(group, group.entries.front(), false);
  }
  if (macro) return ApplyChoice(group, *macro, false);
  if (group.rule == MacroGroup::Rule::kDefault) {
    return ApplyChoice(group, group.entries[group.chosen], true);
  }
  if (GivesAnyOf(group)) return {};
  Begin(complaint_, event_).Add(" needs a choice of macro group ").Add(group.name).Add(": ");
  for (std::size_t i = 0; i < group.entries.size(); ++i) {
    complaint_.Add(i == 0 ? "" : ", ").Add(group.entries[i].name);
  }
  for (const Setting& setting : settings_) {
    // A misspelt entry arrives here as a setting without a value.
    NearestNames<1> nearest(setting.key);
    for (const EventMacro& entry : group.entries) nearest.Offer(entry.name);
    if (setting.has_value || nearest.count() == 0) continue;
    complaint_.Add("; nearest to ");
    AddQuoted(complaint_, setting.key);
    complaint_.Add(": ").Add(nearest[0]);
    break;
  }
  return Complain(Errc::kAttribute);
}

Result<std::string> Expansion::Run(const std::vector<const MacroGroup*>& groups,
                                   std::string_view attributes) {
  if (Result<void> taken = TakeTokens(groups, attributes); !taken) return taken.error();
  // Chosen and fixed macros first: they override defaults.
  for (const bool explicit_ones : {true, false}) {
    for (std::size_t i = 0; i < groups.size(); ++i) {
      const bool is_explicit = chosen_[i] || groups[i]->rule == MacroGroup::Rule::kFixed;
      if (is_explicit != explicit_ones) continue;
      if (Result<void> done = Complete(*groups[i], i); !done) return done.error();
    }
  }
  // In the order of the settings: the user's own first, so that libpfm4's messages name them first.
  std::string expanded;
  for (const Setting& setting : settings_) {
    if (!expanded.empty()) expanded += ':';
    expanded += setting.key;
    if (setting.has_value) expanded += "=" + setting.value;
  }
  return expanded;
}

char Lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

}  // namespace

const EventMacro* FindMacro(const MacroGroup& group, std::string_view name) noexcept {
  for (const EventMacro& macro : group.entries) {
    if (EqualsIgnoringCase(macro.name, name)) return &macro;
  }
  return nullptr;
}

std::string MacroText(const MacroGroup& group, const EventMacro& macro) {
  return "macro of group " + group.name + ": " + macro.translation;
}

bool MatchesPattern(std::string_view pattern, std::string_view text) noexcept {
  // Without recursion: only the last '*' can have to take more text, so one place to resume is
  // enough.
  std::size_t p = 0;
  std::size_t star = std::string_view::npos;
  std::size_t resume = 0;
  for (std::size_t t = 0; t < text.size();) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || Lower(pattern[p]) == Lower(text[t]))) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

// Several "event" lines may match one event: all their groups apply.
std::vector<const MacroGroup*> EventMacros::GroupsOf(std::string_view pmu,
                                                     std::string_view event) const {
  std::vector<const MacroGroup*> found;
  for (const MacroGroup& group : groups_) {
    if ((group.pmu.empty() || MatchesPattern(group.pmu, pmu)) &&
        MatchesPattern(group.event, event)) {
      found.push_back(&group);
    }
  }
  return found;
}

Result<std::string> EventMacros::Expand(const std::vector<const MacroGroup*>& groups,
                                        std::string_view attributes, std::string_view event,
                                        EventComplaint& complaint) {
  return Expansion(event, complaint).Run(groups, attributes);
}

}  // namespace csink
