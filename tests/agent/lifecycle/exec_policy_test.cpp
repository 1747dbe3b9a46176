#include "agent/lifecycle/exec_policy.h"

#include <elf.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <fstream>
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

  std::vector<std::string> After(Variables environment, const char* program = "/proc/self/exe") {
    environment.push_back(nullptr);
    auto* envp = const_cast<char* const*>(environment.data());
    const ExecPolicy::Change change = policy_->PlanFor({AT_FDCWD, program, false}, envp);
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
  EXPECT_TRUE(policy_->idle());
  Start(Follow::kExec, {"LD_PRELOAD=/x/libagent.so", "CSINK_TOP=3"});
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

/// A file that is an ELF program for this machine with the dynamic linker `linker`.
class ProgramFile {
 public:
  explicit ProgramFile(const std::string& linker) {
    struct {
      Elf64_Ehdr elf = {};
      Elf64_Phdr segment = {};
      char linker[64] = {};
    } file;
    std::memcpy(file.elf.e_ident, ELFMAG, SELFMAG);
    file.elf.e_ident[EI_CLASS] = ELFCLASS64;
    file.elf.e_ident[EI_DATA] = ELFDATA2LSB;
    file.elf.e_type = ET_DYN;
#if defined(__x86_64__)
    file.elf.e_machine = EM_X86_64;
#else
    file.elf.e_machine = EM_AARCH64;
#endif
    file.elf.e_phoff = sizeof file.elf;
    file.elf.e_phentsize = sizeof file.segment;
    file.elf.e_phnum = 1;
    file.segment.p_type = PT_INTERP;
    file.segment.p_offset = sizeof file.elf + sizeof file.segment;
    file.segment.p_filesz = linker.size() + 1;
    std::memcpy(file.linker, linker.data(), linker.size());
    std::ofstream(path_, std::ios::binary).write(reinterpret_cast<const char*>(&file), sizeof file);
  }
  ~ProgramFile() { std::remove(path_.c_str()); }
  const char* path() const { return path_.c_str(); }

 private:
  std::string path_ = ::testing::TempDir() + "exec_policy_" + std::to_string(getpid());
};

TEST_F(ExecPolicyTest, TakesUsOutOfAProgramThatWouldDie) {
  const ProgramFile musl("/lib/ld-musl-x86_64.so.1");
  for (const Follow follow : {Follow::kExec, Follow::kAll}) {
    Start(follow, {"LD_PRELOAD=/x/libagent.so", "CSINK_TREE=7"});
    EXPECT_EQ(After({"A=1", "LD_PRELOAD=/x/libagent.so:/y/other.so", "CSINK_TREE=7"}, musl.path()),
              (Strings{"A=1", "LD_PRELOAD=/y/other.so", "CSINK_TREE=7"}));
    EXPECT_EQ(After({"LD_PRELOAD=/x/libagent.so"}, musl.path()), Strings{});
    EXPECT_EQ(After({"LD_PRELOAD=/y/other.so"}, musl.path()), (Strings{"LD_PRELOAD=/y/other.so"}));
  }
}

TEST_F(ExecPolicyTest, KeepsUsInAProgramOfGlibc) {
  const ProgramFile glibc("/lib64/ld-linux-x86-64.so.2");
  Start(Follow::kExec, {"LD_PRELOAD=/x/libagent.so"});
  EXPECT_EQ(After({"LD_PRELOAD=/x/libagent.so"}, glibc.path()),
            (Strings{"LD_PRELOAD=/x/libagent.so"}));
}

TEST_F(ExecPolicyTest, LeavesAnEnormousEnvironmentAlone) {
  Start(Follow::kAll, {"LD_PRELOAD=/x/libagent.so"});
  const Variables many(5000, "A=1");
  EXPECT_EQ(After(many).size(), many.size());
}

}  // namespace
}  // namespace csink::agent
