#include "core/counting/system/executable_info.h"

#include <deque>
#include <memory>
#include <mutex>

#include "compat/papi/boundary/c_boundary.h"
#include "compat/papi/boundary/copy_text.h"

/// File: PAPI_get_executable_info and PAPI_get_shared_lib_info, from the loader's list of modules
/// (core/counting/system). Programs keep the pointers that they get, so results are not freed, or
/// only after many newer ones.

namespace csink::papi {
namespace {

vptr_t Address(std::uint64_t address) noexcept {
  return reinterpret_cast<vptr_t>(static_cast<std::uintptr_t>(address));
}

void Fill(const ModuleBounds& module, std::string_view name, PAPI_address_map_t& map) noexcept {
  CopyText(map.name, name);
  map.text_start = Address(module.text_start);
  map.text_end = Address(module.text_end);
  map.data_start = Address(module.data_start);
  map.data_end = Address(module.data_end);
  map.bss_start = Address(module.bss_start);
  map.bss_end = Address(module.bss_end);
}

// The first module that the loader reports is the program. Read once: the program's own segments
// never change.
const PAPI_exe_info_t* ExecutableInfo() {
  static const PAPI_exe_info_t* const info = []() -> const PAPI_exe_info_t* {
    const std::vector<ModuleBounds> modules = ReadModules();
    if (modules.empty()) return nullptr;
    auto* filled = new PAPI_exe_info_t{};  // never freed: programs keep the pointer
    const std::string& path = modules.front().path;
    CopyText(filled->fullname, path);
    Fill(modules.front(), path.substr(path.rfind('/') + 1), filled->address_info);
    return filled;
  }();
  return info;
}

// One answer of PAPI_get_shared_lib_info, with the memory that it points to.
struct Libraries {
  std::vector<ModuleBounds> modules;
  std::vector<PAPI_address_map_t> maps;
  PAPI_shlib_info_t info = {};
};

std::unique_ptr<Libraries> MakeLibraries(std::vector<ModuleBounds> modules) {
  auto made = std::make_unique<Libraries>();
  made->maps.resize(modules.size());
  for (std::size_t i = 0; i < modules.size(); ++i) Fill(modules[i], modules[i].path, made->maps[i]);
  made->modules = std::move(modules);
  made->info = {made->maps.empty() ? nullptr : made->maps.data(), ToInt(made->maps.size())};
  return made;
}

// Answers stay valid until 63 newer ones were given, and unchanged libraries give the same pointer,
// because programs keep pointers to answers. (PAPI frees the old answer at once.)
constexpr std::size_t kAnswersKept = 64;

struct Answers {
  std::mutex mutex;
  std::deque<std::unique_ptr<Libraries>> kept;
};

const PAPI_shlib_info_t* SharedLibInfo() {
  static Answers& answers = *new Answers;  // never destroyed: static destructors may still call
  std::vector<ModuleBounds> modules = ReadModules();
  if (modules.empty()) return nullptr;
  // Without this PAPI_get_shared_lib_info would list the program as a library.
  modules.erase(modules.begin());  // the program itself
  const std::lock_guard<std::mutex> held(answers.mutex);
  if (answers.kept.empty() || answers.kept.back()->modules != modules) {
    answers.kept.push_back(MakeLibraries(std::move(modules)));
    if (answers.kept.size() > kAnswersKept) answers.kept.pop_front();
  }
  return &answers.kept.back()->info;
}

}  // namespace
}  // namespace csink::papi

const PAPI_exe_info_t* PAPI_get_executable_info(void) {
  return csink::papi::PointerAtEdge(csink::papi::ExecutableInfo);
}

const PAPI_shlib_info_t* PAPI_get_shared_lib_info(void) {
  return csink::papi::PointerAtEdge(csink::papi::SharedLibInfo);
}
