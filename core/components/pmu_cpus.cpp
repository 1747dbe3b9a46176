#include "core/components/pmu_cpus.h"

#include <charconv>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

#include "core/machine/system_tree.h"

namespace csink {
namespace {

namespace fs = std::filesystem;

std::string FirstLine(const fs::path& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line;
}

}  // namespace

std::vector<int> CpusOfPmu(std::uint32_t type, const char* devices) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(devices, error)) {
    if (FirstLine(entry.path() / "type") != std::to_string(type)) continue;
    const std::vector<unsigned> cpus = ParseCpuList(FirstLine(entry.path() / "cpumask"));
    return {cpus.begin(), cpus.end()};
  }
  return {};
}

std::vector<std::uint32_t> HybridPmuTypes(const char* devices) {
  std::vector<std::uint32_t> types;
  for (const char* name : {"cpu_core", "cpu_atom", "cpu_lowpower"}) {
    const std::string text = FirstLine(fs::path(devices) / name / "type");
    std::uint32_t type = 0;
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), type);
    if (parsed.ec == std::errc{}) types.push_back(type);
  }
  return types;
}

}  // namespace csink
