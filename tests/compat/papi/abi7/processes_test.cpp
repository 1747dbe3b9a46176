// Parts of one process that were built for different versions of PAPI. Compiled three times: linked
// with no libpapi, with libpapi.so.7.0 and with libpapi.so.7.2. In the second and third program the
// loader gives all modules the functions of the program's version, whatever they are linked with.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "tests/compat/papi/abi7/abi_module.h"

#ifdef LINKED_WITH_PAPI
#include <papi.h>
#endif

namespace {

constexpr int VersionNumber(int minor) { return 7 << 24 | minor << 16; }

struct Module {
  const char* file;
  int minor;
  unsigned long info_bytes;
};
constexpr Module kModules[] = {
    {MODULE_70, 0, 6680}, {MODULE_71, 1, 6680}, {MODULE_72, 2, 23068}, {MODULE_73, 3, 23068}};

InspectFunction* Open(const Module& module) {
  void* const opened = dlopen(module.file, RTLD_NOW | RTLD_LOCAL);
  EXPECT_NE(opened, nullptr) << dlerror();
  return opened ? reinterpret_cast<InspectFunction*>(dlsym(opened, "InspectPapi")) : nullptr;
}

void ExpectItsOwnVersion(const Module& module, const ModuleReport& report) {
  SCOPED_TRACE(module.file);
  EXPECT_EQ(report.version, VersionNumber(module.minor));
  EXPECT_EQ(report.initialized, report.version);
  EXPECT_EQ(report.library_version, report.version);
  EXPECT_EQ(report.info_bytes, module.info_bytes);
  EXPECT_TRUE(report.info_filled);
  EXPECT_TRUE(report.behind_is_whole);
  EXPECT_TRUE(report.branches_listed);
  EXPECT_TRUE(report.component_is_right);
}

TEST(ProcessWithSeveralVersions, GivesEachModuleTheLayoutThatItWasBuiltFor) {
  for (const Module& module : kModules) {
    InspectFunction* const inspect = Open(module);
    ASSERT_NE(inspect, nullptr);
    ModuleReport report;
    inspect(-1, &report);
    ExpectItsOwnVersion(module, report);
  }
  // And again, now that all are loaded.
  for (const Module& module : kModules) {
    ModuleReport report;
    Open(module)(-1, &report);
    ExpectItsOwnVersion(module, report);
  }
}

#ifdef LINKED_WITH_PAPI

TEST(ProcessWithSeveralVersions, HasOneCoreForAllOfThem) {
  ASSERT_EQ(PAPI_library_init(PAPI_VER_CURRENT), PAPI_VER_CURRENT);
  int set = PAPI_NULL;
  ASSERT_EQ(PAPI_create_eventset(&set), PAPI_OK);
  ASSERT_EQ(PAPI_add_named_event(set, "perf::TASK-CLOCK"), PAPI_OK);
  for (const Module& module : kModules) {
    ModuleReport report;
    Open(module)(set, &report);
    EXPECT_EQ(report.other_set_events, 1) << module.file;
  }
}

TEST(ProcessWithSeveralVersions, TheProgramItselfKeepsItsLayout) {
  for (const Module& module : kModules) ASSERT_NE(Open(module), nullptr);
  ASSERT_EQ(PAPI_library_init(PAPI_VER_CURRENT), PAPI_VER_CURRENT);
  struct {
    PAPI_event_info_t info;
    unsigned char behind[32768];
  } static guarded;
  std::memset(static_cast<void*>(&guarded), 0xA5, sizeof guarded);
  ASSERT_EQ(PAPI_get_event_info(PAPI_TOT_CYC, &guarded.info), PAPI_OK);
  EXPECT_EQ(reinterpret_cast<unsigned char*>(&guarded.info)[sizeof guarded.info - 1], 0);
  EXPECT_EQ(guarded.behind[0], 0xA5);
}

#else

/// A program that opens the libraries by itself is linked with none: the entry decides.
TEST(ProcessWithSeveralVersions, AnEntryThatWasLookedUpSpeaksItsOwnVersion) {
  using Init = int(int);
  using Info = int(int, void*);
  static unsigned char buffer[65536];
  for (const auto& [file, minor, bytes] : {Module{PAPI_70, 0, 6680}, Module{PAPI_71, 1, 6680},
                                           Module{PAPI_72, 2, 23068}, Module{PAPI_73, 3, 23068}}) {
    SCOPED_TRACE(file);
    void* const library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library, nullptr) << dlerror();
    const auto init = reinterpret_cast<Init*>(dlsym(library, "PAPI_library_init"));
    const auto info = reinterpret_cast<Info*>(dlsym(library, "PAPI_get_event_info"));
    ASSERT_EQ(init(VersionNumber(minor)), VersionNumber(minor));
    EXPECT_EQ(init(VersionNumber(minor + 1)), -1);
    std::memset(buffer, 0xA5, sizeof buffer);
    ASSERT_EQ(info(static_cast<int>(0x80000000), buffer), 0);
    EXPECT_EQ(buffer[bytes - 1], 0);
    EXPECT_EQ(buffer[bytes], 0xA5);
  }
}

#endif

}  // namespace
