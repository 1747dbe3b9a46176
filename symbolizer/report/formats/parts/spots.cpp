#include "symbolizer/report/formats/parts/spots.h"

#include "symbolizer/report/data/function_key.h"
#include "symbolizer/report/tables/names.h"

namespace csink::report {

Spots::Spots(const Report& report) : report_(report), unknown_(report.profile.modules.size()) {
  const Profile& profile = report.profile;
  by_location_.resize(report.addresses.locations.size());
  of_place_.reserve(profile.places.size());
  for (const Module& module : profile.modules) modules_.push_back(DisplayName(module));
  for (std::size_t i = 0; i < profile.places.size(); ++i) {
    of_place_.push_back(Find(profile.places[i].address, report.addresses.of_place[i]));
  }
  // Entry 0 is no caller, and empty callers have no spot; both stay 0 and are never asked for.
  of_caller_.resize(profile.callers.size());
  for (std::size_t i = 1; i < profile.callers.size(); ++i) {
    if (profile.callers[i].IsEmpty()) continue;
    of_caller_[i] = Find(CallSite(profile.callers[i]), report.addresses.of_caller[i]);
  }
}

std::uint32_t Spots::Find(const CodeAddress& code, std::uint32_t location) {
  const auto next = static_cast<std::uint32_t>(spots_.size());
  // Resolved addresses are identified by their location, which exists once for each address.
  // Unresolved ones all have location 0 and are identified by module and offset.
  std::uint32_t& known =
      location != 0 ? by_location_[location] : unknown_[code.module][code.offset];
  if (known != 0) return known - 1;
  // 0 means that the address is new.
  known = next + 1;
  Spot spot{code, code.offset, &report_.addresses.locations[location], modules_[code.module]};
  if (location != 0) {
    // Address and name are those of the file, if it was found.
    if (spot.location->vaddr != 0) spot.address = spot.location->vaddr;
    if (!spot.location->function.empty()) spot.function = spot.location->function;
    if (IsNameless(report_.profile.modules[code.module], *spot.location)) {
      spot.function = kAnonymousCode;
    }
  }
  spots_.push_back(spot);
  return next;
}

std::vector<Frame> Spots::FramesOf(std::uint32_t spot) const {
  std::vector<Frame> frames;
  FramesOf(spot, frames);
  return frames;
}

void Spots::FramesOf(std::uint32_t spot, std::vector<Frame>& frames) const {
  const symbolizer::Location& location = *spots_[spot].location;
  // The caller's vector is used again: one for each spot would be allocated otherwise.
  frames.clear();
  std::string_view file = location.file;
  std::uint32_t line = location.line;
  for (const symbolizer::InlineFrame& inlined : location.inlined) {
    // The line of the sample is in the innermost function; each further line is that of the call.
    frames.push_back({inlined.function, inlined.raw_name, file, line, true});
    file = inlined.call_file;
    line = inlined.call_line;
  }
  frames.push_back({spots_[spot].function, location.raw_name, file, line, false});
}

}  // namespace csink::report
