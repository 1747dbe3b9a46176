#include "profil/reading/merge/merge_modules.h"

#include <gtest/gtest.h>

#include <vector>

namespace csink {
namespace {

constexpr std::uint32_t kNoRegion = spool::kNone;

Module Anonymous(std::size_t process) {
  Module module;
  module.is_anonymous = true;
  module.region_start = 0x7000;
  module.process = process;
  return module;
}

TEST(ModuleTable, ABuildIdCountsMoreThanThePath) {
  ModuleTable table;
  Module here;
  here.path = "/lib/liba.so";
  here.build_id = {1, 2, 3};
  Module there = here;
  there.path = "/copy/liba.so";
  Module other = here;
  other.build_id = {4};
  EXPECT_EQ(table.IndexOf(here), 0u);
  EXPECT_EQ(table.IndexOf(there), 0u);
  EXPECT_EQ(table.IndexOf(other), 1u);
  EXPECT_EQ(table[0].path, "/lib/liba.so");
}

TEST(ModuleTable, RenumbersTheProcessesOfAnonymousCode) {
  ModuleTable table;
  EXPECT_EQ(table.IndexOf(Anonymous(0)), 0u);
  EXPECT_EQ(table.IndexOf(Anonymous(1)), 1u);
  table.RenumberProcesses(std::vector<std::size_t>{5, 6});
  EXPECT_EQ(table[0].process, 5u);
  EXPECT_EQ(table[1].process, 6u);
}

TEST(SpoolCode, TranslatesFilesToOffsetsAndAnonymousCodeToAddresses) {
  spool::Spool spool;
  spool.regions.push_back({.start = 0x10000,
                           .end = 0x20000,
                           .file_offset = 0x1000,
                           .path = "/lib/liba.so",
                           .build_id = {}});
  spool.regions.push_back({.start = 0x7000,
                           .end = 0x8000,
                           .flags = spool::kRegionAnonymous,
                           .path = {},
                           .build_id = {}});
  ProcessTable processes(9);
  ProcessRow row;
  row.pid = 77;
  row.namespace_pid = 7;
  processes.Add(row);
  ModuleTable modules;
  SpoolCode code(spool, processes, SpoolProcesses{}, modules);
  EXPECT_EQ(code.AddressOf(0, 0x10500).offset, 0x1500u);
  EXPECT_EQ(code.AddressOf(1, 0x7010).offset, 0x7010u);
  EXPECT_EQ(modules[1].pid, 7u) << "the number in whose name a perf map is written";
  EXPECT_EQ(code.AddressOf(kNoRegion, 0x5).module, kNoModule);
  const CodeAddress unknown = code.AddressOrUnknown(kNoRegion, 0x5);
  EXPECT_TRUE(modules[unknown.module].is_unknown);
  EXPECT_EQ(unknown.offset, 0x5u);
  EXPECT_EQ(code.AddressOrUnknown(kNoRegion, 0x9).module, unknown.module);
}

}  // namespace
}  // namespace csink
