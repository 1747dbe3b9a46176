#include "core/events/uncore_cpu.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <memory>
#include <string>

#include "core/util/parse.h"
#include "core/util/unique_fd.h"

namespace csink {
namespace {

/// The number at the beginning of a small file; false: there is none.
bool ReadNumber(int folder, const std::string& path, std::uint64_t& number) {
  const UniqueFd file(openat(folder, path.c_str(), O_RDONLY | O_CLOEXEC));
  char text[64];
  const ssize_t size = file ? read(file.get(), text, sizeof(text)) : -1;
  if (size <= 0) return false;
  std::size_t digits = 0;
  while (digits < static_cast<std::size_t>(size) && text[digits] >= '0' && text[digits] <= '9') {
    ++digits;
  }
  const Result<std::uint64_t> parsed = ParseUnsigned({text, digits});
  if (parsed) number = *parsed;
  return parsed.has_value();
}

}  // namespace

int FirstCpuOfPmu(std::uint32_t type, const char* devices) {
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir(devices), closedir);
  if (!folder) return -1;
  while (const dirent* entry = readdir(folder.get())) {
    const std::string name(entry->d_name);
    std::uint64_t number = 0;
    if (name[0] == '.' || !ReadNumber(dirfd(folder.get()), name + "/type", number)) continue;
    if (number != type) continue;
    return ReadNumber(dirfd(folder.get()), name + "/cpumask", number) ? static_cast<int>(number)
                                                                      : -1;
  }
  return -1;
}

}  // namespace csink
