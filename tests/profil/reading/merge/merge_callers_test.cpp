#include "profil/reading/merge/merge_callers.h"

#include <gtest/gtest.h>

#include <vector>

namespace csink {
namespace {

using Nodes = std::vector<std::uint32_t>;

/// A library at `base` and the chains main -> f and main -> g.
spool::Spool Chains(std::uint64_t base) {
  spool::Spool spool;
  spool.regions.push_back(
      {.start = base, .end = base + 0x4000, .path = "/lib/liba.so", .build_id = {}});
  spool.chains = {{.pc = base + 0x100, .region = 0},
                  {.pc = base + 0x200, .region = 0, .parent = 1},
                  {.pc = base + 0x300, .region = 0, .parent = 1}};
  return spool;
}

struct CallerTreeTest : ::testing::Test {
  CallerTreeTest() { processes.Add(ProcessRow{}); }
  Nodes Add(CallerTree& tree, const spool::Spool& spool) {
    SpoolCode code(spool, processes, {}, modules);
    return tree.Add(spool, code, SpoolPython(spool, python, modules, PythonView::kFunctions));
  }

  ProcessTable processes{9};
  ModuleTable modules;
  PythonTable python;
};

TEST_F(CallerTreeTest, TheSameChainsOfTwoSpoolsAreTheSameNodes) {
  CallerTree tree(99);
  EXPECT_TRUE(Add(tree, spool::Spool()).empty());
  EXPECT_EQ(Add(tree, Chains(0x10000)), (Nodes{0, 1, 2, 3}));
  EXPECT_EQ(Add(tree, Chains(0x50000)), (Nodes{0, 1, 2, 3}));
  EXPECT_FALSE(tree.is_full());
  const std::vector<Caller> nodes = tree.Take();
  ASSERT_EQ(nodes.size(), 4u);
  EXPECT_EQ(nodes[3].parent, 1u);
  EXPECT_EQ(nodes[3].address.offset, 0x300u);
}

TEST_F(CallerTreeTest, LeavesOutNodesBeyondItsLimitAndWhatTheyCall) {
  CallerTree tree(2);
  spool::Spool spool = Chains(0x10000);
  spool.chains.push_back({.pc = 0x10400, .region = 0, .parent = 2});
  EXPECT_EQ(Add(tree, spool), (Nodes{0, 1, 0, 0, 0}));
  EXPECT_TRUE(tree.is_full());
}

}  // namespace
}  // namespace csink
