#include "compat/ms_common/session.h"

#include <papi.h>

#include <string>
#include <string_view>

#include "compat/apapi_client/components.h"
#include "compat/apapi_client/message.h"
#include "compat/apapi_client/separate_devices.h"

/// File: which of libmeasure's resources are measured, and in which order they start and stop.

namespace csink::ms {
namespace {

// The components for which there are structures. Others of APAPI_CMPLIST are an error.
constexpr std::string_view kKnown[] = {"rapl", "nvml", "maxeler", "ipmi", "micknc", "load"};

// The component load stands in for rapl where the energy of the processors cannot be read.
bool Fills(const ResourceRules& rules, const std::string& component) {
  return component == rules.component || (rules.resource == CPU && component == "load");
}

// MS_CONFIG tells a program which resources it has.
void Enable(MS_CONFIG& config, int resource) {
  switch (resource) {
    case CPU:
      config.cpu_enabled = 1;
      break;
    case GPU:
      config.gpu_enabled = 1;
      break;
    case FPGA:
      config.fpga_enabled = 1;
      break;
    case MIC:
      config.mic_enabled = 1;
      break;
    case SYSTEM:
      config.sys_enabled = 1;
      break;
    default:
      break;
  }
}

}  // namespace

std::unique_ptr<Session> Session::Make() {
  // Until the event sets are made: devices are opened by then.
  const apapi::SeparateDevices separate;
  if (APAPI_init() != PAPI_VER_CURRENT) {
    apapi::Say(kWho, "libapapi cannot be initialized; APAPI_VERBOSE=1 shows more");
    return nullptr;
  }
  // The program gets a pointer to system_, and mgmt leads back from it (Session::Of).
  std::unique_ptr<Session> session(new Session);
  // The program's structure points back to the session; both live until ms_fini.
  session->system_ = {session.get(), &session->config_};
  return session->AddResources() ? std::move(session) : nullptr;
}

bool Session::AddResources() {
  const auto choice = apapi::ChooseComponents(kWho, kKnown);
  if (!choice || !inputs_.Read(kWho, choice->components)) return false;
  // What the user named must be measurable; a component of the default list may be missing.
  const bool must = choice->named && !apapi::IsOn("APAPI_SOFTFAIL");
  // In libmeasure's order, whatever the order of the components.
  for (const ResourceRules& rules : AllRules()) {
    for (const apapi::Component& component : choice->components) {
      if (!Fills(rules, component.name)) continue;
      // rapl comes before load, which has nothing that rapl lacks.
      if (!resources_.empty() && resources_.back()->id() == rules.resource) continue;
      apapi_eventset* set = apapi::MakeEventSet(kWho, component, inputs_);
      if (!set && (must || inputs_.EventsOf(component))) return false;
      if (!set) continue;
      // A component without a set is left out: its structure is not in the lists, so its results
      // are 0.
      resources_.push_back(std::make_unique<Resource>(rules, set));
      Enable(config_, rules.resource);
    }
  }
  return true;
}

MS_LIST* Session::NewList() const {
  MS_LIST* list = nullptr;
  // Without memory the list is shorter, and what is missing shows zeros.
  for (const auto& resource : resources_) appendList(&list, resource->id());
  return list;
}

// Resources that `flags` or the list lack are left alone.
void Session::Prepare(MS_LIST* list, int flags) {
  for (const auto& resource : resources_) {
    void* measurement = getMeasurement(&list, resource->id());
    if ((flags & resource->id()) == 0 || !measurement) continue;
    // One resource that does not start does not keep the others from being measured.
    if (resource->Prepare(measurement)) continue;
    apapi::Say(kWho,
               "a resource cannot be measured and shows zeros: the counters cannot be started");
  }
}

void Session::Start() {
  for (const auto& resource : resources_) resource->Start();
  // After all timers have started, so that the waiting times overlap.
  for (const auto& resource : resources_) resource->AwaitFirstSample();
}

void Session::Stop() {
  for (const auto& resource : resources_) resource->Stop();
}

void Session::Join() {
  Stop();  // all are asked before any is waited for
  for (const auto& resource : resources_) resource->Join();
}

}  // namespace csink::ms
