#include "agent/meter/device_event.h"

#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>

#include "agent/meter/device_meter.h"
#include "core/counting/components/registry/component_registry.h"

/// File: the description of one device counter, as rows of text or as a JSON object. An event is
/// described only if the component can count it here, so that the answer tells what a run would do.

namespace csink::agent {
namespace {

// Prints one line on stderr and returns the exit status 1. Control characters of the name are
// replaced.
int Complain(std::string_view event, std::string_view why) {
  std::string line = "csink: error: event \"";
  line.append(event).append("\": ").append(why);
  for (char& c : line) {
    if (static_cast<unsigned char>(c) < ' ' || c == 0x7f) c = '?';
  }
  std::fprintf(stderr, "%s\n", line.c_str());
  return 1;
}

const char* ScopeName(ComponentEvent::Scope scope) {
  switch (scope) {
    case ComponentEvent::Scope::kThread:
      return "the thread";
    case ComponentEvent::Scope::kProcess:
      return "the process";
    case ComponentEvent::Scope::kCpu:
      return "a CPU";
    case ComponentEvent::Scope::kSocket:
      return "a socket";
    case ComponentEvent::Scope::kMachine:
      return "the machine";
  }
  return "";
}

const std::string& WhatItIs(const ComponentEvent& event) {
  return event.long_description.empty() ? event.short_description : event.long_description;
}

void PrintText(const ComponentEvent& event, const ComponentInfo& component) {
  std::printf("event      %s\n", event.name.c_str());
  std::printf("what       %s\n", WhatItIs(event).c_str());
  if (!event.units.empty()) std::printf("unit       %s\n", event.units.c_str());
  std::printf("of         %s\n", ScopeName(event.scope));
  std::printf("value      %s\n",
              event.accumulates
                  ? "accumulates: a report shows the increase during the run"
                  : "current value: a report shows the mean, the minimum and the maximum");
  std::printf("component  %s: %s\n", component.name.c_str(), component.description.c_str());
  std::printf("use        CSINK_EVENTS=task-clock,%s  read 10 times a second, never sampled\n",
              event.name.c_str());
}

void PrintJson(const ComponentEvent& event, const ComponentInfo& component) {
  const nlohmann::ordered_json object = {{"format", "csink-device-event"},
                                         {"version", 1},
                                         {"event", event.name},
                                         {"component", component.name},
                                         {"description", WhatItIs(event)},
                                         {"units", event.units},
                                         {"scope", ScopeName(event.scope)},
                                         {"accumulates", event.accumulates}};
  const std::string text = object.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
  std::printf("%s\n", text.c_str());
}

}  // namespace

int DescribeDeviceEvent(std::string_view event, bool json) {
  ComponentRegistry& registry = ComponentRegistry::Get();
  const int index = registry.IndexOf(event.substr(0, event.find(":::")));
  if (index < 0 || !IsOfDevice(*registry.at(static_cast<std::size_t>(index)))) {
    return Complain(event, "there is no device component of this name; the components are " +
                               DeviceComponents(registry));
  }
  const auto number = static_cast<std::size_t>(index);
  Component& component = *registry.at(number);
  EventComplaint complaint;
  const Result<std::uint32_t> found = component.Find(event, complaint);
  ComponentEvent described;
  if (!found || !component.Describe(*found, described)) {
    return Complain(event,
                    complaint.size() != 0
                        ? complaint.view()
                        : "the component has no such event; papi_native_avail lists its events");
  }
  if (const Result<void> counts = component.CanCount(*found); !counts) {
    return Complain(event, counts.error().what);
  }
  json ? PrintJson(described, registry.Info(number)) : PrintText(described, registry.Info(number));
  return std::fflush(stdout) == 0 ? 0 : 1;
}

}  // namespace csink::agent
