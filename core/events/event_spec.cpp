#include "core/events/event_spec.h"

#include <cstring>

#include "core/events/event_alias.h"
#include "core/events/event_rate.h"
#include "core/events/event_text.h"
#include "core/events/pfm_event.h"
#include "core/events/sysfs_event.h"
#include "core/events/topdown_events.h"
#include "core/util/parse.h"

// File: one event after the other is taken from the list. An event's name is looked up as perf's
// spelling of sysfs (it contains a '/'), then as a built-in alias or raw event, then by libpfm4;
// the first that knows the name decides. Modifiers and rate are read afterwards, in the same way
// for all three.

namespace csink {
namespace {

constexpr Error kBadList{Errc::kInvalid, 0, "list of events is not valid"};

/// Whether this is no PMU, or one under which libpfm4 lists the built-in events, too.
bool IsPerfPmu(std::string_view pmu) noexcept {
  return pmu.empty() || EqualsIgnoringCase(pmu, "perf") || EqualsIgnoringCase(pmu, "perf_raw");
}

// Stores the name in the spec's 64 bytes; a longer name is cut.
void CopyName(std::string_view name, EventSpec& spec) noexcept {
  Text<sizeof(spec.name)> text;
  text.Add(name);
  std::memcpy(spec.name, text.c_str(), text.size() + 1);
}

/// Fills in an alias or a raw event, without its modifiers. Returns false if the event is neither.
/// Events of other PMUs ("skx::cycles") are libpfm4's even if their name is an alias.
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

// The outcome of ModifyBuiltIn.
enum class Modified { kDone, kForPfm, kFailed };

/// Reads the modifiers of a built-in event. kForPfm: an attribute in libpfm4's syntax
/// ("cycles:period=1000"), so libpfm4 must encode the event.
Modified ModifyBuiltIn(const EventText& event, EventSpec& spec,
                       EventComplaint& complaint) noexcept {
  EventModifiers modifiers;
  Tokens attributes = AttributesOf(event);
  for (std::string_view token; attributes.Next(token);) {
    if (modifiers.Take(token)) continue;
    // libpfm4's attributes have the form NAME=VALUE. A word without '=' is a misspelt modifier.
    std::string_view value = token;
    if (NextToken(value, '=').size() < token.size()) return Modified::kForPfm;
    ComplainOf(event, complaint).Add(": modifier ");
    AddQuoted(complaint, token);
    complaint.Add(" is not known; modifiers are u (user), k (kernel), p, pp, ppp (precision)");
    return Modified::kFailed;
  }
  modifiers.ApplyTo(spec);
  return Modified::kDone;
}

/// Whether the event string states a privilege level in libpfm4's syntax:
/// "skx::INST_RETIRED:ANY_P:u", "...:k=0".
bool StatesLevel(const EventText& event) noexcept {
  EventModifiers modifiers;
  Tokens attributes = AttributesOf(event);
  for (std::string_view token; attributes.Next(token);) {
    // "u=1" and "k=0" state a level as well. The other tokens are unit masks; Take leaves the
    // modifiers unchanged for them.
    std::string_view value = token;
    const std::string_view name = NextToken(value, '=');
    if (name == "u" || name == "k") return true;
    (void)modifiers.Take(token);
  }
  return modifiers.user || modifiers.kernel;
}

/// Parses an event in perf's spelling: "cpu/event=0x76,umask=1/u".
Result<void> ParseSysfsEvent(const EventText& event, NativeEvent& parsed,
                             EventComplaint& complaint) noexcept {
  const Result<SysfsEvent> found = EncodeSysfsEvent(event.base, complaint);
  if (!found) return found.error();
  // The PMU of a socket is opened on a CPU, not for a thread.
  if (found->socket_wide) {
    ComplainOf(event, complaint)
        .Add(" counts for a whole socket and cannot be sampled in a thread");
    return Error{Errc::kInvalid, 0, "event of a whole socket"};
  }
  EventSpec& spec = parsed.spec;
  // Without the text behind the second '/': EventDisplayName adds the level.
  CopyName({event.base.data(), event.base.size() - found->modifiers.size()}, spec);
  spec.type = found->type;
  spec.config = found->config;
  spec.config1 = found->config1;
  spec.config2 = found->config2;
  parsed.rate.period = found->period;
  // perf's spelling allows modifiers behind the second '/', and like other names behind a ':'.
  EventModifiers modifiers;
  if (!found->modifiers.empty() && !modifiers.Take(found->modifiers)) {
    ComplainOf(event, complaint).Add(": after the second '/' only u, k and p are allowed");
    return kBadList;
  }
  modifiers.ApplyTo(spec);
  // kForPfm is a failure here: libpfm4 does not know names of sysfs. It leaves the complaint as it
  // was, which may hold a warning of an event before this one.
  const Modified modified = ModifyBuiltIn(event, spec, complaint);
  if (modified == Modified::kDone) return {};
  if (modified == Modified::kForPfm) {
    ComplainOf(event, complaint).Add(": after ':' only u, k and p are allowed in perf's syntax");
  }
  return kBadList;
}

/// Warns of an event that cannot count, such as context-switches:u. It is accepted, because perf
/// accepts it.
void WarnOfZeroCounts(const EventSpec& spec, EventComplaint& complaint) noexcept {
  const EventAlias* alias = FindAlias(spec.type, spec.config);
  if (!alias || !alias->in_kernel_only || !spec.exclude_kernel) return;
  if (complaint.size() != 0) complaint.Add("; ");
  complaint.Add(spec.name).Add(
      ":u never counts, because the event occurs in the kernel; remove the u");
}

// Parses one item of the list. `warnings` holds the warnings of the items before it; an error
// replaces them.
Result<EventSpec> ParseEvent(std::string_view item, EventComplaint& warnings) noexcept {
  const EventText event = SplitEvent(item);
  // All three ways fill in a NativeEvent: the spec, the rate that attributes state, and the default
  // period.
  NativeEvent parsed;
  if (event.whole.empty()) {
    warnings.Clear();
    warnings.Add("the name of an event is missing; write for example \"cycles,instructions\"");
    return kBadList;
  }
  const bool of_sysfs = event.pmu.empty() && IsSysfsName(event.base);
  if (of_sysfs) {
    const Result<void> encoded = ParseSysfsEvent(event, parsed, warnings);
    if (!encoded) return encoded.error();
  }
  bool native = !of_sysfs && !BuiltIn(event, parsed.spec, parsed.default_period);
  if (!native && !of_sysfs) {
    const Modified modified = ModifyBuiltIn(event, parsed.spec, warnings);
    if (modified == Modified::kFailed) return kBadList;
    native = modified == Modified::kForPfm;
  }
  if (native) {
    Result<NativeEvent> encoded = EncodeNativeEvent(event, warnings);
    if (!encoded) return encoded.error();
    // The spec that BuiltIn filled in is replaced as a whole.
    parsed = *encoded;
    parsed.spec.level_given = StatesLevel(event);
    // libpfm4 was asked for user level, where such an event never counts.
    const EventAlias* alias = FindAlias(parsed.spec.type, parsed.spec.config);
    if (alias && alias->in_kernel_only && !parsed.spec.level_given) {
      parsed.spec.exclude_kernel = false;
      parsed.spec.kernel_only = true;
    }
  }
  // A rate behind '@' is used rather than libpfm4's period= or freq=, or perf's period=.
  if (event.has_rate) {
    const Result<EventRate> rate = ParseEventRate(event.rate, warnings);
    if (!rate) return rate.error();
    parsed.rate = *rate;
  }
  // The warnings come last, when nothing about the event is refused any more.
  const Result<void> applied =
      ApplyEventRate(parsed.rate, parsed.default_period, parsed.spec, warnings);
  if (!applied) return applied.error();
  WarnOfZeroCounts(parsed.spec, warnings);
  return parsed.spec;
}

}  // namespace

Error TooManyEvents(EventComplaint& complaint) noexcept {
  complaint.Clear();
  complaint.Add("too many events; at most ").Number(kMaxEventSpecs);
  complaint.Add(" can be sampled in one run");
  return Error{Errc::kLimit, 0, "too many events"};
}

Result<EventList> ParseEventList(std::string_view text, EventComplaint& complaint) noexcept {
  complaint.Clear();
  EventList list;
  // The loop runs once for the empty list: it has one item without a name, which is an error. An
  // item that reaches to the end of the text is the last one; a list that ends in a comma has an
  // empty item behind it.
  for (bool more = true; more;) {
    const std::size_t size = text.size();
    const std::string_view item = NextListedEvent(text);
    more = item.size() < size;
    if (list.count == kMaxEventSpecs) return TooManyEvents(complaint);
    // One name that becomes several events.
    if (IsTopdownEvent(item)) {
      const Result<void> added = AddTopdownEvents(item, list, complaint);
      if (!added) return added.error();
      continue;
    }
    Result<EventSpec> spec = ParseEvent(item, complaint);
    if (!spec) return spec.error();
    list.events[list.count++] = *spec;
  }
  return list;
}

}  // namespace csink
