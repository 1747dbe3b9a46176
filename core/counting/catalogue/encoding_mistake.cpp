#include "core/counting/catalogue/encoding_mistake.h"

#include "core/events/event_alias.h"
#include "core/events/event_rate.h"
#include "core/events/pfm_complaint.h"
#include "core/util/nearest.h"

// libpfm4 answers a mistake with a code and does not say which attribute is at fault. Each function
// of Refusal takes one code and finds the attribute by asking for single attributes or pairs of
// them. Where nothing is found, a general sentence is written.

namespace csink {
namespace {

// The most names that a message lists.
constexpr std::size_t kShownNames = 12;

/// Finds the reason for which libpfm4 refused an event with these attributes, and writes it as a
/// sentence. Each function handles one error code.
class Refusal {
 public:
  Refusal(const PfmLibrary& pfm, const EventText& event, const EventAttributes& known,
          EventComplaint& complaint)
      : pfm_(pfm), known_(known), complaint_(complaint) {
    std::string_view base = event.base;
    // Attributes may begin with '.' inside the base, or with ':' behind it.
    const std::size_t dot = base.find('.');
    if (dot != std::string_view::npos) tokens_ = TokensOf(base.substr(dot + 1));
    for (const EventToken& token : TokensOf(event.attributes)) tokens_.push_back(token);
  }

  Error UnknownAttribute();
  Error ImpossibleValue();
  Error ChangedValue();
  Error MissingGroup();
  Error Excluded();

 private:
  // The attribute of this name, in any case; nullptr: the event has none.
  const EventAttribute* Known(std::string_view name) const;
  PfmAnswer Ask(std::string_view attributes) const {
    return AskPfm(pfm_, known_.event + ":" + std::string(attributes));
  }
  void AddMembers(int group);
  Error Attribute() const { return {Errc::kAttribute, 0, "attribute of an event"}; }
  Error Combination() const { return {Errc::kCombination, 0, "attributes exclude each other"}; }

  const PfmLibrary& pfm_;
  const EventAttributes& known_;
  EventComplaint& complaint_;
  std::vector<EventToken> tokens_;
};

const EventAttribute* Refusal::Known(std::string_view name) const {
  for (const EventAttribute& attribute : known_.attributes) {
    if (EqualsIgnoringCase(attribute.name, name)) return &attribute;
  }
  return nullptr;
}

std::string Spelled(const EventToken& token) {
  std::string text(token.key);
  if (token.has_value) (text += '=') += token.value;
  return text;
}

// Lists the unit masks of a group.
void Refusal::AddMembers(int group) {
  std::size_t count = 0;
  for (const EventAttribute& attribute : known_.attributes) {
    if (attribute.kind != AttributeKind::kUnitMask || attribute.group != group) continue;
    if (count < kShownNames) complaint_.Add(count == 0 ? "" : ", ").Add(attribute.name);
    ++count;
  }
  if (count > kShownNames) complaint_.Add(" and ").Number(count - kShownNames).Add(" more");
}

// PFM_ERR_ATTR. A unit mask with a value is an unknown attribute for libpfm4, too.
Error Refusal::UnknownAttribute() {
  for (const EventToken& token : tokens_) {
    const EventAttribute* known = Known(token.key);
    if (known && !(known->kind == AttributeKind::kUnitMask && token.has_value)) continue;
    if (known) {
      complaint_.Add(": ").Add(known->name).Add(" is a unit mask and does not accept a value");
      return Attribute();
    }
    complaint_.Add(token.key.empty() ? ": the attribute before or after a ':' is missing"
                                     : " has no unit mask or modifier ");
    if (token.key.empty()) return {Errc::kInvalid, 0, "not an event string"};
    AddQuoted(complaint_, token.key);
    NearestNames<3> nearest(token.key);
    for (const EventAttribute& attribute : known_.attributes) nearest.Offer(attribute.name);
    for (std::size_t i = 0; i < nearest.count(); ++i) {
      complaint_.Add(i == 0 ? "; nearest: " : ", ").Add(nearest[i]);
    }
    if (nearest.count() == 0) {
      complaint_.Add("; it has ");
      std::size_t shown = 0;
      for (const EventAttribute& attribute : known_.attributes) {
        if (shown < kShownNames) complaint_.Add(shown == 0 ? "" : ", ").Add(attribute.name);
        ++shown;
      }
      if (shown > kShownNames) complaint_.Add(" and ").Number(shown - kShownNames).Add(" more");
      if (shown == 0) complaint_.Add("none");
    }
    return Attribute();
  }
  complaint_.Add(": an attribute has a syntax error");
  return Attribute();
}

// PFM_ERR_ATTR_VAL.
Error Refusal::ImpossibleValue() {
  for (const EventToken& token : tokens_) {
    const EventAttribute* known = Known(token.key);
    // Each attribute is tried alone. The first one that libpfm4 refuses in the same way is the
    // cause.
    if (!known || Ask(Spelled(token)).code != PFM_ERR_ATTR_VAL) continue;
    complaint_.Add(": modifier ").Add(known->name).Add(" cannot be ");
    AddQuoted(complaint_, token.value);
    if (!known->is_integer) complaint_.Add(", the value must be 0 or 1");
    complaint_.Add(" (").Add(known->text).Add(")");
    return Attribute();
  }
  complaint_.Add(": the value of a modifier is not valid");
  return Attribute();
}

/// A modifier that is given twice with different values, or that the event or a unit mask fixes.
Error Refusal::ChangedValue() {
  for (const EventToken& token : tokens_) {
    const EventAttribute* known = Known(token.key);
    if (!known || known->kind == AttributeKind::kUnitMask) continue;
    // A modifier without a value counts as 1.
    const std::string_view value = token.has_value ? token.value : std::string_view("1");
    // The first of several settings of one key.
    const std::string_view first = ValueOf(tokens_, token.key);
    if (!first.empty() && first != value) {
      complaint_.Add(": modifier ").Add(known->name).Add(" is given twice, as ").Add(first);
      complaint_.Add(" and ").Add(value);
      return Attribute();
    }
    if (known->hard_wired) {
      complaint_.Add(" has ").Add(known->modifiers).Add(" fixed, and ").Add(Spelled(token));
      complaint_.Add(" would change the value; remove this attribute");
      return Attribute();
    }
    for (const EventToken& mask : tokens_) {
      const EventAttribute* wiring = Known(mask.key);
      if (!wiring || wiring->kind != AttributeKind::kUnitMask) continue;
      const std::string_view wired = ValueOf(TokensOf(wiring->modifiers), known->name);
      if (wired.empty() || wired == value) continue;
      complaint_.Add(": unit mask ")
          .Add(wiring->name)
          .Add(" has ")
          .Add(known->name)
          .Add("=")
          .Add(wired);
      complaint_.Add(" fixed, and ")
          .Add(Spelled(token))
          .Add(" would change the value; remove this attribute");
      return Attribute();
    }
  }
  complaint_.Add(": a modifier would change a fixed value");
  return Attribute();
}

// PFM_ERR_UMASK: a group without a default has no member in the string, or two masks exclude each
// other.
Error Refusal::MissingGroup() {
  for (std::size_t i = 0; i < known_.groups.size(); ++i) {
    const AttributeGroup& group = known_.groups[i];
    // Groups with a default complete themselves; groups with a name are macros, which are replaced
    // before libpfm4 is asked.
    if (!group.required || !group.default_name.empty() || !group.name.empty()) continue;
    bool has_member = false;
    for (const EventToken& token : tokens_) {
      const EventAttribute* known = Known(token.key);
      has_member |= known && known->group == static_cast<int>(i);
    }
    if (has_member) continue;
    complaint_.Add(" needs a unit mask");
    if (known_.groups.size() > 1) complaint_.Add(" of group ").Number(i);
    complaint_.Add(": ");
    AddMembers(static_cast<int>(i));
    return Attribute();
  }
  // No group lacks a member, so the masks contradict each other.
  return Excluded();
}

// PFM_ERR_FEATCOMB, and PFM_ERR_UMASK where no member is missing.
Error Refusal::Excluded() {
  for (std::size_t i = 0; i < tokens_.size(); ++i) {
    // Pairs alone are tried, not larger combinations.
    for (std::size_t k = i + 1; k < tokens_.size(); ++k) {
      const EventAttribute* a = Known(tokens_[i].key);
      const EventAttribute* b = Known(tokens_[k].key);
      if (!a || !b || a == b) continue;
      const int code = Ask(Spelled(tokens_[i]) + ":" + Spelled(tokens_[k])).code;
      if (code != PFM_ERR_FEATCOMB && code != PFM_ERR_UMASK) continue;
      complaint_.Add(": ").Add(a->name).Add(" and ").Add(b->name).Add(" exclude each other");
      if (a->group >= 0 && a->group == b->group && known_.groups.size() > 1) {
        complaint_.Add(" (both belong to group ")
            .Number(static_cast<std::uint64_t>(a->group))
            .Add(')');
      }
      return Combination();
    }
  }
  complaint_.Add(": these attributes cannot be combined");
  return Combination();
}

}  // namespace

// An event that libpfm4 does not have is explained elsewhere (ComplainUnknownEvent): its name is at
// fault, not its attributes.
Error ExplainRefusal(const PfmLibrary& pfm, const EventText& event, int code,
                     const EventAttributes* attributes, EventComplaint& complaint) {
  if (code == PFM_ERR_NOTFOUND || !attributes) return ComplainUnknownEvent(&pfm, event, complaint);
  ComplainOf(event, complaint);
  Refusal refusal(pfm, event, *attributes, complaint);
  switch (code) {
    case PFM_ERR_ATTR:
      return refusal.UnknownAttribute();
    case PFM_ERR_ATTR_VAL:
      return refusal.ImpossibleValue();
    case PFM_ERR_ATTR_SET:
      return refusal.ChangedValue();
    case PFM_ERR_UMASK:
      return refusal.MissingGroup();
    case PFM_ERR_FEATCOMB:
      return refusal.Excluded();
    case PFM_ERR_TOOMANY:
      complaint.Add(" has too many attributes");
      return {Errc::kLimit, 0, "too many attributes"};
    default:
      complaint.Add(": libpfm4 reports: ").Add(pfm.strerror(code));
      return {code == PFM_ERR_NOTSUPP ? Errc::kUnsupported : Errc::kInvalid, 0,
              "event is not valid"};
  }
}

}  // namespace csink
