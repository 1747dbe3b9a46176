#include "symbolizer/commands/tree_members.h"

#include <cctype>
#include <filesystem>
#include <string>
#include <system_error>

#include "core/util/text_file.h"

namespace csink::tool {
namespace {

/// Whether the process's environment contains `wanted`, as it was when its image began. A zombie
/// process has an empty environment; so has a process of another user, for whom /proc/PID/environ
/// cannot be read.
bool HasVariable(const std::filesystem::path& process, const std::string& wanted) {
  const std::string environment = ReadTextFile((process / "environ").string());
  // Every variable ends with a NUL, and begins behind one.
  return ('\0' + environment).find('\0' + wanted + '\0') != std::string::npos;
}

}  // namespace

std::size_t RunningInTree(std::uint64_t tree) {
  const std::string wanted = "CSINK_TREE=" + std::to_string(tree);
  std::size_t count = 0;
  // Processes end while /proc is read; errors only end the search.
  std::error_code error;
  for (std::filesystem::directory_iterator entry("/proc", error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (std::isdigit(static_cast<unsigned char>(name[0]))) {
      count += HasVariable(entry->path(), wanted);
    }
  }
  return count;
}

}  // namespace csink::tool
