#include "core/counting/system/executable_info.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>

namespace csink {
namespace {

int g_data = 42;
int g_bss[1000];
int Text() { return g_data + g_bss[3]; }

std::uint64_t At(const void* address) { return reinterpret_cast<std::uintptr_t>(address); }

bool In(std::uint64_t address, std::uint64_t start, std::uint64_t end) {
  return address >= start && address < end;
}

const ModuleBounds* Find(const std::vector<ModuleBounds>& modules, std::string_view name) {
  for (const ModuleBounds& module : modules) {
    if (module.path.find(name) != std::string::npos) return &module;
  }
  return nullptr;
}

TEST(Modules, BeginWithTheProgram) {
  const std::vector<ModuleBounds> modules = ReadModules();
  ASSERT_FALSE(modules.empty());
  const ModuleBounds& program = modules.front();
  EXPECT_EQ(program.path, std::filesystem::read_symlink("/proc/self/exe"));
  EXPECT_TRUE(In(At(reinterpret_cast<void*>(&Text)), program.text_start, program.text_end));
  EXPECT_TRUE(In(At(&g_data), program.data_start, program.data_end));
  EXPECT_TRUE(In(At(&g_bss), program.bss_start, program.bss_end));
  EXPECT_TRUE(In(At(&g_bss[999]), program.bss_start, program.bss_end));
  EXPECT_FALSE(In(At(&g_bss), program.data_start, program.data_end));
  EXPECT_EQ(Text(), 42);
}

TEST(Modules, NameLibrariesByTheirFile) {
  const std::vector<ModuleBounds> modules = ReadModules();
  const ModuleBounds* libc = Find(modules, "libc.so.6");
  if (!libc) GTEST_SKIP() << "linked without a shared libc";
  EXPECT_TRUE(libc->path.starts_with("/"));
  const std::uint64_t function = At(dlsym(RTLD_DEFAULT, "strtoul"));
  EXPECT_TRUE(In(function, libc->text_start, libc->text_end));
  EXPECT_TRUE(In(At(dlsym(RTLD_DEFAULT, "environ")), libc->bss_start, libc->bss_end) ||
              In(At(dlsym(RTLD_DEFAULT, "environ")), libc->data_start, libc->data_end) ||
              In(At(dlsym(RTLD_DEFAULT, "environ")), modules[0].bss_start, modules[0].bss_end));
  EXPECT_EQ(Find(modules, "vdso"), nullptr);
}

TEST(Modules, FollowDlopenAndDlclose) {
  const std::vector<ModuleBounds> before = ReadModules();
  void* const plugin = dlopen(MODULE_PLUGIN, RTLD_NOW);
  ASSERT_NE(plugin, nullptr) << dlerror();
  const std::vector<ModuleBounds> during = ReadModules();
  EXPECT_EQ(during.size(), before.size() + 1);
  const ModuleBounds* found =
      Find(during, std::filesystem::path(MODULE_PLUGIN).filename().string());
  ASSERT_NE(found, nullptr);
  EXPECT_TRUE(In(At(dlsym(plugin, "plugin_text")), found->text_start, found->text_end));
  EXPECT_TRUE(In(At(dlsym(plugin, "plugin_data")), found->data_start, found->data_end));
  EXPECT_TRUE(In(At(dlsym(plugin, "plugin_bss")), found->bss_start, found->bss_end));
  dlclose(plugin);
  EXPECT_EQ(ReadModules(), before);
}

TEST(Modules, DoNotOverlap) {
  std::vector<ModuleBounds> modules = ReadModules();
  std::sort(modules.begin(), modules.end(),
            [](const auto& a, const auto& b) { return a.text_start < b.text_start; });
  for (std::size_t i = 1; i < modules.size(); ++i) {
    EXPECT_LE(modules[i - 1].text_end, modules[i].text_start) << modules[i].path;
    EXPECT_LT(modules[i].text_start, modules[i].text_end) << modules[i].path;
  }
}

}  // namespace
}  // namespace csink
