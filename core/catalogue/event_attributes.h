#pragma once

#include <optional>

#include "core/catalogue/pfm_encoding.h"

/// File: what libpfm4's interface does not say of an event's unit masks and modifiers: their
/// groups, and which values are wired. Found by encoding:
///   groups      the defaults that libpfm4 adds to a mask are those of the groups the mask is not
///               in: E:L3_HIT -> E:ANY_REQUEST:L3_HIT:SNP_ANY takes the place of ANY_RESPONSE
///   wired       E:mask:c=2 answers PFM_ERR_ATTR_SET
///   missing     E:mask answers PFM_ERR_UMASK where another group must be chosen too

namespace csink {

enum class AttributeKind : std::uint8_t { kUnitMask, kModifier, kMacro };

struct EventAttribute {
  std::string name;  ///< "ANY_REQUEST", "c"
  std::string text;
  AttributeKind kind = AttributeKind::kUnitMask;
  int group = -1;           ///< Unit masks and macros: of which group; -1: of none
  bool is_default = false;  ///< Taken when its group has no other member
  bool hard_wired = false;  ///< It fixes modifiers (a mask), or has one possible value (a modifier)
  bool is_integer = false;  ///< A modifier: 0: on or off
  std::uint64_t code = 0;   ///< Of a unit mask
  std::string modifiers;  ///< Of a mask: what it fixes, "i=1:c=1". Of a modifier: its value, "c=0"
  std::string same_as;    ///< "ANY:c=1:i=1", where the mask is a short spelling
};

/// One group of unit masks (or macros): at least one member must be in an event.
struct AttributeGroup {
  std::string name;          ///< Of a macro group; else empty
  std::string default_name;  ///< Its default, or empty: it must be chosen
  bool required = true;      ///< False: only next to a member of another group
};

struct EventAttributes {
  std::string event;  ///< "skx::OFFCORE_RESPONSE_0"
  std::string text;
  std::string pmu;
  std::vector<AttributeGroup> groups;
  std::vector<EventAttribute> attributes;  ///< In libpfm4's order
};

struct MacroGroup;

/// Adds the user's macros as one more group.
void AddMacroGroup(const MacroGroup& macros, EventAttributes& event);

/// All of it about libpfm4's event of that index. Nothing: no such event.
std::optional<EventAttributes> DeriveAttributes(const PfmLibrary& pfm, int event);

}  // namespace csink
