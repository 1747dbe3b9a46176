#pragma once

#include <optional>

#include "core/counting/catalogue/pfm_encoding.h"

/// File: groups and fixed values of an event's unit masks and modifiers, which libpfm4's interface
/// does not report. They are derived from its answers to encoding:
///   groups      libpfm4 completes a mask by the defaults of the groups that the mask is not in:
///               E:L3_HIT -> E:ANY_REQUEST:L3_HIT:SNP_ANY shows that L3_HIT displaces ANY_RESPONSE
///   fixed       E:mask:c=2 is answered with PFM_ERR_ATTR_SET
///   missing     E:mask is answered with PFM_ERR_UMASK where another group must be chosen, too
///
/// Threads: one at a time. Signals: not safe (heap).

namespace csink {

/// Which kind of attribute a name is. Macros are the user's (event_macros.h).
enum class AttributeKind : std::uint8_t { kUnitMask, kModifier, kMacro };

/// A unit mask, a modifier or a macro of an event.
struct EventAttribute {
  std::string name;  ///< "ANY_REQUEST", "c"
  /// libpfm4's description, or the name in words.
  std::string text;
  AttributeKind kind = AttributeKind::kUnitMask;
  int group = -1;           ///< Of a unit mask or macro: index of its group; -1: none
  bool is_default = false;  ///< Used where its group has no other member in the event
  bool hard_wired = false;  ///< A mask that fixes modifiers, or a modifier with one possible value
  bool is_integer = false;  ///< A modifier with a number; false: on or off
  std::uint64_t code = 0;   ///< Of a unit mask: its encoding
  std::string modifiers;  ///< Of a mask: what it fixes, "i=1:c=1". Of a modifier: its value, "c=0"
  std::string same_as;    ///< "ANY:c=1:i=1" where the mask is an abbreviation
};

/// A group of unit masks (or macros), of which an event must have at least one member. libpfm4 has
/// no names for groups; messages number them.
struct AttributeGroup {
  std::string name;          ///< Of a macro group; else ""
  std::string default_name;  ///< The member used by default; "": one must be chosen
  bool required = true;      ///< False: needed only beside a member of another group
};

/// An event with its attributes.
struct EventAttributes {
  std::string event;  ///< "skx::OFFCORE_RESPONSE_0"
  std::string text;
  std::string pmu;
  /// In the order of their first masks; groups of macros last.
  std::vector<AttributeGroup> groups;
  std::vector<EventAttribute> attributes;  ///< In libpfm4's order
};

struct MacroGroup;

/// Adds a group of the user's macros, and its entries, to the groups of `event`. `macros` must have
/// an entry.
void AddMacroGroup(const MacroGroup& macros, EventAttributes& event);

/// Derives everything about the event with libpfm4's index `event`; nullopt: there is no such
/// event. Encodes many variants (at least one for each unit mask), so callers should keep the
/// result.
std::optional<EventAttributes> DeriveAttributes(const PfmLibrary& pfm, int event);

}  // namespace csink
