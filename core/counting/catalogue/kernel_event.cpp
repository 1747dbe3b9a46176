#include "core/counting/catalogue/kernel_event.h"

#include "core/events/event_text.h"
#include "core/util/parse.h"

// File: events that the kernel itself encodes, without libpfm4. The string is split as libpfm4
// splits it. Whatever this file does not know (another modifier, another PMU) is left to libpfm4,
// which answers or explains.

namespace csink {
namespace {

/// Parses a boolean modifier in libpfm4's spellings: "u", "u=1", "u=y", ... Returns false for
/// another token.
bool TakeLevel(std::string_view token, char level, bool& given, bool& on) noexcept {
  // 0x20 makes a lower-case letter.
  if (token.empty() || (token[0] | 0x20) != level) return false;
  bool value = true;
  // Other spellings of a value are left to libpfm4.
  if (token.size() == 3 && token[1] == '=') {
    const char c = token[2];
    if (c != '0' && c != '1' && c != 'y' && c != 'n') return false;
    value = c == '1' || c == 'y';
  } else if (token.size() != 1) {
    return false;
  }
  if (given && value != on) return false;  // a contradiction, which libpfm4 then explains
  given = true;
  on = value;
  return true;
}

void AddText(std::string& all, std::string_view text) {
  if (!all.empty()) all += ':';
  all += text;
}

/// The alias for perf's name ("task-clock") or the kernel's name of an event: libpfm4 knows both.
const EventAlias* FindKernelEvent(const EventText& text, bool any_name) noexcept {
  const EventAlias* alias = FindAlias(text.base);
  if (!alias) return nullptr;
  // Without "perf::" a hardware name ("cycles") is left to libpfm4, which may have an event of that
  // name; software events are the same everywhere.
  if (text.pmu.empty()) return any_name || alias->type == PERF_TYPE_SOFTWARE ? alias : nullptr;
  return EqualsIgnoringCase(text.pmu, kKernelPmuName) ? alias : nullptr;
}

}  // namespace

bool EncodeKernelEvent(std::string_view name, bool any_name, KernelEvent& event) {
  const EventText text = SplitEvent(name);
  // A rate or blanks at the ends are not part of an event string here.
  if (text.whole.size() != name.size()) return false;
  event.alias = FindKernelEvent(text, any_name);
  if (!event.alias) return false;
  bool user = false;
  bool kernel = false;
  NativeEncoding& encoding = event.encoding;
  Tokens tokens = AttributesOf(text);
  for (std::string_view token; tokens.Next(token);) {
    if (TakeLevel(token, 'u', encoding.user_given, user)) {
      AddText(event.mask_text, "monitor at user level");
    } else if (TakeLevel(token, 'k', encoding.kernel_given, kernel)) {
      AddText(event.mask_text, "monitor at kernel level");
    } else {
      return false;
    }
  }
  if (user || kernel) {  // a stated level excludes the levels that are not stated
    encoding.user_given = encoding.kernel_given = encoding.hypervisor_given = true;
  }
  perf_event_attr& attr = encoding.attr;
  attr.size = sizeof(attr);
  attr.type = event.alias->type;
  attr.config = event.alias->config;
  attr.exclude_user = encoding.user_given && !user;
  attr.exclude_kernel = encoding.kernel_given && !kernel;
  // As libpfm4 sets them; a test compares all names and levels.
  attr.exclude_hv = 1;
  attr.exclude_guest = 1;
  encoding.software = attr.type == PERF_TYPE_SOFTWARE;
  encoding.kernel_only = event.alias->in_kernel_only;
  // The event works without libpfm4, so it needs a PMU number that libpfm4 does not assign.
  encoding.pmu = kKernelPmuNumber;
  return true;
}

}  // namespace csink
