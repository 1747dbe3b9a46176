#include <algorithm>

#include "core/counting/catalogue/catalogue_body.h"

// Listing gives ids to the events of libpfm4 in its order, and to the attributes of an event when
// they are first asked for. An entry that is only listed has no encoding: an event may be
// incomplete without a unit mask. The three lists of an event (Listing) are kept, so that a step
// finds its successor without asking libpfm4 again.

namespace csink {
namespace {

/// A bound for the listing: OFFCORE_RESPONSE_0 alone has thousands of combinations.
constexpr std::size_t kMaxCombinations = 4096;

// Stores libpfm4's description of an event. Returns false if there is none.
bool GetEvent(const PfmLibrary& pfm, int index, pfm_event_info_t& info) {
  info = pfm_event_info_t{};
  info.size = sizeof(info);
  return pfm.get_event_info(index, PFM_OS_PERF_EVENT_EXT, &info) == PFM_SUCCESS && info.name;
}

}  // namespace

// nullopt if libpfm4 does not describe the event, or its PMU is not present.
std::optional<std::uint32_t> NativeCatalogue::Body::ListedEvent(CatalogueSide side, int event) {
  std::uint32_t& base = listings_[event].base;
  if (base != CatalogueEntries::kNone) return base;
  pfm_event_info_t info;
  const CataloguePmu* pmu = GetEvent(*pfm_, event, info) ? order_->Pmu(info.pmu) : nullptr;
  if (!pmu) return std::nullopt;
  const std::string name = order_->ListedName(info);
  // The user may have found the event by this name before: it then has an id.
  base = entries.Find(side, name);
  if (base == CatalogueEntries::kNone) {
    CatalogueEntry entry;
    entry.name = name;
    entry.event_text = SentenceOf(info.desc, info.name, entries);
    entry.pmu_name = pmu->name;
    entry.pmu_text = pmu->text;
    entry.side = side;
    base = entries.Add(entry);
  }
  CatalogueEntry* kept = entries.At(base);
  if (!kept) return std::nullopt;
  kept->event = event;
  return base;
}

std::optional<std::uint32_t> NativeCatalogue::Body::First(CatalogueSide side) {
  if (!Pfm()) return std::nullopt;
  for (const int event : order_->Events(side)) {
    if (const auto id = ListedEvent(side, event)) return id;
  }
  return std::nullopt;
}

/// Finds the event that an entry found by name belongs to, so that listing can continue from there.
bool NativeCatalogue::Body::Place(CatalogueEntry& entry) {
  if (entry.event >= 0) return true;
  EventComplaint complaint;
  const EventText text = SplitEvent(entry.name);
  // The event alone, without attributes: libpfm4 accepts '.' in front of them, too.
  const std::string event =
      PmuOf(text) + "::" + std::string(text.base.substr(0, text.base.find('.')));
  entry.event = Pfm() ? pfm_->find_event(event.c_str()) : -1;
  return entry.event >= 0;
}

std::optional<std::uint32_t> NativeCatalogue::Body::Next(std::uint32_t id) {
  CatalogueEntry* entry = entries.At(id);
  if (!entry || !Pfm() || !Place(*entry)) return std::nullopt;
  for (int event = order_->After(entry->side, entry->event); event != -1;
       event = order_->After(entry->side, event)) {
    if (const auto next = ListedEvent(entry->side, event)) return next;
  }
  return std::nullopt;
}

// The entry may exist already, because the user asked for this string. Its event is set in any
// case, so that listing can continue from it.
std::uint32_t NativeCatalogue::Body::AddListed(const CatalogueEntry& event,
                                               std::string_view attributes, std::string_view text) {
  std::string name(event.name);
  (name += ':') += attributes;
  std::uint32_t id = entries.Find(event.side, name);
  if (id == CatalogueEntries::kNone) {
    CatalogueEntry entry;
    entry.name = name;
    entry.event_text = event.event_text;
    entry.mask_text = text;
    entry.pmu_name = event.pmu_name;
    entry.pmu_text = event.pmu_text;
    entry.side = event.side;
    entry.is_attribute = true;
    id = entries.Add(entry);
  }
  if (CatalogueEntry* kept = entries.At(id)) kept->event = event.event;
  return id;
}

std::vector<std::uint32_t> NativeCatalogue::Body::MakeAttributes(const CatalogueEntry& event) {
  std::vector<std::uint32_t> ids;
  pfm_event_info_t info;
  if (!GetEvent(*pfm_, event.event, info)) return ids;
  const std::vector<const MacroGroup*> groups = Macros().GroupsOf(event.pmu_name, info.name);
  // Macros stand between the unit masks and the modifiers, where libpfm4 lists masks first.
  bool macros_listed = false;
  const auto list_macros = [&] {
    for (const MacroGroup* group : groups) {
      for (const EventMacro& macro : group->entries) {
        ids.push_back(AddListed(event, macro.name, entries.Keep(MacroText(*group, macro))));
      }
    }
    macros_listed = true;
  };
  ForEachPfmAttribute(*pfm_, info, [&](const pfm_event_attr_info_t& attribute) {
    const bool is_mask = attribute.type == PFM_ATTR_UMASK;
    if (!is_mask && !macros_listed) list_macros();
    std::string name(attribute.name);
    // A modifier needs a value to be a complete name.
    // PAPI's listings write it so, too; "c" alone is no attribute of an integer.
    if (!is_mask) name += "=0";
    ids.push_back(AddListed(event, name, SentenceOf(attribute.desc, attribute.name, entries)));
    return true;
  });
  if (!macros_listed) list_macros();
  return ids;
}

// The first attribute of each group stands for the group.
std::vector<std::uint32_t> NativeCatalogue::Body::MakeGroups(const CatalogueEntry& event) {
  std::vector<std::uint32_t> ids;
  const EventAttributes* known = AttributesOf(event.event);
  for (std::size_t group = 0; known && group < known->groups.size(); ++group) {
    for (const EventAttribute& attribute : known->attributes) {
      if (attribute.group != static_cast<int>(group)) continue;
      ids.push_back(AddListed(event, attribute.name, entries.Keep(attribute.text)));
      break;
    }
  }
  return ids;
}

/// All combinations of one unit mask from each group; the first group's mask changes slowest.
std::vector<std::uint32_t> NativeCatalogue::Body::MakeCombinations(const CatalogueEntry& event) {
  struct Choice {
    std::string names;
    std::string texts;
  };
  std::vector<std::uint32_t> ids;
  const EventAttributes* known = AttributesOf(event.event);
  // Starts with one empty choice and multiplies it by the masks of each group in turn. A group of
  // macros alone has no masks and leaves the choices as they are.
  std::vector<Choice> choices(1);
  for (std::size_t group = 0; known && group < known->groups.size(); ++group) {
    std::vector<Choice> longer;
    for (const Choice& choice : choices) {
      for (const EventAttribute& attribute : known->attributes) {
        if (attribute.group != static_cast<int>(group)) continue;
        // Modifiers are left out: each of their values would be another combination.
        if (attribute.kind != AttributeKind::kUnitMask || longer.size() >= kMaxCombinations) {
          continue;
        }
        const char* colon = choice.names.empty() ? "" : ":";
        longer.push_back(
            {choice.names + colon + attribute.name, choice.texts + colon + attribute.text});
      }
    }
    if (!longer.empty()) choices = std::move(longer);
  }
  for (const Choice& choice : choices) {
    // libpfm4 decides which combinations exist: masks of different groups may exclude each other.
    if (!choice.names.empty() &&
        Ask(SplitEvent(event.name), std::string(event.name) + ":" + choice.names).code ==
            PFM_SUCCESS) {
      ids.push_back(AddListed(event, choice.names, entries.Keep(choice.texts)));
    }
  }
  return ids;
}

// `id` may be the event itself (the answer is the first of the list), a member of the list (the
// next one), or another spelling of the event that the user looked up.
std::optional<std::uint32_t> NativeCatalogue::Body::Step(std::uint32_t id, List list) {
  CatalogueEntry* entry = entries.At(id);
  if (!entry || !Pfm() || !Place(*entry)) return std::nullopt;
  const std::optional<std::uint32_t> base = ListedEvent(entry->side, entry->event);
  if (!base) return std::nullopt;
  const CatalogueEntry& event = *entries.At(*base);
  std::optional<std::vector<std::uint32_t>>& ids =
      listings_[entry->event].lists[static_cast<std::size_t>(list)];
  if (!ids) {
    ids = list == List::kAttributes     ? MakeAttributes(event)
          : list == List::kCombinations ? MakeCombinations(event)
                                        : MakeGroups(event);
  }
  std::size_t next = 0;
  if (id != *base) {
    // The ids of a newly made list are consecutive, so the position can be computed.
    const std::size_t guess = ids->empty() ? 0 : id - ids->front();
    next = guess < ids->size() && (*ids)[guess] == id
               ? guess
               : static_cast<std::size_t>(std::find(ids->begin(), ids->end(), id) - ids->begin());
    // An id that is not in the list: another name of the event starts at the list's beginning, an
    // attribute string has no successor.
    next = next < ids->size() ? next + 1 : (entry->is_attribute ? ids->size() : 0);
  }
  if (next >= ids->size()) return std::nullopt;
  return (*ids)[next];
}

}  // namespace csink
