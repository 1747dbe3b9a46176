#include "core/events/event_spec.h"

#include <cstring>

#include "core/events/event_alias.h"
#include "core/events/event_rate.h"
#include "core/events/event_text.h"
#include "core/events/pfm_event.h"
#include "core/util/parse.h"

namespace csink {
namespace {

constexpr Error kBadList{Errc::kInvalid, 0, "impossible list of events"};

/// The prefix under which libpfm4 has the built-in names too.
bool IsPerfPmu(std::string_view pmu) noexcept {
  return pmu.empty() || EqualsIgnoringCase(pmu, "perf") || EqualsIgnoringCase(pmu, "perf_raw");
}

void CopyName(std::string_view name, EventSpec& spec) noexcept {
  Text<sizeof(spec.name)> text;
  text.Add(name);
  std::memcpy(spec.name, text.c_str(), text.size() + 1);
}

/// An alias or a raw event without its modifiers; false: neither.
bool BuiltIn(const EventText& event, EventSpec& spec, std::uint64_t& default_period) noexcept {
  if (!IsPerfPmu(event.pmu)) return false;
  if (const EventAlias* alias = FindAlias(event.base)) {
    CopyName(alias->name, spec);
    spec.kind = alias->kind;
    spec.type = alias->type;
    spec.config = alias->config;
    spec.exclude_kernel = !alias->in_kernel_only;
    spec.kernel_only = alias->in_kernel_only;
    default_period = alias->default_period;
    return true;
  }
  if (!ParseRawEvent(event.base, spec.config)) return false;
  CopyName(Text<24>().Add('r').Hex(spec.config).view(), spec);
  spec.type = PERF_TYPE_RAW;
  return true;
}

enum class Modified { kDone, kForPfm, kFailed };

/// Reads the modifiers of a built-in event. Attributes in libpfm4's syntax
/// ("cycles:period=1000") make it a matter for libpfm4.
Modified ModifyBuiltIn(const EventText& event, EventSpec& spec,
                       EventComplaint& complaint) noexcept {
  EventModifiers modifiers;
  Tokens attributes = AttributesOf(event);
  for (std::string_view token; attributes.Next(token);) {
    if (modifiers.Take(token)) continue;
    std::string_view value = token;
    if (NextToken(value, '=').size() < token.size()) return Modified::kForPfm;
    ComplainOf(event, complaint).Add(": modifier ");
    AddQuoted(complaint, token);
    complaint.Add(" is not known; there are u (user), k (kernel), p, pp, ppp (precision)");
    return Modified::kFailed;
  }
  modifiers.ApplyTo(spec);
  return Modified::kDone;
}

/// Whether libpfm4's own syntax states a level: "skx::INST_RETIRED:ANY_P:u", "...:k=0".
bool StatesLevel(const EventText& event) noexcept {
  EventModifiers modifiers;
  Tokens attributes = AttributesOf(event);
  for (std::string_view token; attributes.Next(token);) {
    std::string_view value = token;
    const std::string_view name = NextToken(value, '=');
    if (name == "u" || name == "k") return true;
    (void)modifiers.Take(token);
  }
  return modifiers.user || modifiers.kernel;
}

/// context-switches:u: accepted, since perf accepts it, but said.
void WarnOfZeroCounts(const EventSpec& spec, EventComplaint& complaint) noexcept {
  const EventAlias* alias = FindAlias(spec.type, spec.config);
  if (!alias || !alias->in_kernel_only || !spec.exclude_kernel) return;
  if (complaint.size() != 0) complaint.Add("; ");
  complaint.Add(spec.name).Add(":u never counts: it happens in the kernel; leave out the u");
}

Result<EventSpec> ParseEvent(std::string_view item, EventComplaint& warnings) noexcept {
  const EventText event = SplitEvent(item);
  NativeEvent parsed;
  if (event.whole.empty()) {
    warnings.Clear();
    warnings.Add("an event has no name; write for example \"cycles,instructions\"");
    return kBadList;
  }
  bool native = !BuiltIn(event, parsed.spec, parsed.default_period);
  if (!native) {
    const Modified modified = ModifyBuiltIn(event, parsed.spec, warnings);
    if (modified == Modified::kFailed) return kBadList;
    native = modified == Modified::kForPfm;
  }
  if (native) {
    Result<NativeEvent> encoded = EncodeNativeEvent(event, warnings);
    if (!encoded) return encoded.error();
    parsed = *encoded;
    parsed.spec.level_given = StatesLevel(event);
  }
  if (event.has_rate) {
    const Result<EventRate> rate = ParseEventRate(event.rate, warnings);
    if (!rate) return rate.error();
    parsed.rate = *rate;
  }
  const Result<void> applied =
      ApplyEventRate(parsed.rate, parsed.default_period, parsed.spec, warnings);
  if (!applied) return applied.error();
  WarnOfZeroCounts(parsed.spec, warnings);
  return parsed.spec;
}

}  // namespace

Result<EventList> ParseEventList(std::string_view text, EventComplaint& complaint) noexcept {
  complaint.Clear();
  EventList list;
  Tokens items(text, ',');
  for (std::string_view item; items.Next(item);) {
    if (list.count == kMaxEventSpecs) {
      complaint.Clear();
      complaint.Add("too many events; at most ").Number(kMaxEventSpecs);
      complaint.Add(" can be sampled in one run");
      return Error{Errc::kLimit, 0, "too many events"};
    }
    Result<EventSpec> spec = ParseEvent(item, complaint);
    if (!spec) return spec.error();
    list.events[list.count++] = *spec;
  }
  return list;
}

}  // namespace csink
