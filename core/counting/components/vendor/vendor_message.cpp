#include "core/counting/components/vendor/vendor_message.h"

namespace csink {

void MessageWriter::AddEvent(const DeviceEvent& event) {
  AddText(event.name);
  AddText(event.description);
  AddText(event.units);
  Add(event.value_type);
  Add(event.scope);
  Add(event.accumulates);
  Add(static_cast<std::uint32_t>(event.aliases.size()));
  for (const std::string& alias : event.aliases) AddText(alias);
  Add(event.longest_gap_ns);
  Add(event.most_per_second);
  Add(event.hidden);
  Add(event.rate.factor);
  AddNumbers(std::span<const std::uint32_t>(event.rate.over));
  AddNumbers(std::span<const std::uint32_t>(event.rate.under));
}

DeviceEvent MessageReader::TakeEvent() {
  DeviceEvent event;
  event.name = TakeText();
  event.description = TakeText();
  event.units = TakeText();
  event.value_type = Take<ComponentEvent::Type>();
  event.scope = Take<ComponentEvent::Scope>();
  event.accumulates = Take<bool>();
  const auto aliases = Take<std::uint32_t>();
  for (std::uint32_t i = 0; i < aliases && complete_; ++i) event.aliases.push_back(TakeText());
  event.longest_gap_ns = Take<std::uint64_t>();
  event.most_per_second = Take<double>();
  event.hidden = Take<bool>();
  event.rate.factor = Take<double>();
  event.rate.over = TakeNumbers<std::uint32_t>();
  event.rate.under = TakeNumbers<std::uint32_t>();
  return event;
}

}  // namespace csink
