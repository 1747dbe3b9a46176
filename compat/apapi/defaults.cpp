#include "compat/apapi/defaults.h"

#include <dlfcn.h>
#include <unistd.h>

#include "compat/apapi/event_list.h"
#include "compat/apapi/settings.h"

/// File: the installed default files, and where they are. An installation may be moved and the
/// library may run in its build tree, so the files are searched beside the library itself.

namespace csink::apapi {

namespace {

bool Exists(const std::string& path) noexcept { return access(path.c_str(), R_OK) == 0; }

/// The folder of this library, with a slash at its end; "" if the loader does not know the path.
std::string OwnFolder() {
  Dl_info object = {};
  // The loader knows the file by the address of any function in it.
  if (dladdr(reinterpret_cast<const void*>(&DefaultFile), &object) == 0 || !object.dli_fname) {
    return {};
  }
  std::string path = object.dli_fname;
  // Links are resolved: the data files lie beside the real file, not beside a link to the library.
  if (char* real = realpath(path.c_str(), nullptr)) {
    path = real;
    std::free(real);
  }
  return path.substr(0, path.rfind('/') + 1);
}

/// "rapl" begins "rapl:::X", but not "rapl2:::X".
bool BeginsWithComponent(std::string_view event, std::string_view component) noexcept {
  return !component.empty() && event.size() > component.size() && event.starts_with(component) &&
         event[component.size()] == ':';
}

}  // namespace

std::string DefaultFile(const char* name) {
  if (const char* folder = std::getenv("APAPI_DATADIR"); folder != nullptr && *folder != 0) {
    // APAPI_DATADIR is a prefix's share folder, or the folder with the files.
    const std::string inside = std::string(folder) + "/apapi/" + name;
    const std::string beside = std::string(folder) + "/" + name;
    return Exists(inside) || !Exists(beside) ? inside : beside;
  }
  const std::string own = OwnFolder();
  const std::string below = std::string("share/apapi/") + name;
  // Relative to the library in PREFIX/lib, in PREFIX/lib/TRIPLET and in the build tree.
  for (const char* up : {"../", "../../", ""}) {
    if (Exists(own + up + below)) return own + up + below;
  }
  // The message about the missing file then names the place of an installation.
  return own + "../" + below;
}

bool Defaults::LoadOps() {
  const std::string path = DefaultFile("default_eventops.csv");
  std::string why;
  // Kept as long as `ops_`, whose strings point into it.
  ops_text_ = ReadTextFile(path.c_str(), why);
  if (!ops_text_ || !ParseEventOps(ops_text_.get(), ',', path.c_str(), ops_, why)) {
    Warn("default operations: " + why + " (APAPI_DATADIR names another folder)");
    return false;
  }
  Tell("read " + std::to_string(ops_.count) + " default event operations from " + path);
  return true;
}

bool Defaults::LoadList() {
  const std::string path = DefaultFile("default_eventlist.txt");
  std::string why;
  list_text_ = ReadTextFile(path.c_str(), why);
  if (!list_text_) {
    Warn("default event lists: " + why + " (APAPI_DATADIR names another folder)");
    return false;
  }
  events_ = SplitEventList(list_text_.get());
  Tell("read the default event lists from " + path);
  return true;
}

bool Defaults::Load() {
  Forget();
  // Both are read even if the first fails, so that one run names all that is missing.
  const bool ops = LoadOps();
  return LoadList() && ops;
}

void Defaults::Forget() { *this = Defaults(); }

std::vector<std::string> Defaults::EventsOf(std::string_view name,
                                            std::string_view short_name) const {
  std::vector<std::string> found;
  for (const char* event : events_) {
    if (BeginsWithComponent(event, name) || BeginsWithComponent(event, short_name)) {
      found.emplace_back(event);
    }
  }
  return found;
}

Defaults& TheDefaults() {
  // Never destroyed: a program may call APAPI functions from its own static destructors.
  static auto* defaults = new Defaults;
  return *defaults;
}

}  // namespace csink::apapi
