#include "compat/atime/job_files.h"

#include <filesystem>
#include <fstream>
#include <iterator>

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
  std::error_code error;
  std::filesystem::directory_iterator entry(path, error), end;
  while (!error && entry != end) {
    std::error_code unknown;
    if (entry->is_directory(unknown)) names.push_back(entry->path().filename().string());
    entry.increment(error);
  }
  return names;
}

}  // namespace csink::atime
