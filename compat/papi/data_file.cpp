#include "compat/papi/data_file.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>

namespace csink::papi {

// dladdr names the object that contains this function: libpapi.so, or the program that links
// libpapi.a.
std::string DataFile(const char* name) {
  const std::string below = std::string("share/csink/") + name;
  Dl_info object = {};
  if (dladdr(reinterpret_cast<const void*>(&DataFile), &object) == 0 || !object.dli_fname) {
    return below;
  }
  std::string folder = object.dli_fname;
  folder.erase(folder.rfind('/') + 1);
  for (const char* up : {"../", "../../"}) {  // PREFIX/lib or PREFIX/bin; PREFIX/lib/TRIPLET
    // realpath fails if the file does not exist, so it also serves as the test.
    char* path = realpath((folder + up + below).c_str(), nullptr);
    if (!path) continue;
    const std::string found = path;
    std::free(path);
    return found;
  }
  return below;
}

}  // namespace csink::papi
