
#include <gtest/gtest.h>
#include <sys/utsname.h>

#include "core/util/hex.h"
#include "symbolizer/names/elf/file.h"
#include "symbolizer/names/kernel/kernel.h"
#include "tests/symbolizer/workshop.h"

namespace csink::symbolizer {
namespace {

using testing::BuildIdOf;
using testing::Nm;
using testing::ReadWhole;
using testing::Workshop;

constexpr std::uint64_t kMoved = 0x1600000;

/// A root with a "kernel" in it that was moved at its start.
class KernelLines : public ::testing::Test {
 protected:
  void SetUp() override {
    shop_.Write("kernel.c", R"(
      int start_kernel(int x) __attribute__((noinline));
      int start_kernel(int x) { return x * 3 + x / 7; }
      int vfs_read(int x) { return start_kernel(x) + start_kernel(x + 1); }
    )");
    shop_.Write("kernel.ld", R"(
      SECTIONS { . = 0xffffffff81000000; _stext = .; .text : { . += 64; *(.text*) } _etext = .; })");
    shop_.Run(
        "gcc -O1 -g -mcmodel=kernel -ffreestanding -fno-pic -fno-pie -no-pie -nostdlib -static "
        "-Wl,--build-id,-T,kernel.ld kernel.c -o vmlinux");
    symbols_ = Nm(shop_, shop_.Path("vmlinux"));
    std::string list;
    for (const auto& [name, symbol] : symbols_) {
      char line[256];
      std::snprintf(line, sizeof line, "%016lx T %s\n",
                    static_cast<unsigned long>(symbol.start + kMoved), name.c_str());
      list += line;
    }
    shop_.Write("proc/kallsyms", list + "ffffffffc0000100 t ext4_read\t[ext4]\n");
    const std::vector<std::uint8_t> id = BuildIdOf(shop_, shop_.Path("vmlinux"));
    shop_.Write("sys/kernel/notes",
                Note(6, std::string(4, '\1')) + Note(3, std::string(id.begin(), id.end())));
    utsname machine;
    ASSERT_EQ(::uname(&machine), 0);
    place_ = std::string("usr/lib/debug/boot/vmlinux-") + machine.release;
  }
  static std::string Note(std::uint32_t type, const std::string& text) {
    const std::uint32_t head[] = {4, static_cast<std::uint32_t>(text.size()), type};
    return std::string(reinterpret_cast<const char*>(head), sizeof head) + std::string("GNU\0", 4) +
           text;
  }
  ModuleAnswer Resolve(Detail detail = Detail::kLines) {
    ModuleRequest request;
    request.path = kKernelPath;
    request.is_running_kernel = true;
    request.detail = detail;
    request.file_offsets = {symbols_.at("start_kernel").start + kMoved,
                            symbols_.at("vfs_read").start + kMoved, 0xffffffffc0000104};
    Options options;
    options.root = shop_.folder();
    return ResolveModule(request, options);
  }

  Workshop shop_;
  std::map<std::string, testing::NmSymbol> symbols_;
  std::string place_;
};

TEST_F(KernelLines, ComeFromTheImageWithTheSameBuildId) {
  shop_.Write(place_, ReadWhole(shop_.Path("vmlinux")));
  const auto answer = Resolve();
  EXPECT_EQ(answer.locations[0].function, "start_kernel");
  EXPECT_EQ(answer.locations[0].line, 3u);
  EXPECT_EQ(answer.locations[1].line, 4u);
  EXPECT_TRUE(answer.locations[1].file.ends_with("kernel.c")) << answer.locations[1].file;
  EXPECT_EQ(answer.locations[2].function, "ext4_read [ext4]");
  EXPECT_EQ(answer.locations[2].line, 0u);
  EXPECT_TRUE(answer.has_lines);
  EXPECT_EQ(answer.debug_file, "/" + place_);
  EXPECT_EQ(Resolve(Detail::kFunctions).locations[0].line, 0u);
}

TEST_F(KernelLines, AreNotTakenFromAnotherImage) {
  shop_.Run("objcopy --remove-section=.note.gnu.build-id vmlinux other");
  shop_.Write(place_, ReadWhole(shop_.Path("other")));
  const auto answer = Resolve();
  EXPECT_EQ(answer.locations[0].function, "start_kernel");
  EXPECT_EQ(answer.locations[0].line, 0u);
  EXPECT_FALSE(answer.has_lines);
}

TEST_F(KernelLines, AreNotTakenWhereTheListHidesAddresses) {
  shop_.Write(place_, ReadWhole(shop_.Path("vmlinux")));
  shop_.Write("proc/kallsyms", "0000000000000000 T _stext\n0000000000000000 T vfs_read\n");
  const auto answer = Resolve();
  EXPECT_EQ(answer.locations[0].line, 0u);
  EXPECT_NE(answer.problem.find("kptr_restrict"), std::string::npos);
}

/// The same with a module, whose sections lie anywhere in memory.
class KernelModuleLines : public KernelLines {
 protected:
  void SetUp() override {
    KernelLines::SetUp();
    shop_.Write("ext4.c", R"(
      static inline __attribute__((always_inline)) int Part(int x) { return x / 7; }
      int __attribute__((section(".init.text"))) ext4_init(int x) { return x + 1; }
      int ext4_read(int x) {
        return Part(x) * 3;
      }
    )");
    shop_.Run(
        "gcc -O1 -g -c -mcmodel=kernel -fno-pic ext4.c -o part.o && "
        "ld -r --build-id part.o -o ext4.ko");
    const auto id = BuildIdOf(shop_, shop_.Path("ext4.ko"));
    shop_.Write("sys/module/ext4/notes/.note.gnu.build-id",
                Note(3, std::string(id.begin(), id.end())));
    const auto offset = Nm(shop_, shop_.Path("ext4.ko")).at("ext4_read").start;
    char text[32];
    std::snprintf(text, sizeof text, "0x%016lx\n",
                  static_cast<unsigned long>(0xffffffffc0000100 - offset));
    shop_.Write("sys/module/ext4/sections/.text", text);
    shop_.Write("sys/module/ext4/sections/.init.text", "0xffffffffc0000000\n");
    release_ = place_.substr(place_.find("vmlinux-") + 8);
  }
  void ExpectLine() {
    const auto answer = Resolve(Detail::kInlines);
    const Location& location = answer.locations[2];
    EXPECT_EQ(location.function, "ext4_read [ext4]");
    EXPECT_TRUE(location.file.ends_with("ext4.c")) << location.file;
    EXPECT_TRUE(location.line == 5 || location.line == 2) << location.line;
    EXPECT_TRUE(answer.has_lines);
  }
  std::string release_;
};

TEST_F(KernelModuleLines, ComeFromTheFileWithTheBuildIdOfTheLoadedModule) {
  EXPECT_EQ(Resolve().locations[2].line, 0u);
  shop_.Write("lib/modules/" + release_ + "/modules.dep",
              "kernel/fs/jbd2/jbd2.ko:\nkernel/fs/ext4/ext4.ko.xz: kernel/fs/jbd2/jbd2.ko\n");
  const std::string file = ReadWhole(shop_.Path("ext4.ko"));
  shop_.Write("lib/modules/" + release_ + "/kernel/fs/ext4/ext4.ko", file);
  ExpectLine();
  shop_.Write("sys/module/ext4/notes/.note.gnu.build-id", Note(3, std::string(20, 'x')));
  EXPECT_EQ(Resolve().locations[2].line, 0u);
}

TEST_F(KernelModuleLines, ComeFromADebugPackage) {
  shop_.Run("objcopy --only-keep-debug ext4.ko ext4.debug");
  const std::string hex = ToHex(BuildIdOf(shop_, shop_.Path("ext4.ko")));
  shop_.Write("usr/lib/debug/.build-id/" + hex.substr(0, 2) + "/" + hex.substr(2) + ".debug",
              ReadWhole(shop_.Path("ext4.debug")));
  ExpectLine();
}

}  // namespace
}  // namespace csink::symbolizer
