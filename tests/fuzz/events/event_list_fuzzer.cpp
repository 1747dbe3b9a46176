#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "core/events/event_spec.h"
#include "core/events/sysfs_event.h"
#include "core/topdown/topdown_model.h"

/// Any text gives the name of a top-down event that is written as it is read, or is none.
static void ReadTopdown(std::string_view text) {
  csink::TopdownName name;
  if (csink::ParseTopdownName(text, name)) {
    csink::TopdownName again;
    if (!csink::ParseTopdownName(csink::TextOf(name).view(), again)) std::abort();
    if (again.role != name.role || again.formula != name.formula) std::abort();
    if (again.factor != name.factor || name.factor == 0) std::abort();
  }
  std::uint64_t config = 0;
  if (csink::ParseIntelEvent(text, config) && config >> 32 != 0) std::abort();
}

/// Any text gives a usable list, or an error and a complaint of printable bytes.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  ReadTopdown({reinterpret_cast<const char*>(data), size});
  const csink::Result<csink::SysfsField> field =
      csink::ParseSysfsFormat({reinterpret_cast<const char*>(data), size});
  if (field && (field->mask == 0 || field->word > 2)) std::abort();
  csink::EventComplaint complaint;
  const csink::Result<csink::EventList> list =
      csink::ParseEventList({reinterpret_cast<const char*>(data), size}, complaint);
  for (char c : complaint.view()) {
    if (c < ' ' || c > '~') std::abort();
  }
  if (!list) {
    if (complaint.size() == 0) std::abort();
    return 0;
  }
  if (list->count == 0 || list->count > csink::kMaxEventSpecs) std::abort();
  for (std::size_t i = 0; i < list->count; ++i) {
    const csink::EventSpec& spec = list->events[i];
    if ((spec.period != 0) == (spec.frequency_hz != 0)) std::abort();
    if (spec.exclude_user && spec.exclude_kernel) std::abort();
    if (spec.precise > 3 || spec.name[0] == 0) std::abort();
  }
  return 0;
}
