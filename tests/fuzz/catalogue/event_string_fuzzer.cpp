#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "core/counting/catalogue/event_attributes.h"
#include "core/counting/catalogue/native_catalogue.h"

/// Any text has an id that describes it and stays, or an error with a printable sentence. Texts
/// that begin with '+' stand behind an event that exists, so that attributes are reached.
extern "C" int LLVMFuzzerInitialize(int*, char***) {
  setenv("LIBPFM_FORCE_PMU", "skx", 0);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const char* const kEvents[] = {
      "OFFCORE_RESPONSE_0:", "UOPS_ISSUED:", "skx::CYCLE_ACTIVITY:", "perf::TASK-CLOCK:",
      "INST_RETIRED."};
  std::string name(reinterpret_cast<const char*>(data), size);
  if (size > 1 && name[0] == '+') name = kEvents[data[1] % 5] + name.substr(2);
  csink::NativeCatalogue& catalogue = csink::NativeCatalogue::Get();
  csink::EventComplaint complaint;
  const auto side = size % 4 == 3 ? csink::CatalogueSide::kUncore : csink::CatalogueSide::kCore;
  const csink::Result<std::uint32_t> id = catalogue.Find(side, name, complaint);
  if (!id) {
    if (complaint.size() == 0) std::abort();
    for (char c : complaint.view()) {
      if (c < ' ' || c > '~') std::abort();
    }
    return 0;
  }
  const csink::Result<std::uint32_t> again = catalogue.Find(side, name, complaint);
  if (!again || *again != *id || catalogue.Describe(*id).name != name) std::abort();
  if (catalogue.Encoding(*id).pmu < 0 || catalogue.Encoding(*id).attr.size == 0) std::abort();
  char text[64];
  catalogue.CopyLongText(*id, text, sizeof(text));
  (void)catalogue.NextUnitMask(*id);
  if (!catalogue.Attributes(name, complaint)) {
    // Without its PMU present (perf:: under LIBPFM_FORCE_PMU) an event has no attributes to list.
    if (complaint.size() == 0) std::abort();
  }
  return 0;
}
