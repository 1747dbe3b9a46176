#include "agent/exec/exec_policy.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace csink::agent {
namespace {

class ExecPolicyTest : public ::testing::Test {
 protected:
  using Variables = std::vector<const char*>;

  void Start(Follow follow, Variables environment) {
    Config config;
    config.follow = follow;
    environment.push_back(nullptr);
    policy_->Start(config, const_cast<char* const*>(environment.data()));
  }

  std::vector<std::string> After(Variables environment) {
    environment.push_back(nullptr);
    auto* envp = const_cast<char* const*>(environment.data());
    const ExecPolicy::Change change = policy_->PlanFor({AT_FDCWD, "/proc/self/exe", false}, envp);
    // Exactly as much as was asked for: a sanitizer sees a byte too many.
    const auto room = std::make_unique<std::uint64_t[]>((change.bytes + 7) / 8);
    if (change.bytes != 0) envp = policy_->Apply(change, envp, room.get());
    std::vector<std::string> result;
    for (; *envp; ++envp) result.emplace_back(*envp);
    return result;
  }

  std::unique_ptr<ExecPolicy> policy_ = std::make_unique<ExecPolicy>();
};

using Strings = std::vector<std::string>;

TEST_F(ExecPolicyTest, DoesNothingByItself) {
  Start(Follow::kExec, {"LD_PRELOAD=/x/libagent.so", "CSINK_TOP=3"});
  EXPECT_TRUE(policy_->idle());
  EXPECT_EQ(After({"A=1"}), (Strings{"A=1"}));
}

TEST_F(ExecPolicyTest, PutsUsBack) {
  Start(Follow::kAll, {"LD_PRELOAD=/o/a.so:/x/libagent.so", "CSINK_TOP=3", "B=2", "CSINK_KEEP=1"});
  EXPECT_EQ(After({"A=1", "CSINK_KEEP=0"}),
            (Strings{"A=1", "CSINK_KEEP=0", "LD_PRELOAD=/x/libagent.so", "CSINK_TOP=3"}));
  EXPECT_EQ(After({}), (Strings{"LD_PRELOAD=/x/libagent.so", "CSINK_TOP=3", "CSINK_KEEP=1"}));
}

TEST_F(ExecPolicyTest, KeepsWhatElseIsPreloaded) {
  Start(Follow::kAll, {"LD_PRELOAD=/x/libagent.so"});
  EXPECT_EQ(After({"LD_PRELOAD=/y/other.so", "A=1"}),
            (Strings{"A=1", "LD_PRELOAD=/x/libagent.so:/y/other.so"}));
  EXPECT_EQ(After({"LD_PRELOAD="}), (Strings{"LD_PRELOAD=/x/libagent.so"}));
}

TEST_F(ExecPolicyTest, NeverPutsUsInTwice) {
  Start(Follow::kAll, {"LD_PRELOAD=/x/libagent.so", "CSINK_TOP=3"});
  EXPECT_EQ(After({"LD_PRELOAD=/z/libagent.so"}), (Strings{"LD_PRELOAD=/z/libagent.so"}));
}

TEST_F(ExecPolicyTest, TakesUsOutWhereNothingIsToBeFollowed) {
  Start(Follow::kFork, {"LD_PRELOAD=/x/libagent.so"});
  EXPECT_EQ(After({"A=1", "CSINK_TOP=3", "LD_PRELOAD=/a.so /x/libagent.so:/b.so"}),
            (Strings{"A=1", "LD_PRELOAD=/a.so:/b.so"}));
  EXPECT_EQ(After({"LD_PRELOAD=libagent.so"}), Strings{});
  EXPECT_EQ(After({"LD_PRELOAD=/x/notlibagent.so"}), (Strings{"LD_PRELOAD=/x/notlibagent.so"}));
}

TEST_F(ExecPolicyTest, LeavesAnEnormousEnvironmentAlone) {
  Start(Follow::kAll, {"LD_PRELOAD=/x/libagent.so"});
  const Variables many(5000, "A=1");
  EXPECT_EQ(After(many).size(), many.size());
}

}  // namespace
}  // namespace csink::agent
