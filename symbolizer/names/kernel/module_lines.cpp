#include <dirent.h>
#include <sys/utsname.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <string_view>

#include "core/util/parse.h"
#include "core/util/text_file.h"
#include "symbolizer/names/elf/build_id.h"
#include "symbolizer/names/elf/linked_object.h"
#include "symbolizer/names/kernel/file.h"
#include "symbolizer/names/kernel/kernel.h"
#include "symbolizer/names/locate/debug_file.h"

/// File: a loaded module's code lies in several sections, each at an address of its own, and the
/// module's file is an unlinked object. /sys/module/NAME/sections has the address of each section
/// in memory; LinkObject gives each section an address in the file. So an address becomes (section,
/// offset), and that a place in the linked file.

namespace csink::symbolizer {
namespace {

/// "ext4" from the function name "ext4_read [ext4]" (kernel/symbols.cpp). Empty: code of the kernel
/// itself.
std::string ModuleOf(const Location& location) {
  const std::string& text = location.function;
  // `function` is raw_name, a blank, and the module in brackets.
  const std::size_t open = location.raw_name.size() + 1;
  if (location.source != NameSource::kSymbol || text.size() < open + 3 || text[open] != '[') {
    return {};
  }
  std::string name = text.substr(open + 1, text.size() - open - 2);
  return name.find('/') == std::string::npos ? name : std::string();
}

/// Names of a loaded module's sections, by their start address in memory.
using Sections = std::map<std::uint64_t, std::string>;

Sections ReadSections(const std::string& folder) {
  Sections sections;
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(::opendir(folder.c_str()), ::closedir);
  if (!entries) return sections;
  while (const dirent* entry = ::readdir(entries.get())) {
    const std::string text = ReadTextFile(folder + "/" + entry->d_name);
    std::string_view digits = Trimmed(text);
    if (!digits.starts_with("0x")) continue;
    digits.remove_prefix(2);
    // An address of 0 is one that the kernel hides.
    const auto address = ParseHex(digits);
    if (address && *address != 0) sections.emplace(*address, entry->d_name);
  }
  return sections;
}

/// The module's path in modules.dep ("PATH: NEEDED..."), such as "kernel/fs/ext4/ext4.ko". File
/// names may have '-' where the module's name has '_', and may end with the suffix of a
/// compression.
std::string PathInTree(const std::string& list, const std::string& module) {
  std::ifstream file(list);
  for (std::string line; std::getline(file, line);) {
    const std::string path = line.substr(0, line.find(':'));
    std::string name = path.substr(path.rfind('/') + 1);
    std::replace(name.begin(), name.end(), '-', '_');
    if (name.starts_with(module + ".ko")) return path.substr(0, path.rfind(".ko") + 3);
  }
  return {};
}

/// The module's file or debug file: by build id, then by its path in the tree of modules.
std::optional<KernelFile> FindObject(const std::string& module, const Options& options) {
  const auto build_id =
      ReadBuildId(options.root + "/sys/module/" + module + "/notes/.note.gnu.build-id");
  utsname machine = {};
  if (build_id.empty() || ::uname(&machine) != 0) return std::nullopt;
  const std::string tree = std::string("/lib/modules/") + machine.release;
  std::vector<std::string> places = {BuildIdPath(build_id)};
  if (const auto path = PathInTree(options.root + tree + "/modules.dep", module); !path.empty()) {
    places.push_back(std::string(kDebugFolder) + tree + "/" + path);
    places.push_back(std::string(kDebugFolder) + tree + "/" + path + ".debug");
    places.push_back(tree + "/" + path);
  }
  return FindKernelFile(places, build_id, options);
}

/// Indices of locations.
using Answers = std::vector<std::size_t>;

/// Converts the addresses of one module to places in its file, and adds the lines found there.
void AddLines(const std::string& module, const Answers& answers, const ModuleRequest& request,
              const Options& options, ResolveFile resolve, ModuleAnswer& answer) {
  const Sections sections = ReadSections(options.root + "/sys/module/" + module + "/sections");
  if (sections.empty()) return;
  const auto object = FindObject(module, options);
  if (!object) return;
  KernelPlaces wanted;
  for (const std::size_t i : answers) {
    const std::uint64_t address = request.file_offsets[i];
    // The last section that begins at or below the address; LinkedAddress checks its end.
    auto section = sections.upper_bound(address);
    if (section == sections.begin()) continue;
    --section;
    const auto place = LinkedAddress(object->elf, address - section->first, section->second);
    if (place) wanted[*place] = i;
  }
  AddLinesOf(*object, wanted, request, options, resolve, answer);
}

}  // namespace

void AddKernelModuleLines(const ModuleRequest& request, const Options& options, ResolveFile resolve,
                          ModuleAnswer& answer) {
  if (!request.is_running_kernel || request.detail < Detail::kLines || !answer.problem.empty()) {
    return;
  }
  std::map<std::string, Answers> modules;
  for (std::size_t i = 0; i < answer.locations.size(); ++i) {
    const std::string module = ModuleOf(answer.locations[i]);
    if (!module.empty()) modules[module].push_back(i);
  }
  for (const auto& [module, answers] : modules) {
    AddLines(module, answers, request, options, resolve, answer);
  }
}

}  // namespace csink::symbolizer
