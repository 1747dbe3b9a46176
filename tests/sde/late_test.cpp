/// File: a program without libsde, until a library that it loads brings it.

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <papi.h>

#include <fstream>
#include <string>

namespace {

bool LibsdeIsMapped() {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    if (line.find("libsde.so") != std::string::npos) return true;
  }
  return false;
}

TEST(LateSde, IsLookedForAndNeverLoaded) {
  ASSERT_EQ(PAPI_library_init(PAPI_VER_CURRENT), PAPI_VER_CURRENT);
  const int component = PAPI_get_component_index("sde");
  ASSERT_EQ(component, 2) << "PAPI's place for it";
  const PAPI_component_info_t* info = PAPI_get_component_info(component);
  EXPECT_EQ(info->disabled, PAPI_ECMP_DISABLED);
  EXPECT_NE(std::string(info->disabled_reason).find("libsde.so.1"), std::string::npos);
  int code = 0;
  EXPECT_EQ(PAPI_event_name_to_code("sde:::Plugin::count", &code), PAPI_ENOEVNT);
  EXPECT_FALSE(LibsdeIsMapped());
  EXPECT_EQ(dlerror(), nullptr) << "looking leaves no word behind";
}

TEST(LateSde, ComesWithALibraryAndStays) {
  ASSERT_EQ(PAPI_library_init(PAPI_VER_CURRENT), PAPI_VER_CURRENT);
  void* const plugin = dlopen(SDE_PLUGIN, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(plugin, nullptr) << dlerror();
  reinterpret_cast<void (*)()>(dlsym(plugin, "plugin_begin"))();
  auto* const count = static_cast<long long*>(dlsym(plugin, "plugin_count"));
  const int component = PAPI_get_component_index("sde");
  EXPECT_EQ(PAPI_get_component_info(component)->disabled, PAPI_OK);
  EXPECT_EQ(PAPI_get_component_info(component)->num_native_events, 1);

  int set = PAPI_NULL, code = 0;
  ASSERT_EQ(PAPI_create_eventset(&set), PAPI_OK);
  ASSERT_EQ(PAPI_event_name_to_code("sde:::Plugin::count", &code), PAPI_OK);
  ASSERT_EQ(PAPI_add_event(set, code), PAPI_OK);
  ASSERT_EQ(PAPI_start(set), PAPI_OK);
  *count += 3;
  long long value = 0;
  ASSERT_EQ(PAPI_read(set, &value), PAPI_OK);
  EXPECT_EQ(value, 3);

  *count += 4;
  ASSERT_EQ(PAPI_stop(set, &value), PAPI_OK);
  EXPECT_EQ(value, 7);
  EXPECT_EQ(PAPI_cleanup_eventset(set), PAPI_OK);

  reinterpret_cast<void (*)()>(dlsym(plugin, "plugin_end"))();
  ASSERT_EQ(dlclose(plugin), 0);
  EXPECT_EQ(dlopen(SDE_PLUGIN, RTLD_NOW | RTLD_NOLOAD), nullptr) << "the plugin is gone";
  EXPECT_TRUE(LibsdeIsMapped()) << "its events have numbers for the life of the process";
  EXPECT_EQ(PAPI_get_component_info(component)->disabled, PAPI_OK);
  EXPECT_EQ(PAPI_add_named_event(set, "sde:::Plugin::next"), PAPI_OK);
  EXPECT_EQ(PAPI_start(set), PAPI_OK);
  EXPECT_EQ(PAPI_stop(set, &value), PAPI_OK);
}

}  // namespace
