#include "core/counting/components/device/parted_source.h"

#include <algorithm>
#include <utility>

namespace csink {

std::string NameInEvent(std::string name) {
  const auto separates = [](char c) {
    return c == ':' || c == ',' || c == '=' || static_cast<unsigned char>(c) <= ' ';
  };
  std::replace_if(name.begin(), name.end(), separates, '_');
  return name;
}

ReadingPart* PartedSource::AddPart(std::unique_ptr<ReadingPart> part) {
  // The raw pointer stays valid: the vector moves unique_ptrs, not the parts.
  parts_.push_back(std::move(part));
  return parts_.back().get();
}

std::uint32_t PartedSource::AddEvent(DeviceEvent event, ReadingPart* part, std::uint32_t index) {
  events_.push_back(std::move(event));
  readings_.push_back({part, index});
  return static_cast<std::uint32_t>(events_.size() - 1);
}

Result<void> PartedSource::Read(std::span<const std::uint32_t> places, std::uint64_t* bits,
                                Error* errors) noexcept {
  // First for all parts, so that values of one part belong together whatever the order of places.
  for (const auto& part : parts_) part->BeginRead();
  for (std::size_t i = 0; i < places.size(); ++i) {
    Reading& reading = readings_[places[i]];
    // DeviceValues computes rates and never asks for them.
    if (reading.part == nullptr) return Error{Errc::kInvalid, 0, "a rate has no reading"};
    const Result<std::uint64_t> value = reading.part->Value(reading.index);
    // A sum may have a counter that began anew and one that cannot be read.
    reading.anew = reading.part->TakeAnew() || reading.anew;
    if (!value) {
      errors[i] = value.error();
      continue;
    }
    errors[i] = std::exchange(reading.anew, false) ? kBegunAnew : Error{};
    bits[i] = *value;
  }
  return {};
}

}  // namespace csink
