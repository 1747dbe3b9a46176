#include "compat/atime/job_files.h"

#include <filesystem>
#include <fstream>
#include <iterator>

/// File: small files of /proc and /sys. Processes and groups may vanish at any time: what is gone
/// gives nothing, never an exception.

namespace csink::atime {

std::optional<std::string> ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  std::string text(std::istreambuf_iterator<char>(file), {});
  // A process that ends between open and read gives ESRCH, which is the end of an empty file here.
  if (file.bad()) return std::nullopt;
  return text;
}

std::vector<std::string> Folders(const std::string& path) {
  std::vector<std::string> names;
  // Folders of processes vanish while the list is read, so no error is an exception.
  std::error_code error;
  std::filesystem::directory_iterator entry(path, error), end;
  while (!error && entry != end) {
    // The entry alone is left out if it vanished; `error` would end the walk.
    std::error_code unknown;
    if (entry->is_directory(unknown)) names.push_back(entry->path().filename().string());
    entry.increment(error);
  }
  return names;
}

}  // namespace csink::atime
