#include "agent/lifecycle/outside_exec.h"

#include <elf.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/perf_event.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace csink::agent {
namespace {

bool PerfIsPermitted() {
  perf_event_attr attr = {};
  attr.size = PERF_ATTR_SIZE_VER1;
  attr.type = PERF_TYPE_SOFTWARE;
  attr.config = PERF_COUNT_SW_TASK_CLOCK;
  attr.exclude_kernel = 1;
  const long fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
  if (fd >= 0) close(static_cast<int>(fd));
  return fd >= 0;
}

class OutsideExecTest : public ::testing::Test {
 protected:
  void SetUp() override {
    rlimit memory;
    getrlimit(RLIMIT_AS, &memory);
    if (!PerfIsPermitted() || memory.rlim_cur != RLIM_INFINITY) {
      GTEST_SKIP() << "perf events are refused, or memory is limited";
    }
    folder_ = ::testing::TempDir() + "outside_exec_" + std::to_string(getpid());
    std::filesystem::create_directory(folder_);
    agent_ = folder_ + "/libagent.so";
    std::ofstream(folder_ + "/csink-attach") << "#!/bin/sh\n";
    chmod((folder_ + "/csink-attach").c_str(), 0755);
    program_ = folder_ + "/static";
    WriteProgram(EM_NONE);
  }
  void TearDown() override {
    if (!folder_.empty()) std::filesystem::remove_all(folder_);
  }

  /// A program without a dynamic linker, of this machine for EM_NONE.
  void WriteProgram(unsigned machine, mode_t mode = 0755) {
    Elf64_Ehdr elf = {};
    std::memcpy(elf.e_ident, ELFMAG, SELFMAG);
    elf.e_ident[EI_CLASS] = machine == EM_386 ? ELFCLASS32 : ELFCLASS64;
    elf.e_ident[EI_DATA] = ELFDATA2LSB;
    elf.e_type = ET_EXEC;
#if defined(__x86_64__)
    elf.e_machine = EM_X86_64;
#else
    elf.e_machine = EM_AARCH64;
#endif
    if (machine != EM_NONE) elf.e_machine = static_cast<Elf64_Half>(machine);
    elf.e_phoff = sizeof elf;
    elf.e_phentsize = sizeof(Elf64_Phdr);
    std::ofstream(program_, std::ios::binary)
        .write(reinterpret_cast<const char*>(&elf), sizeof elf);
    chmod(program_.c_str(), mode);
  }

  bool Plan(const char* name, int folder = AT_FDCWD) {
    plan_ = OutsideExec();
    return PlanOutsideExec({folder, name, false}, agent_, plan_);
  }

  std::string folder_;
  std::string agent_;
  std::string program_;
  OutsideExec plan_;
};

TEST_F(OutsideExecTest, AStaticProgramIsExecutedByTheProgramBesideTheAgent) {
  ASSERT_TRUE(Plan(program_.c_str()));
  std::string first = "first";
  char* arguments[] = {first.data(), nullptr};
  char* room[kBecomeWords + 2];
  std::vector<std::string> words;
  for (char* const* word = OutsideArguments(plan_, arguments, 2, room); *word; ++word) {
    words.emplace_back(*word);
  }
  const std::string why = std::to_string(static_cast<unsigned>(spool::Refusal::kStatic));
  EXPECT_EQ(words, (std::vector<std::string>{folder_ + "/csink-attach", "become", why, agent_,
                                             program_, "first"}));
}

TEST_F(OutsideExecTest, OthersAreExecutedAsTheyAre) {
  EXPECT_FALSE(Plan("/proc/self/exe"));
  EXPECT_FALSE(Plan((folder_ + "/missing").c_str()));
  EXPECT_FALSE(Plan(nullptr, open(program_.c_str(), O_PATH | O_CLOEXEC)));
  WriteProgram(EM_RISCV);
  EXPECT_FALSE(Plan(program_.c_str()));
}

TEST_F(OutsideExecTest, AProgramThatMayNotBeExecutedFailsInExecItself) {
  WriteProgram(EM_NONE, 0644);
  EXPECT_FALSE(Plan(program_.c_str()));
}

TEST_F(OutsideExecTest, NothingIsDoneWithoutTheAttacher) {
  std::filesystem::remove(folder_ + "/csink-attach");
  EXPECT_FALSE(Plan(program_.c_str()));
  agent_ = "libagent.so";  // Its folder is not known
  EXPECT_FALSE(Plan(program_.c_str()));
}

TEST_F(OutsideExecTest, AProcessWithLimitedMemoryMightNotLoadTheAttacher) {
  rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_DATA, &before), 0);
  if (before.rlim_cur != RLIM_INFINITY) GTEST_SKIP() << "limited already";
  rlimit limited = before;
  limited.rlim_cur = rlim_t{1} << 40;
  ASSERT_EQ(setrlimit(RLIMIT_DATA, &limited), 0);
  const bool planned = Plan(program_.c_str());
  ASSERT_EQ(setrlimit(RLIMIT_DATA, &before), 0);
  EXPECT_FALSE(planned);
}

}  // namespace
}  // namespace csink::agent
