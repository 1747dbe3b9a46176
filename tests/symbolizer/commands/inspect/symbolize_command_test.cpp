#include <gmock/gmock.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "tests/symbolizer/commands/run_tool.h"

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
      {Made("text", "not a program"), "is not an ELF file"},
      {Made("empty", ""), "is not an ELF file"},
      {Made("short", "!<ar"), "is not an ELF file"},
      {Made("lib.a", "!<arch>\n"), "is an archive; ar x takes the object files out of it"},
      {Made("a.ko.xz", std::string("\xfd"
                                   "7zXZ\0\0\x04",
                                   8)),
       "is compressed; xz -dk unpacks it"},
      {Made("a.ko.zst", "\x28\xb5\x2f\xfd"), "is compressed; zstd -d unpacks it"},
      {Made("a.gz", "\x1f\x8b\x08"), "is compressed; gzip -dk unpacks it"}};
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

TEST_F(Symbolize, AnswersAsAddressesCome) {
  if (!Sh("printf 'int main(void) { return 0; }' > a.c && gcc -g -no-pie a.c -o a")) {
    GTEST_SKIP() << "no compiler";
  }
  stdin_ = folder_ + "/fifo";
  ASSERT_EQ(mkfifo(stdin_.c_str(), 0600), 0);
  const auto answers = [&] {
    const std::string text = Read(folder_ + "/stdout");
    return std::count(text.begin(), text.end(), '\n') / 3;
  };
  const auto result = Csink({"symbolize", "--module", folder_ + "/a"}, [&](pid_t) {
    std::ofstream input(stdin_);
    for (int i = 1; i <= 3; ++i) {
      input << "1\r\n" << std::flush;
      for (int tries = 0; tries < 10'000 && answers() < i; ++tries) usleep(1000);
      EXPECT_EQ(answers(), i);
    }
  });
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(answers(), 3);
}

TEST_F(Symbolize, WhatComesBeforeABadLineIsAnswered) {
  if (!Sh("printf 'int main(void) { return 0; }' > a.c && gcc -no-pie a.c -o a")) {
    GTEST_SKIP() << "no compiler";
  }
  stdin_ = Made("addresses", "1\nmain\n2\n");
  const auto text = Csink({"symbolize", "--module", folder_ + "/a"});
  EXPECT_EQ(text.status, 1);
  EXPECT_EQ(text.out, "0x1\n??\n??:0\n");
  EXPECT_EQ(text.err,
            "csink: error: is not an address: main (expected hexadecimal numbers, one per line)\n");
  const auto json = Csink({"symbolize", "--format", "json", "--module", folder_ + "/a"});
  EXPECT_EQ(json.status, 1);
  EXPECT_EQ(json.out, "[\n {\n  \"address\": \"0x1\",\n  \"frames\": []\n }\n]\n");
  stdin_ = "/dev/null";
  EXPECT_EQ(Csink({"symbolize", "--format", "json", "--module", folder_ + "/a"}).out, "[]\n");
}

}  // namespace
}  // namespace csink::testing
