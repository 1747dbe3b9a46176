#include "core/counting/catalogue/catalogue_body.h"
#include "core/counting/catalogue/encoding_mistake.h"
#include "core/counting/catalogue/kernel_event.h"
#include "core/counting/catalogue/native_encoding.h"
#include "core/events/event_rate.h"
#include "core/events/pfm_complaint.h"
#include "core/events/sysfs_event.h"
#include "core/util/parse.h"
#include "core/util/raw_log.h"

// A name that is looked up goes through these steps: check its characters, look for an entry with
// an encoding, replace macros (Expand), encode without libpfm4 where the event is the kernel's own
// (AddKernelEvent), else ask libpfm4 (Ask), and keep the result (Keep). sysfs names take a way of
// their own. The slow parts happen only where a step fails: finding out why (Refuse) asks libpfm4
// many times.

namespace csink {
namespace {

constexpr std::size_t kMaxName = 1024;  ///< PAPI_HUGE_STR_LEN

static_assert(kKernelPmuNumber == PFM_PMU_PERF_EVENT);

// Writes `why` behind the event's name, for a string that is not an event string at all.
Error Invalid(const EventText& text, std::string_view why, EventComplaint& complaint) {
  ComplainOf(text, complaint).Add(": ").Add(why);
  return {Errc::kInvalid, 0, "not an event string"};
}

/// Rejects names that libpfm4 would misread: it stops at a NUL or a comma, and reads "r0 x" as r0.
Result<void> CheckName(std::string_view name, EventComplaint& complaint) {
  EventText text;
  text.whole = name;
  if (name.empty()) return Invalid(text, "the name is empty", complaint);
  if (name.size() >= kMaxName) return Invalid(text, "the name is too long", complaint);
  if (name.front() == ':') {
    ComplainOf(text, complaint).Add(": the PMU's name before '::' is missing");
    return Error{Errc::kNoEvent, 0, "no such PMU"};
  }
  if (name.back() == ':') return Invalid(text, "the attribute after a ':' is missing", complaint);
  for (char c : name) {
    if (c == ',' && !IsSysfsName(name)) {
      return Invalid(text, "give one event only, without commas", complaint);
    }
    if (c <= ' ' || c > '~') {
      return Invalid(text, "the name contains characters that are not allowed", complaint);
    }
  }
  return {};
}

// Whether the string is more than an event's name; libpfm4 accepts '.' for the first ':'.
bool HasAttributes(const EventText& text) {
  return text.has_attributes || text.base.find('.') != std::string_view::npos;
}

}  // namespace

const PfmLibrary* NativeCatalogue::Body::Pfm() {
  if (opened_) return pfm_;
  // Set first: a library that cannot be loaded is not looked for again.
  opened_ = true;
  pfm_ = open_();
  if (pfm_) order_ = std::make_unique<EventOrder>(*pfm_);
  return pfm_;
}

// Read once. After a mistake the macros stay empty, and macro_problem_ explains it in later
// messages.
const EventMacros& NativeCatalogue::Body::Macros() {
  if (macros_read_) return macros_;
  macros_read_ = true;
  if (macro_file_.empty()) return macros_;
  Result<EventMacros> loaded = EventMacros::Load(macro_file_, macro_problem_);
  if (loaded) {
    macros_ = std::move(*loaded);
  } else {
    // Warned here even if no lookup fails: the user may have wanted a default of the file.
    RawLog(LogLevel::kWarn, "CSINK_EVENT_MACROS is ignored: " + macro_problem_);
  }
  return macros_;
}

/// The PMU that an event without a stated PMU belongs to; "": unknown.
std::string NativeCatalogue::Body::PmuOf(const EventText& text) {
  if (!text.pmu.empty()) return std::string(text.pmu);
  const EventAlias* alias = FindAlias(text.base);
  // The order of Find: the kernel's software events, the default PMU, then any PMU.
  if (alias && alias->type == PERF_TYPE_SOFTWARE) return std::string(kKernelPmuName);
  const PfmLibrary* pfm = Pfm();
  if (!pfm) return {};
  // The event alone: find_event of libpfm4 refuses a string with attributes that contradict each
  // other.
  const std::string event(text.base.substr(0, text.base.find('.')));
  for (const CataloguePmu& pmu : order_->pmus()) {
    if (pmu.is_default && pfm->find_event((std::string(pmu.name) + "::" + event).c_str()) >= 0) {
      return std::string(pmu.name);
    }
  }
  pfm_event_info_t info{};
  info.size = sizeof(info);
  const int index = pfm->find_event(event.c_str());
  if (index < 0 || pfm->get_event_info(index, PFM_OS_PERF_EVENT_EXT, &info) != PFM_SUCCESS) {
    return {};
  }
  const CataloguePmu* pmu = order_->Pmu(info.pmu);
  return pmu ? std::string(pmu->name) : std::string();
}

// `plain` is the string without macros: the PMU as it was stated, the event, and the attributes
// that the macros were replaced by. A name to which no group applies is passed on unchanged.
Result<NativeCatalogue::Body::Expanded> NativeCatalogue::Body::Expand(std::string_view name,
                                                                      EventComplaint& complaint) {
  Expanded expanded;
  expanded.text = SplitEvent(name);
  expanded.text.whole = name;
  expanded.plain = name;
  // Without macros nothing is replaced, and the PMU need not be found out.
  if (Macros().empty()) return expanded;
  const EventText& text = expanded.text;
  const std::size_t dot = text.base.find('.');
  const std::string_view event = text.base.substr(0, dot);
  const std::vector<const MacroGroup*> groups = macros_.GroupsOf(PmuOf(text), event);
  if (groups.empty()) return expanded;
  std::string attributes(dot == std::string_view::npos ? "" : text.base.substr(dot + 1));
  if (text.has_attributes) {
    if (!attributes.empty()) attributes += ':';
    attributes += text.attributes;
  }
  const Result<std::string> replaced = EventMacros::Expand(groups, attributes, name, complaint);
  if (!replaced) return replaced.error();
  expanded.plain = text.pmu.empty() ? "" : std::string(text.pmu) + "::";
  expanded.plain += event;
  if (!replaced->empty()) expanded.plain += ":" + *replaced;
  return expanded;
}

/// Asks libpfm4 for the encoding of `plain`. A name without a PMU is looked up in the default core
/// PMU first.
PfmAnswer NativeCatalogue::Body::Ask(const EventText& text, const std::string& plain) {
  if (text.pmu.empty()) {
    for (const CataloguePmu& pmu : order_->pmus()) {
      if (!pmu.is_default) continue;
      // Only "no such event" lets another PMU answer. Any other refusal belongs to this event.
      PfmAnswer answer = AskPfm(*pfm_, std::string(pmu.name) + "::" + plain);
      if (answer.code != PFM_ERR_NOTFOUND) return answer;
    }
  }
  return AskPfm(*pfm_, plain);
}

// An entry that was only listed gets its encoding here, and keeps its texts and its id.
Result<std::uint32_t> NativeCatalogue::Body::Keep(CatalogueEntry& entry,
                                                  const NativeEncoding& encoding) {
  std::uint32_t id = entries.Find(entry.side, entry.name);
  if (id == CatalogueEntries::kNone) id = entries.Add(entry);
  CatalogueEntry* kept = entries.At(id);
  if (!kept) return Error{Errc::kLimit, 0, "too many events"};
  // Two threads may have resolved the name one after the other; readers keep the first encoding.
  if (!kept->encoding.load(std::memory_order_relaxed)) entries.SetEncoding(*kept, encoding);
  return id;
}

// nullopt if the event is not the kernel's own: the caller then asks libpfm4. An Error if the
// catalogue is full.
std::optional<Result<std::uint32_t>> NativeCatalogue::Body::AddKernelEvent(CatalogueSide side,
                                                                           std::string_view name,
                                                                           std::string_view plain,
                                                                           bool any_name) {
  KernelEvent event;
  if (side != CatalogueSide::kCore || !EncodeKernelEvent(plain, any_name, event)) {
    return std::nullopt;
  }
  CatalogueEntry entry;
  entry.name = name;
  entry.event_text = event.alias->kernel_name;
  entry.mask_text = entries.Keep(event.mask_text);
  entry.pmu_name = kKernelPmuName;
  entry.pmu_text = kKernelPmuText;
  // For listings: a name with attributes has no unit masks of its own to be listed.
  entry.is_attribute = HasAttributes(SplitEvent(name));
  return Keep(entry, event.encoding);
}

/// Adds an event in perf's spelling; modifiers stand behind the second '/' or behind a ':'.
Result<std::uint32_t> NativeCatalogue::Body::AddSysfsEvent(CatalogueSide side,
                                                           std::string_view name,
                                                           EventComplaint& complaint) {
  const Result<SysfsEvent> found = EncodeSysfsEvent(name, complaint);
  if (!found) return found.error();
  // An event belongs to one of PAPI's two components; the message names the right one.
  if (found->socket_wide != (side == CatalogueSide::kUncore)) {
    complaint.Clear();
    complaint.Add("event ").Add(name);
    complaint.Add(found->socket_wide ? " counts for a whole socket (perf_event_uncore)"
                                     : " is not an event of a whole socket");
    return Error{Errc::kNoEvent, 0, "event of another component"};
  }
  NativeEncoding encoding;
  perf_event_attr& attr = encoding.attr;
  attr.size = sizeof(attr);
  attr.type = found->type;
  attr.config = found->config;
  attr.config1 = found->config1;
  attr.config2 = found->config2;
  attr.sample_period = found->period;
  // As libpfm4 sets it. The PMU of a socket cannot tell guests apart, and its driver refuses the
  // bit.
  attr.exclude_guest = !found->socket_wide;
  encoding.period_given = found->period != 0;
  encoding.cpu = found->cpu;
  encoding.software = attr.type == PERF_TYPE_SOFTWARE;
  EventModifiers modifiers;
  std::string_view behind = found->modifiers;
  if (!behind.empty() && behind.front() == ':') behind.remove_prefix(1);
  if (!behind.empty() && !modifiers.Take(behind)) {
    complaint.Clear();
    complaint.Add("event ").Add(name).Add(": after the second '/' only u, k and p are allowed");
    return Error{Errc::kAttribute, 0, "modifier of an event of sysfs"};
  }
  // As EncodeKernelEvent: a stated level excludes those that are not stated.
  if (modifiers.user || modifiers.kernel) {
    encoding.user_given = encoding.kernel_given = encoding.hypervisor_given = true;
    attr.exclude_user = !modifiers.user;
    attr.exclude_kernel = !modifiers.kernel;
    attr.exclude_hv = 1;
  }
  // "& 3" is for the compiler: the field has two bits, and Take accepts no more.
  attr.precise_ip = modifiers.precise & 3;
  CatalogueEntry entry;
  entry.name = name;
  std::string text = "event of the kernel's PMU " + std::string(found->pmu.view());
  if (found->unit.size() != 0) {
    (text += ", in ") += found->unit.view();
    if (found->scale.size() != 0) (text += ", multiply the value by ") += found->scale.view();
  }
  entry.event_text = entries.Keep(text);
  entry.pmu_name = entries.Keep(found->pmu.view());
  entry.pmu_text = entry.pmu_name;
  entry.side = side;
  return Keep(entry, encoding);
}

/// libpfm4's description of an attribute. For each query libpfm4 builds the list of all attributes
/// of the event again, so the ones already seen are remembered.
std::string_view NativeCatalogue::Body::AttributeText(const pfm_event_info_t& event,
                                                      std::string_view name) {
  SeenAttributes& seen = seen_attributes_[event.idx];
  for (const auto& [known, text] : seen.texts) {
    if (EqualsIgnoringCase(known, name)) return text;
  }
  while (seen.next < event.nattrs) {
    pfm_event_attr_info_t attribute{};
    attribute.size = sizeof(attribute);
    if (pfm_->get_event_attr_info(event.idx, seen.next++, PFM_OS_PERF_EVENT_EXT, &attribute) !=
            PFM_SUCCESS ||
        !attribute.name) {
      continue;
    }
    seen.texts.emplace_back(attribute.name, SentenceOf(attribute.desc, attribute.name, entries));
    if (EqualsIgnoringCase(attribute.name, name)) return seen.texts.back().second;
  }
  return {};
}

/// The descriptions of the unit masks, modifiers and macros in the user's string, joined by ':'.
std::string NativeCatalogue::Body::MaskText(const pfm_event_info_t& event, std::string_view pmu,
                                            std::string_view attributes) {
  const std::vector<const MacroGroup*> groups = macros_.GroupsOf(pmu, event.name);
  std::string text;
  for (const EventToken& token : TokensOf(attributes)) {
    std::string sentence;
    for (const MacroGroup* group : groups) {
      const EventMacro* macro = FindMacro(*group, token.key);
      if (macro && !token.has_value) sentence = MacroText(*group, *macro);
    }
    if (sentence.empty()) sentence = AttributeText(event, token.key);
    if (!text.empty() && !sentence.empty()) text += ':';
    text += sentence;
  }
  return text;
}

Result<std::uint32_t> NativeCatalogue::Body::AddPfmEvent(CatalogueSide side, std::string_view name,
                                                         const Expanded& expanded,
                                                         const PfmAnswer& answer,
                                                         EventComplaint& complaint) {
  pfm_event_info_t info{};
  info.size = sizeof(info);
  const bool known =
      pfm_->get_event_info(answer.event, PFM_OS_PERF_EVENT_EXT, &info) == PFM_SUCCESS;
  // libpfm4 may answer from a PMU that this machine does not have, when it is told to
  // (LIBPFM_ENCODE_INACTIVE). Such an event could never be opened.
  const CataloguePmu* pmu = known ? order_->Pmu(info.pmu) : nullptr;
  if (!pmu) return ComplainUnknownEvent(pfm_, expanded.text, complaint);
  if (order_->SideOfPmu(info.pmu) != side) {
    ComplainOf(expanded.text, complaint)
        .Add(side == CatalogueSide::kCore ? " counts for a whole socket (perf_event_uncore)"
                                          : " is not an event of a whole socket");
    return Error{Errc::kNoEvent, 0, "event of another component"};
  }
  CatalogueEntry entry;
  entry.name = name;
  entry.event_text = SentenceOf(info.desc, info.name, entries);
  std::string_view behind = expanded.text.base;
  NextToken(behind, '.');
  std::string attributes(behind);
  if (expanded.text.has_attributes) (attributes += ':') += expanded.text.attributes;
  entry.mask_text = entries.Keep(MaskText(info, pmu->name, attributes));
  entry.pmu_name = pmu->name;
  entry.pmu_text = pmu->text;
  entry.side = side;
  entry.is_attribute = HasAttributes(expanded.text);
  entry.event = answer.event;
  return Keep(entry, EncodingOf(answer, expanded.plain, info.pmu, side));
}

// Macro groups are added behind the groups of libpfm4. The name of an event is "pmu::EVENT", of
// which the patterns take the second part.
const EventAttributes* NativeCatalogue::Body::AttributesOf(int event) {
  const auto known = attributes_.find(event);
  if (known != attributes_.end()) return known->second.get();
  std::optional<EventAttributes> derived = DeriveAttributes(*pfm_, event);
  if (!derived) return nullptr;
  const std::string_view name(derived->event);
  for (const MacroGroup* group :
       Macros().GroupsOf(derived->pmu, name.substr(derived->pmu.size() + 2))) {
    AddMacroGroup(*group, *derived);
  }
  auto& kept = attributes_[event];
  kept = std::make_unique<EventAttributes>(std::move(*derived));
  return kept.get();
}

// A mistake in the macro file is mentioned, too: an unknown attribute may be one of its macros.
Error NativeCatalogue::Body::Refuse(const Expanded& expanded, int code, EventComplaint& complaint) {
  const EventText plain = SplitEvent(expanded.plain);
  EventText explained = plain;
  // The message shows what the user wrote, the analysis uses what libpfm4 was asked.
  explained.whole = expanded.text.whole;
  const std::string event =
      PmuOf(plain) + "::" + std::string(plain.base.substr(0, plain.base.find('.')));
  const int index = pfm_->find_event(event.c_str());
  const EventAttributes* attributes = index >= 0 ? AttributesOf(index) : nullptr;
  const Error error = ExplainRefusal(*pfm_, explained, code, attributes, complaint);
  if (!macro_problem_.empty()) {
    complaint.Add("; CSINK_EVENT_MACROS is ignored: ").Add(macro_problem_);
  }
  return error;
}

// The kernel's events with "perf::", and its software events, are encoded before libpfm4 is opened.
// Its hardware aliases without "perf::" ("cycles") are used only where libpfm4 does not know the
// name: a PMU's own event comes first.
Result<std::uint32_t> NativeCatalogue::Body::Find(CatalogueSide side, std::string_view name,
                                                  EventComplaint& complaint) {
  const Result<void> good = CheckName(name, complaint);
  if (!good) return good.error();
  const std::uint32_t id = entries.Find(side, name);
  const CatalogueEntry* entry = entries.At(id);
  // Again under the lock: another thread may have resolved the name meanwhile.
  if (entry && entry->encoding.load(std::memory_order_relaxed)) return id;
  if (IsSysfsName(name)) return AddSysfsEvent(side, name, complaint);
  const Result<Expanded> expanded = Expand(name, complaint);
  if (!expanded) return expanded.error();
  if (auto kernels = AddKernelEvent(side, name, expanded->plain, false)) return std::move(*kernels);
  PfmAnswer answer;
  if (Pfm()) answer = Ask(expanded->text, expanded->plain);
  if (answer.code ==
      PFM_ERR_NOTFOUND) {  // hardware events of the kernel, for a machine without libpfm4
    if (auto kernels = AddKernelEvent(side, name, expanded->plain, true)) {
      return std::move(*kernels);
    }
  }
  // Without libpfm4, only now: an event of the kernel needs no libpfm4, and its absence is then no
  // fault.
  if (!pfm_) return ComplainUnknownEvent(nullptr, expanded->text, complaint);
  if (answer.code != PFM_SUCCESS) return Refuse(*expanded, answer.code, complaint);
  return AddPfmEvent(side, name, *expanded, answer, complaint);
}

Result<const EventAttributes*> NativeCatalogue::Body::Attributes(std::string_view event,
                                                                 EventComplaint& complaint) {
  const Result<void> good = CheckName(event, complaint);
  if (!good) return good.error();
  const EventText text = SplitEvent(event);
  const PfmLibrary* pfm = Pfm();
  if (!pfm) return ComplainUnknownEvent(nullptr, text, complaint);
  const std::string name =
      PmuOf(text) + "::" + std::string(text.base.substr(0, text.base.find('.')));
  const int index = pfm->find_event(name.c_str());
  const EventAttributes* attributes = index >= 0 ? AttributesOf(index) : nullptr;
  if (!attributes) return ComplainUnknownEvent(pfm, text, complaint);
  return attributes;
}

}  // namespace csink
