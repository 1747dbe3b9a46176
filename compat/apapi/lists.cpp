// Lists of component names: the default list and the list of APAPI_CMPLIST.
#include <cstdlib>
#include <cstring>

#include "compat/apapi/include/apapi.h"

namespace {
// Writable arrays: upstream's list has char*, which C programs may pass on as such.
char rapl[] = "rapl", nvml[] = "nvml", maxeler[] = "maxeler", ipmi[] = "ipmi", micknc[] = "micknc";
}  // namespace

char* APAPI_default_components[] = {rapl, nvml, maxeler, ipmi, micknc, nullptr};

int APAPI_cmp_cmplist_index(const char* cmp, char** cmp_list) {
  if (cmp == nullptr || cmp_list == nullptr) return -1;
  for (int i = 0; cmp_list[i] != nullptr; ++i) {
    if (std::strcmp(cmp, cmp_list[i]) == 0) return i;
  }
  return -1;
}

int APAPI_read_env_cmplist(char** buffer, char*** list) {
  const char* value = std::getenv("APAPI_CMPLIST");
  if (value == nullptr || buffer == nullptr || list == nullptr) return -1;
  // A copy, because strtok_r writes into it and the environment must stay as it is.
  char* copy = strdup(value);
  // A name has at least one byte and one separator; one more entry ends the list.
  auto** names = static_cast<char**>(std::calloc(std::strlen(value) / 2 + 2, sizeof(char*)));
  // One of the two may have been allocated.
  if (copy == nullptr || names == nullptr) {
    std::free(copy);
    std::free(names);
    return -1;
  }
  std::size_t count = 0;
  char* rest = nullptr;
  // strtok_r skips empty names.
  for (char* part = strtok_r(copy, ":", &rest); part; part = strtok_r(nullptr, ":", &rest)) {
    names[count++] = part;
  }
  *buffer = copy;
  *list = names;
  return 0;
}
