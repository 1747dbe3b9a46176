#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/events/event_spec.h"
#include "core/util/result.h"

/// File: names of one's own for unit masks and modifiers of events, from a text file
/// (docs/event-macros.md). A group of macros is a choice that an event string makes: one entry,
/// or the group's default, or it is an error; a fixed one cannot be changed.

namespace csink {

struct EventMacro {
  std::string name;
  std::string translation;  ///< "ANY:c=1"; "c=?": the user gives c
};

struct MacroGroup {
  enum class Rule : unsigned char {
    kMustChoose,  ///< No default
    kDefault,     ///< entries[chosen] where nothing else is given
    kFixed,       ///< The one entry, always
  };
  std::string name;
  std::string pmu;    ///< Pattern before "::"; empty: any
  std::string event;  ///< Pattern: * and ?, in any case
  Rule rule = Rule::kMustChoose;
  std::size_t chosen = 0;
  std::vector<EventMacro> entries;
  unsigned line = 0;
};

/// The macros of one file.
/// Threads: reading: any.
class EventMacros {
 public:
  /// Errors: kInvalid; `problem` then is "file:line: what".
  static Result<EventMacros> Parse(std::string_view text, std::string_view file,
                                   std::string& problem);
  /// The same from a file (at most 1 MiB). Errors: kNotFound, kLimit, kInvalid.
  static Result<EventMacros> Load(const std::string& file, std::string& problem);

  bool empty() const noexcept { return groups_.empty(); }
  const std::vector<MacroGroup>& groups() const noexcept { return groups_; }

  /// The groups that speak of an event.
  std::vector<const MacroGroup*> GroupsOf(std::string_view pmu, std::string_view event) const;

  /// `attributes` ("EDGES:c=2") with macros replaced and defaults added. `event` is for the
  /// complaint. Errors: kAttribute (no choice, a fixed value changed, a value left open),
  /// kCombination (two of one group), with a sentence.
  static Result<std::string> Expand(const std::vector<const MacroGroup*>& groups,
                                    std::string_view attributes, std::string_view event,
                                    EventComplaint& complaint);

 private:
  std::vector<MacroGroup> groups_;
};

/// "macro of group NAME: translation".
std::string MacroText(const MacroGroup& group, const EventMacro& macro);

/// The entry of that name, in any case; nullptr: none.
const EventMacro* FindMacro(const MacroGroup& group, std::string_view name) noexcept;

/// * and ?, in any case.
bool MatchesPattern(std::string_view pattern, std::string_view text) noexcept;

}  // namespace csink
