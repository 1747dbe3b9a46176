#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/events/event_spec.h"
#include "core/util/result.h"

/// File: user-defined names for unit masks and modifiers of events, from a text file
/// (docs/event-macros.md). An event string must choose one entry of each macro group of its event.
/// Without a choice the group's default is used; where there is none, the event is an error. A
/// fixed entry always applies.
///
/// Signals: not safe (heap).

namespace csink {

/// One macro: a name that stands for unit masks and modifiers. Macros are not expanded again.
struct EventMacro {
  std::string name;
  std::string translation;  ///< "ANY:c=1"; in "c=?" the user must give the value
};

/// A group of macros for the events that match its patterns. An event string has at most one entry
/// of it.
struct MacroGroup {
  /// What holds where the event string chooses no entry of the group.
  enum class Rule : unsigned char {
    kMustChoose,  ///< There is no default
    kDefault,     ///< entries[chosen] applies where the event string chooses nothing
    kFixed,       ///< The only entry always applies
  };
  std::string name;
  std::string pmu;    ///< Pattern for the text before "::"; "": any PMU
  std::string event;  ///< Pattern for the event, with * and ?, without regard to case
  Rule rule = Rule::kMustChoose;
  std::size_t chosen = 0;
  std::vector<EventMacro> entries;
  unsigned line = 0;  ///< Line in the file, for messages
};

/// The macros of one file. Owns: the groups. Threads: any may read.
///   const Result<EventMacros> macros = EventMacros::Load(path, problem);
///   const auto groups = macros->GroupsOf("skx", "UOPS_ISSUED");
///   const auto plain = EventMacros::Expand(groups, "EDGES:c=2", name, complaint);
class EventMacros {
 public:
  /// Parses `text`; `file` is its name for messages. Errors: kInvalid, with "file:line: what" in
  /// `problem`.
  static Result<EventMacros> Parse(std::string_view text, std::string_view file,
                                   std::string& problem);
  /// The same from a file of at most 1 MiB. Errors: kNotFound (not readable), kLimit, kInvalid;
  /// with a sentence in `problem`.
  static Result<EventMacros> Load(const std::string& file, std::string& problem);

  /// Whether the file has no groups: expanding is then not needed.
  bool empty() const noexcept { return groups_.empty(); }
  /// In the order of the file.
  const std::vector<MacroGroup>& groups() const noexcept { return groups_; }

  /// The groups whose patterns match an event, in the order of the file. `pmu` may be "" where it
  /// is unknown: only groups without a PMU pattern match then, or those with "*". The pointers are
  /// valid as long as this object.
  std::vector<const MacroGroup*> GroupsOf(std::string_view pmu, std::string_view event) const;

  /// Returns `attributes` ("EDGES:c=2") with macros replaced and defaults added. `event` is the
  /// name for messages. An attribute that is no macro is passed on as it is: libpfm4 judges it.
  /// Where a macro has the name of a unit mask, the macro is meant.
  /// Errors: kAttribute (no choice, a fixed value changed, a value missing), kCombination (two
  /// entries of one group); with a sentence in `complaint`.
  static Result<std::string> Expand(const std::vector<const MacroGroup*>& groups,
                                    std::string_view attributes, std::string_view event,
                                    EventComplaint& complaint);

 private:
  std::vector<MacroGroup> groups_;
};

/// The description of a macro: "macro of group NAME: translation".
std::string MacroText(const MacroGroup& group, const EventMacro& macro);

/// The entry with this name, without regard to case; nullptr: there is none.
const EventMacro* FindMacro(const MacroGroup& group, std::string_view name) noexcept;

/// Whether the whole of `text` matches a pattern with * (any text) and ? (one byte), without regard
/// to case. Takes at most |pattern| * |text| steps, whatever the pattern.
bool MatchesPattern(std::string_view pattern, std::string_view text) noexcept;

}  // namespace csink
