#include "compat/apapi_client/components.h"

#include <papi.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "compat/apapi/include/apapi.h"
#include "compat/apapi/include/apapi_csink.h"
#include "compat/apapi_client/message.h"

/// File: which components a client of libapapi measures. Every component that APAPI_CMPLIST names
/// must be usable; of the default list the machine may lack some.

namespace csink::apapi {
namespace {

// libapapi's lists are C memory.
struct FreeMemory {
  void operator()(void* memory) const noexcept { std::free(memory); }
};

// The components to be measured, and whether APAPI_CMPLIST named them.
struct Wanted {
  std::vector<std::string> names;
  bool by_user = false;
};

/// An APAPI_CMPLIST that is set and empty is a list without components.
Wanted WantedNames() {
  Wanted wanted;
  char* buffer = nullptr;
  char** list = nullptr;
  wanted.by_user = APAPI_read_env_cmplist(&buffer, &list) == 0;
  const std::unique_ptr<char, FreeMemory> keep_buffer(buffer);
  const std::unique_ptr<char*, FreeMemory> keep_list(list);
  for (char** name = wanted.by_user ? list : APAPI_default_components; name && *name; ++name) {
    wanted.names.emplace_back(*name);
  }
  return wanted;
}

/// Looks the component up and checks that it works. nullopt: `reason` says why it cannot be used.
std::optional<Component> Find(const std::string& name, std::string& reason) {
  const int index = csink_apapi_find_component(name.c_str());
  const PAPI_component_info_t* info = index < 0 ? nullptr : PAPI_get_component_info(index);
  if (!info) {
    reason = "is not available in PAPI; papi_component_avail lists PAPI's components";
    return std::nullopt;
  }
  if (info->disabled) {
    reason = "is disabled: ";
    reason += info->disabled_reason[0] ? info->disabled_reason : "no reason given";
    return std::nullopt;
  }
  return Component{index, info->short_name[0] ? info->short_name : info->name};
}

/// What a component that works lacks: a card that the driver has lost. perf's reason is that of
/// hardware events alone.
void SayWhatIsMissing(const char* who, const Component& component) {
  const PAPI_component_info_t* info = PAPI_get_component_info(component.index);
  if (!info || !info->disabled_reason[0] || component.name == "perf") return;
  Say(who, "component " + component.name + ": " + info->disabled_reason);
}

std::string Joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    if (!text.empty()) text += ", ";
    text += name;
  }
  return text;
}

// Whether the component was chosen already, by its name or by its short name.
bool Has(const std::vector<Component>& components, int index) {
  return std::any_of(components.begin(), components.end(),
                     [&](const Component& c) { return c.index == index; });
}

// Without a list every component is known.
bool IsKnown(const std::string& name, std::span<const std::string_view> known) {
  return known.empty() || std::find(known.begin(), known.end(), name) != known.end();
}

}  // namespace

std::optional<Choice> ChooseComponents(const char* who, std::span<const std::string_view> known) {
  const Wanted wanted = WantedNames();
  const bool soft = IsOn("APAPI_SOFTFAIL"), verbose = IsOn("APAPI_VERBOSE");
  Choice choice;
  choice.named = wanted.by_user;
  std::vector<std::string> absent;
  bool failed = false;
  for (const std::string& name : wanted.names) {
    // The reason if the client has a list of components that it can handle, and this one is not in
    // it.
    std::string reason = "is not supported by libmeasure";
    const bool is_known = IsKnown(name, known);
    const std::optional<Component> found = is_known ? Find(name, reason) : std::nullopt;
    if (!found) {
      absent.push_back(name);
      // Of the processors, what can be measured without energy.
      std::string no_load;
      if (!choice.named && name == "rapl") {
        if (const auto load = Find("load", no_load)) choice.components.push_back(*load);
      }
      // Components of the default list that a machine lacks are normal and share one line below; a
      // component that the user named gets its own line with the reason.
      if (choice.named || verbose) Say(who, "component " + name + " " + reason);
      // All names are checked before the end, so that one run reports every problem.
      failed |= choice.named && !soft;
    } else if (Has(choice.components, found->index)) {
      Say(who, "component " + name + " is given twice; it is measured once");
    } else {
      choice.components.push_back(*found);
      SayWhatIsMissing(who, *found);
    }
  }
  if (failed) return std::nullopt;
  if (!choice.named && !verbose && !absent.empty()) {
    Say(who, "not measured, because this machine does not have it: " + Joined(absent) +
                 " (APAPI_VERBOSE=1 shows the reason)");
  }
  // Components are measured and reported in PAPI's order, whatever the order of APAPI_CMPLIST.
  std::sort(choice.components.begin(), choice.components.end(),
            [](const Component& a, const Component& b) { return a.index < b.index; });
  return choice;
}

}  // namespace csink::apapi
