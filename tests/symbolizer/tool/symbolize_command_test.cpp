#include <gmock/gmock.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "tests/symbolizer/tool/run_tool.h"

namespace csink::testing {
namespace {

using ::testing::IsEmpty;

class Symbolize : public ToolTest {
 protected:
  std::string Made(const std::string& name, const std::string& text) {
    std::ofstream(folder_ + "/" + name, std::ios::binary) << text;
    return folder_ + "/" + name;
  }
  bool Sh(const std::string& command) {
    return system(("cd " + folder_ + " && (" + command + ") >/dev/null 2>&1").c_str()) == 0;
  }
};

TEST_F(Symbolize, WhatIsNoProgramIsNamedWithItsReason) {
  const std::string fifo = folder_ + "/fifo";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  const std::pair<std::string, std::string> cases[] = {
      {folder_ + "/none", "cannot be opened (No such file or directory)"},
      {folder_, "is not a regular file"},
      {fifo, "is not a regular file"},
      {Made("text", "not a program"), "is not an ELF file"}};
  for (const auto& [path, reason] : cases) {
    const auto result = Csink({"symbolize", "--module", path});
    EXPECT_EQ(result.status, 1) << path;
    EXPECT_EQ(result.err, "csink: error: " + path + " " + reason + "\n");
    EXPECT_THAT(result.out, IsEmpty());
  }
}

TEST_F(Symbolize, A32BitFileIsRead) {
  Made("old.s", ".globl _start\n.type _start,@function\n_start: nop\n.size _start,1\n");
  if (!Sh("as --32 old.s -o old.o && ld -m elf_i386 -Ttext=0x8049000 old.o -o old")) {
    GTEST_SKIP() << "no assembler and linker for 32-bit programs";
  }
  stdin_ = Made("addresses", "8049000\n");
  const auto result = Csink({"symbolize", "--functions", "--module", folder_ + "/old"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.out, "0x8049000\n_start\n??:0\n");
}

}  // namespace
}  // namespace csink::testing
