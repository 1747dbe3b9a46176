#include "core/events/event_listing.h"

#include "core/events/event_alias.h"
#include "core/events/event_tables.h"
#include "core/events/pfm_library.h"

namespace csink {
namespace {

// The built-in names, with perf's second name of an event as a line of its own. Returns false if
// the visitor ended the listing.
bool ListAliases(EventNameVisitor visitor, void* arg) noexcept {
  for (const EventAlias* alias = AliasesBegin(); alias != AliasesEnd(); ++alias) {
    if (!visitor({{}, alias->name, alias->what, false}, arg)) return false;
    if (!alias->other.empty()) {
      const Text<80> same = Text<80>(Text<80>().Add("the same as ").Add(alias->name));
      if (!visitor({{}, alias->other, same.view(), false}, arg)) return false;
    }
  }
  return visitor({{}, "rNNN", "raw event of the PMU with the hexadecimal number NNN", false}, arg);
}

}  // namespace

bool ForEachEventName(EventNameVisitor visitor, void* arg) noexcept {
  const bool go_on = ListAliases(visitor, arg);
  // The library is asked for even where the visitor has ended the listing: the result says whether
  // it is there.
  const PfmLibrary* pfm = PfmLibrary::Get();
  if (!pfm) return false;
  if (!go_on) return true;
  ForEachPfmEvent(*pfm, [&](const pfm_pmu_info_t& pmu, const pfm_event_info_t& event) {
    // A socket's PMU has no events that belong to one thread.
    if (pmu.type == PFM_PMU_TYPE_UNCORE) return true;
    // The tables have no descriptions (docs/design/events.md), so the name is shown in words.
    const Text<96> event_words = WordsOfName(event.name);
    const std::string_view event_text = event.desc ? event.desc : event_words.view();
    if (!visitor({pmu.name, event.name, event_text, false}, arg)) return false;
    return ForEachPfmAttribute(*pfm, event, [&](const pfm_event_attr_info_t& attribute) {
      // Modifiers (c, i, u, ...) are no event names.
      if (attribute.type != PFM_ATTR_UMASK) return true;
      Text<256> name;
      name.Add(event.name).Add(':').Add(attribute.name);
      const Text<96> words = WordsOfName(attribute.name);
      const std::string_view text = attribute.desc ? attribute.desc : words.view();
      return visitor({pmu.name, name.view(), text, true}, arg);
    });
  });
  return true;
}

Text<256> DescribeEventLibrary() noexcept {
  Text<256> text;
  const PfmLibrary* pfm = PfmLibrary::Get();
  if (!pfm) {
    return text.Add("libpfm4 cannot be loaded (libpfm.so.4): only built-in events are available");
  }
  text.Add(PfmLibrary::Libpfm4() ? "libpfm4, PMUs:" : "without libpfm4 (libpfm.so.4), PMUs:");
  // PMUs that libpfm4 knows and this machine does not have are left out: there are hundreds.
  ForEachPmu(*pfm, [&text](int, const pfm_pmu_info_t& pmu) {
    if (pmu.is_present) text.Add(' ').Add(pmu.name);
    return true;
  });
  return text;
}

}  // namespace csink
