#include <dlfcn.h>
#include <unistd.h>

#include <cstring>
#include <vector>

#include "symbolizer/commands/console/exit_codes.h"
#include "symbolizer/commands/console/messages.h"
#include "symbolizer/commands/inspect/doctor_command.h"
#include "symbolizer/commands/launch/child.h"
#include "symbolizer/commands/launch/launch.h"

namespace csink::tool {
namespace {

/// csink_event_check, csink_event_attributes_json and csink_event_attributes_text (csink_events.h).
using EventFunction = int (*)(const char* event, char* buffer, std::size_t size);

/// The functions of libcsink_events that are used. Loaded on demand.
struct EventLibrary {
  EventFunction check = nullptr;
  EventFunction describe = nullptr;
};

/// Finds the library beside this program and the functions for the format. Returns false if one is
/// missing. The library is not closed.
bool Open(ReportFormat format, EventLibrary& library) {
  const std::string path = FindBeside("libcsink_events.so.0", "../../compat/events");
  void* handle = path.empty() ? nullptr : dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) return false;
  const char* describe =
      format == ReportFormat::kJson ? "csink_event_attributes_json" : "csink_event_attributes_text";
  library.check = reinterpret_cast<EventFunction>(dlsym(handle, "csink_event_check"));
  library.describe = reinterpret_cast<EventFunction>(dlsym(handle, describe));
  return library.check && library.describe;
}

/// True for "skx::UOPS_ISSUED:ANY", false for "skx::UOPS_ISSUED".
bool HasAttributes(const std::string& event) {
  const std::size_t pmu = event.find("::");
  return event.find_first_of(":.", pmu == std::string::npos ? 0 : pmu + 2) != std::string::npos;
}

/// True for "rapl:::PACKAGE_ENERGY:PACKAGE0". Only csink-meter, which reads devices, knows these
/// events.
bool IsOfDevice(const std::string& event) { return event.find(":::") != std::string::npos; }

/// Runs csink-meter. Returns its exit status.
int AskMeter(const std::string& event, ReportFormat format) {
  const std::string meter = FindHelper("csink-meter");
  if (meter.empty()) {
    Complain(WhyNotFound("csink-meter, which describes device events,",
                         " in libexec/countersink, nor beside libagent.so: install it"));
    return kExitNothing;
  }
  std::vector<std::string> command = {meter, "describe", event};
  if (format == ReportFormat::kJson) command.emplace_back("json");
  const Ended ended = RunChild(command, environ);
  if (ended.spawn_errno != 0) {
    Complain(meter + " cannot be started: " + std::strerror(ended.spawn_errno));
    return kExitNothing;
  }
  return ended.ExitCode();
}

}  // namespace

int RunEventDoctor(const std::string& event, ReportFormat format) {
  if (IsOfDevice(event)) return AskMeter(event, format);
  EventLibrary library;
  if (!Open(format, library)) {
    Complain(WhyNotFound("libcsink_events.so.0, which describes events,", " near csink"));
    return kExitNothing;
  }
  char complaint[1024] = "";
  // Only attributes are checked here. An unknown event is found by the description below.
  if (HasAttributes(event) && library.check(event.c_str(), complaint, sizeof(complaint)) < 0) {
    Complain(complaint);
    return kExitNothing;
  }
  // The function returns the needed size if the buffer is too small.
  std::string text(1 << 16, '\0');
  int size = library.describe(event.c_str(), text.data(), text.size());
  if (size >= static_cast<int>(text.size())) {
    text.resize(static_cast<std::size_t>(size) + 1);
    size = library.describe(event.c_str(), text.data(), text.size());
  }
  text.resize(text.find('\0'));
  if (size < 0 && format != ReportFormat::kJson) {
    Complain(text.empty() ? "the event cannot be described" : text.substr(0, text.size() - 1));
    return kExitNothing;
  }
  return Print(text) && size >= 0 ? 0 : kExitNothing;
}

}  // namespace csink::tool
