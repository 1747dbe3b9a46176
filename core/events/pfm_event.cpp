#include "core/events/pfm_event.h"

#include <cstring>

#include "core/events/event_alias.h"
#include "core/events/pfm_complaint.h"
#include "core/events/pfm_library.h"
#include "core/util/parse.h"

// File: an event string is divided into our modifiers and what libpfm4 reads. libpfm4's answer
// gives type and config words; the event's name is made from the canonical spelling of the answer,
// so that different spellings of one event have one name in a report.

namespace csink {
namespace {

/// A NUL-terminated text, as libpfm4 needs it. EncodeNativeEvent refuses strings of 200 bytes and
/// more, so nothing is cut.
using PfmText = Text<256>;

/// Whether an attribute says how to count rather than what: those of libpfm4's perf_event layer.
bool IsHowAttribute(std::string_view key) noexcept {
  for (std::string_view how : {"u", "k", "h", "period", "freq", "precise", "excl", "mg", "mh",
                               "hw_smpl", "pinned", "cpu"}) {
    if (EqualsIgnoringCase(key, how)) return true;
  }
  return false;
}

/// Whether an attribute has no meaning for a sampling event of one thread.
bool IsUnsupportedAttribute(std::string_view key) noexcept {
  for (std::string_view no : {"excl", "mg", "mh", "pinned", "cpu"}) {
    if (EqualsIgnoringCase(key, no)) return true;
  }
  return false;
}

// Replaces the complaint by "event NAME: why".
Error Invalid(EventComplaint& complaint, const EventText& event, std::string_view why) noexcept {
  ComplainOf(event, complaint).Add(": ").Add(why);
  return {Errc::kInvalid, 0, "event is not valid"};
}

/// Separates our modifiers (u, k, p) from the attributes that are passed to libpfm4. Errors:
/// kInvalid (an empty attribute, an attribute that has no meaning for the sampling of threads).
Result<void> SplitAttributes(const EventText& event, PfmText& for_pfm, EventModifiers& modifiers,
                             EventComplaint& complaint) noexcept {
  if (!event.pmu.empty()) for_pfm.Add(event.pmu).Add("::");
  for_pfm.Add(event.base);
  Tokens attributes = AttributesOf(event);
  for (std::string_view token; attributes.Next(token);) {
    if (token.empty()) return Invalid(complaint, event, "the attribute after a ':' is missing");
    if (modifiers.Take(token)) continue;
    std::string_view value = token;
    const std::string_view key = NextToken(value, '=');
    // cpu=, pinned and the like are decided by the sampling code for all events of a run.
    if (IsUnsupportedAttribute(key)) {
      Invalid(complaint, event, "attribute ");
      AddQuoted(complaint, key);
      complaint.Add(" is not supported when threads are sampled");
      return Error{Errc::kInvalid, 0, "event is not valid"};
    }
    for_pfm.Add(':').Add(token);
  }
  return {};
}

/// Reduces a canonical string to what is counted, without PMU, default values and attributes about
/// how to count: "skx::INST_RETIRED:ANY_P:e=0:c=1:u=1" -> "INST_RETIRED:ANY_P:c=1".
PfmText CanonicalName(std::string_view qualified) noexcept {
  PfmText name;
  for (std::size_t i = 0; i + 1 < qualified.size(); ++i) {
    if (qualified[i] != ':' || qualified[i + 1] != ':') continue;
    qualified.remove_prefix(i + 2);
    break;
  }
  while (!qualified.empty()) {
    const std::string_view token = NextToken(qualified, ':');
    std::string_view value = token;
    const std::string_view key = NextToken(value, '=');
    const bool has_value = key.size() < token.size();
    if (has_value && (value == "0" || IsHowAttribute(key))) continue;
    if (name.size() != 0) name.Add(':');
    name.Add(token);
  }
  return name;
}

// Stores "pmu::name"; a longer name is cut after 63 bytes.
void CopyName(std::string_view pmu, std::string_view name, EventSpec& spec) noexcept {
  Text<sizeof(spec.name)> text;
  if (!pmu.empty()) text.Add(pmu).Add("::");
  text.Add(name);
  std::memcpy(spec.name, text.c_str(), text.size() + 1);
}

/// Sets name, kind and default period. `asked` and `found` are the canonical names of libpfm4's
/// question and answer.
void Describe(const pfm_pmu_info_t& pmu, const PfmText& asked, const PfmText& found,
              NativeEvent& native) noexcept {
  EventSpec& spec = native.spec;
  // An event that the kernel numbers has one name, whether the user wrote "cycles" or
  // "perf::PERF_COUNT_HW_CPU_CYCLES".
  if (const EventAlias* alias = FindAlias(spec.type, spec.config)) {
    CopyName({}, alias->name, spec);
    spec.kind = alias->kind;
    native.default_period = alias->default_period;
    return;
  }
  spec.kind = ClassOfNativeEvent(found.view());
  if (pmu.type == PFM_PMU_TYPE_OS_GENERIC) {
    // A name such as L1-DCACHE-LOADS is better known than libpfm4's canonical form of it.
    CopyName({}, asked.view(), spec);
    return;
  }
  const std::string_view prefix(pmu.name);
  // A name with all its unit masks may be too long. Then the user's spelling, which may be shorter,
  // is taken; CopyName cuts the rest.
  const bool fits = prefix.size() + 2 + found.size() < sizeof(spec.name);
  CopyName(prefix, fits ? found.view() : asked.view(), spec);
}

// Describes the PMU of an event index. Returns false if libpfm4 does not know the index.
bool PmuOfEvent(const PfmLibrary& pfm, int index, pfm_pmu_info_t& pmu) noexcept {
  pfm_event_info_t info{};
  info.size = sizeof(info);
  return pfm.get_event_info(index, PFM_OS_PERF_EVENT_EXT, &info) == PFM_SUCCESS &&
         pfm.Pmu(info.pmu, pmu);
}

}  // namespace

Result<NativeEvent> EncodeNativeEvent(const EventText& event, EventComplaint& complaint) noexcept {
  // The limits of the texts in this file (PfmText, the 512 bytes of a complaint) are above this
  // length.
  if (event.whole.size() >= 200) return Invalid(complaint, event, "the name is too long");
  // libpfm4 stops reading at a NUL, and would read "r0 x" as r0.
  for (char c : event.whole) {
    if (c <= ' ' || c > '~') {
      return Invalid(complaint, event, "the name contains characters that are not allowed");
    }
  }
  const PfmLibrary* pfm = PfmLibrary::Get();
  if (!pfm) return ComplainUnknownEvent(nullptr, event, complaint);
  PfmText for_pfm;
  EventModifiers modifiers;
  const Result<void> split = SplitAttributes(event, for_pfm, modifiers, complaint);
  if (!split) return split.error();

  PfmEncoding encoding;
  // Our own modifiers are taken out first, so libpfm4 is asked for user level alone and its own
  // default (user and kernel) does not matter.
  pfm->Encode(for_pfm.c_str(), PFM_PLM3, encoding);
  if (encoding.code != PFM_SUCCESS) {
    return ComplainRefusedEvent(*pfm, event, encoding.code, complaint);
  }
  const perf_event_attr& attr = encoding.attr;
  const PfmText asked = CanonicalName(for_pfm.view());
  // Without a canonical spelling in the answer the question's own spelling is used.
  const PfmText found =
      CanonicalName(encoding.canonical.size() != 0 ? encoding.canonical.view() : for_pfm.view());

  pfm_pmu_info_t pmu;
  if (!PmuOfEvent(*pfm, encoding.event, pmu)) return ComplainUnknownEvent(pfm, event, complaint);
  // Checked after the encoding, since only the answer tells which PMU has the event.
  if (pmu.type == PFM_PMU_TYPE_UNCORE) return ComplainSocketWide(event, complaint);
  NativeEvent native;
  EventSpec& spec = native.spec;
  spec.type = attr.type;
  spec.config = attr.config;
  spec.config1 = attr.config1;
  spec.config2 = attr.config2;
  spec.exclude_user = attr.exclude_user;
  spec.exclude_kernel = attr.exclude_kernel;
  spec.precise = attr.precise_ip;
  spec.precise_given = attr.precise_ip != 0;
  // The event's own u= and k= (in attr) apply only where no modifier of ours is given.
  modifiers.ApplyTo(spec);
  if (attr.freq) {
    native.rate.frequency_hz = attr.sample_freq;
  } else {
    native.rate.period = attr.sample_period;
  }
  Describe(pmu, asked, found, native);
  return native;
}

}  // namespace csink
