#include "core/counting/components/perf_event/arm_pmu_events.h"

#include <charconv>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

namespace csink {
namespace {

namespace fs = std::filesystem;

// Core PMUs alone: PMUs of a socket have other prefixes.
constexpr std::string_view kPmuPrefix = "armv8_";
constexpr std::string_view kNumberPrefix = "event=0x";
// L1D_CACHE_REFILL, L1D_CACHE, BR_MIS_PRED, BR_PRED: see the header.
constexpr std::uint64_t kRequired[] = {0x03, 0x04, 0x10, 0x12};

}  // namespace

ArmPmuEvents::ArmPmuEvents(const char* devices) {
  std::error_code error;
  for (const auto& pmu : fs::directory_iterator(devices, error)) {
    if (pmu.path().filename().string().compare(0, kPmuPrefix.size(), kPmuPrefix) != 0) continue;
    // A folder that cannot be read lists nothing, which means that nothing is known.
    std::error_code none;
    for (const auto& event : fs::directory_iterator(pmu.path() / "events", none)) {
      std::ifstream in(event.path());
      std::string line;
      std::getline(in, line);
      if (line.compare(0, kNumberPrefix.size(), kNumberPrefix) != 0) continue;
      std::uint64_t number = 0;
      const char* end = line.data() + line.size();
      const auto parsed = std::from_chars(line.data() + kNumberPrefix.size(), end, number, 16);
      // A number with further terms behind it ("event=0x11,long=1") is no plain event.
      if (parsed.ec == std::errc{} && parsed.ptr == end) listed_.insert(number);
    }
  }
  // Any of them: a PMU that lists none of the events that the architecture requires does not tell
  // the truth about itself.
  for (const std::uint64_t number : kRequired) has_required_ |= listed_.count(number) != 0;
}

}  // namespace csink
