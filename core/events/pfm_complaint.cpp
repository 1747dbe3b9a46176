#include "core/events/pfm_complaint.h"

#include "core/events/event_alias.h"
#include "core/events/event_rate.h"
#include "core/util/nearest.h"
#include "core/util/parse.h"

// File: the event string is divided again as libpfm4 divides it, and its parts are compared with
// libpfm4's lists: first the PMU, then the event, then each attribute. The first part that libpfm4
// does not know is named, with the nearest spellings. Only if all parts are known is the error code
// translated.

namespace csink {
namespace {

constexpr std::string_view kHowToList = "; \"csink doctor --events\" lists all events";
// A complaint has 512 bytes; some events have more than 100 unit masks.
constexpr std::size_t kShownNames = 12;

// Appends "; nearest: A, B", or nothing where no candidate was close.
template <std::size_t N>
void AddNearest(const NearestNames<N>& nearest, EventComplaint& complaint) noexcept {
  for (std::size_t i = 0; i < nearest.count(); ++i) {
    complaint.Add(i == 0 ? "; nearest: " : ", ").Add(nearest[i]);
  }
}

/// The event's name without attributes: libpfm4 accepts '.' for ':' ("INST_RETIRED.ANY_P" ->
/// "INST_RETIRED").
std::string_view EventPart(const EventText& event) noexcept {
  std::string_view rest = event.base;
  return NextToken(rest, '.');
}

/// Finds libpfm4's description of the event whose attributes it refused. Returns false if libpfm4
/// does not know the event.
bool FindEventInfo(const PfmLibrary& pfm, const EventText& event, pfm_event_info_t& info) noexcept {
  Text<256> name;
  if (!event.pmu.empty()) name.Add(event.pmu).Add("::");
  name.Add(EventPart(event));
  const int index = pfm.find_event(name.c_str());
  info = pfm_event_info_t{};
  info.size = sizeof(info);
  return index >= 0 && pfm.get_event_info(index, PFM_OS_PERF_EVENT_EXT, &info) == PFM_SUCCESS;
}

/// Calls visit(token) for each attribute behind the event's name, in both spellings:
/// "EVENT.MASK:c=1" has the attributes MASK and c=1.
template <class Visit>
void ForEachToken(const EventText& event, Visit visit) noexcept {
  std::string_view dotted = event.base;
  NextToken(dotted, '.');
  while (!dotted.empty()) visit(NextToken(dotted, '.'));
  std::string_view rest = event.attributes;
  while (!rest.empty()) {
    std::string_view piece = NextToken(rest, ':');
    while (!piece.empty()) visit(NextToken(piece, '.'));
  }
}

// The loop is stopped at the first attribute of that name, hence the negation.
bool HasAttribute(const PfmLibrary& pfm, const pfm_event_info_t& event,
                  std::string_view key) noexcept {
  return !ForEachPfmAttribute(pfm, event, [key](const pfm_event_attr_info_t& attribute) {
    return !EqualsIgnoringCase(attribute.name, key);
  });
}

/// The first attribute that the event does not have; "": it has all of them.
std::string_view UnknownToken(const PfmLibrary& pfm, const EventText& event,
                              const pfm_event_info_t& info) noexcept {
  std::string_view unknown;
  ForEachToken(event, [&](std::string_view token) {
    // u, k and p were read by us and never reached libpfm4.
    EventModifiers ours;
    if (!unknown.empty() || ours.Take(token)) return;
    const std::string_view key = NextToken(token, '=');
    if (!HasAttribute(pfm, info, key)) unknown = key;
  });
  return unknown;
}

// Appends the event's unit masks, the first kShownNames by name.
void AddUnitMasks(const PfmLibrary& pfm, const pfm_event_info_t& info,
                  EventComplaint& complaint) noexcept {
  std::size_t count = 0;
  ForEachPfmAttribute(pfm, info, [&](const pfm_event_attr_info_t& attribute) {
    if (attribute.type != PFM_ATTR_UMASK) return true;
    if (count < kShownNames) complaint.Add(count == 0 ? "" : ", ").Add(attribute.name);
    ++count;
    return true;
  });
  if (count > kShownNames) complaint.Add(" and ").Number(count - kShownNames).Add(" more");
}

void ComplainUnknownAttribute(const PfmLibrary& pfm, const pfm_event_info_t& info,
                              std::string_view unknown, EventComplaint& complaint) noexcept {
  complaint.Add(" has no unit mask or modifier ");
  AddQuoted(complaint, unknown);
  NearestNames<3> nearest(unknown);
  bool has_masks = false;
  ForEachPfmAttribute(pfm, info, [&](const pfm_event_attr_info_t& attribute) {
    nearest.Offer(attribute.name);
    has_masks |= attribute.type == PFM_ATTR_UMASK;
    return true;
  });
  // The whole list only helps where no spelling is near.
  AddNearest(nearest, complaint);
  if (nearest.count() == 0 && has_masks) {
    complaint.Add("; it has ");
    AddUnitMasks(pfm, info, complaint);
  }
  complaint.Add("; modifiers are u, k, p, pp, ppp");
}

// Whether any PMU with counters of the CPU is there; otherwise an unknown event is explained by the
// machine.
bool HasHardwarePmu(const PfmLibrary& pfm) noexcept {
  return !ForEachPmu(pfm, [](int, const pfm_pmu_info_t& pmu) {
    return !pmu.is_present || pmu.type != PFM_PMU_TYPE_CORE;
  });
}

/// Writes the sentence for a wrong PMU before "::". Returns false, without a change of `complaint`,
/// if the PMU is present: the mistake is another.
bool ComplainUnknownPmu(const PfmLibrary& pfm, const EventText& event,
                        EventComplaint& complaint) noexcept {
  if (event.pmu.empty()) return false;
  // Of the present PMUs only: a hint to another machine's PMU would not help.
  NearestNames<3> nearest(event.pmu);
  Text<160> present;
  bool known = false;
  const bool absent = ForEachPmu(pfm, [&](int, const pfm_pmu_info_t& pmu) {
    // libpfm4 compares names of PMUs without regard to case, too.
    const bool same = EqualsIgnoringCase(pmu.name, event.pmu);
    if (same && pmu.is_present) return false;
    known |= same;
    if (!pmu.is_present) return true;
    nearest.Offer(pmu.name);
    present.Add(present.size() == 0 ? "" : ", ").Add(pmu.name);
    return true;
  });
  if (!absent) return false;
  complaint.Add(known ? " belongs to a PMU that this machine does not have: "
                      : " belongs to an unknown PMU: ");
  AddQuoted(complaint, event.pmu);
  AddNearest(nearest, complaint);
  complaint.Add("; present: ").Add(present.size() == 0 ? "none" : present.view());
  return true;
}

}  // namespace

Error ComplainUnknownEvent(const PfmLibrary* pfm, const EventText& event,
                           EventComplaint& complaint) noexcept {
  ComplainOf(event, complaint);
  if (pfm && ComplainUnknownPmu(*pfm, event, complaint)) {
    complaint.Add(kHowToList);
    return {Errc::kNoEvent, 0, "unknown event"};
  }
  complaint.Add(
      pfm ? " is not known"
          : " is not built in, and libpfm4, which has all other events, cannot be loaded");
  // Only the part before the first '.' is compared: unit masks would make every name look distant.
  NearestNames<3> nearest(EventPart(event));
  for (const EventAlias* alias = AliasesBegin(); alias != AliasesEnd(); ++alias) {
    nearest.Offer(alias->name);
    if (!alias->other.empty()) nearest.Offer(alias->other);
  }
  if (pfm) {
    ForEachPfmEvent(*pfm, [&](const pfm_pmu_info_t&, const pfm_event_info_t& info) {
      nearest.Offer(info.name);
      return true;
    });
  }
  AddNearest(nearest, complaint);
  if (nearest.count() == 0 && pfm && !HasHardwarePmu(*pfm)) {
    complaint.Add("; libpfm4 does not support a hardware PMU of this machine");
  }
  complaint.Add(kHowToList);
  if (!pfm) return {Errc::kUnsupported, 0, "libpfm4 cannot be loaded"};
  return {Errc::kNoEvent, 0, "unknown event"};
}

Error ComplainSocketWide(const EventText& event, EventComplaint& complaint) noexcept {
  ComplainOf(event, complaint)
      .Add(" counts for the whole socket and cannot be sampled in a thread")
      .Add(kHowToList);
  return {Errc::kInvalid, 0, "event of a whole socket"};
}

Error ComplainRefusedEvent(const PfmLibrary& pfm, const EventText& event, int code,
                           EventComplaint& complaint) noexcept {
  constexpr Error kRefused{Errc::kInvalid, 0, "event is not valid"};
  pfm_event_info_t info;
  if (!FindEventInfo(pfm, event, info)) return ComplainUnknownEvent(&pfm, event, complaint);
  pfm_pmu_info_t pmu;
  // Before the attributes: the kind of the PMU explains the refusal, whatever else is wrong.
  // libpfm4 4.13 reports such an event as not found where the kernel does not have its PMU.
  if (pfm.Pmu(info.pmu, pmu) && pmu.type == PFM_PMU_TYPE_UNCORE) {
    return ComplainSocketWide(event, complaint);
  }
  if (code == PFM_ERR_NOTFOUND) return ComplainUnknownEvent(&pfm, event, complaint);
  ComplainOf(event, complaint);
  const std::string_view unknown = UnknownToken(pfm, event, info);
  if (!unknown.empty()) {
    ComplainUnknownAttribute(pfm, info, unknown, complaint);
  } else if (code == PFM_ERR_UMASK) {
    complaint.Add(" needs a unit mask: ");
    AddUnitMasks(pfm, info, complaint);
  } else if (code == PFM_ERR_ATTR_VAL) {
    complaint.Add(": the value of an attribute is not valid");
  } else if (code == PFM_ERR_FEATCOMB || code == PFM_ERR_ATTR || code == PFM_ERR_ATTR_SET) {
    complaint.Add(": these attributes cannot be combined");
  } else {
    complaint.Add(": libpfm4 reports: ").Add(pfm.strerror(code));
  }
  complaint.Add(kHowToList);
  return kRefused;
}

}  // namespace csink
